// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales and codes of quantize, at binade edges, for zero rows and for rows with NaN and Inf.
#include "braid/quantize.h"
#include "LaneHarness.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace braid;

namespace {

// One lane holds the row: no exchanges.
using Rows = RowMap<8, 0>;

template <class T>
Frag<T, 8> row(std::initializer_list<f32> values) {
  Frag<f32, 8> x = {};
  u32 r = 0;
  for (f32 value : values)
    x.values[r++] = value;
  return roundTo<T>(x);
}

u32 codeAt(const auto &q, u32 r) { return q.codes.words[r / 4] >> r % 4 * 8 & 0xff; }

TEST(Quantize, Ue8m0ScaleAtBinadeEdges) {
  for (f32 max : {448.0f, 240.0f, 224.0f})
    for (int k = -12; k <= 8; ++k) {
      const f32 amax = std::ldexp(max, k);
      const auto scale = [&](f32 x) {
        return quantizeUe8m0<Rows, f8e4m3fn>(row<f32>({0, -x}), 1e-10f, max).scale;
      };
      EXPECT_EQ(scale(amax), std::ldexp(1.0f, k));
      EXPECT_EQ(scale(floatOf(bitsOf(amax) + 1)), std::ldexp(1.0f, k + 1));
      EXPECT_EQ(scale(floatOf(bitsOf(amax) - 1)), std::ldexp(1.0f, k));
    }
  EXPECT_EQ((quantizeUe8m0<Rows, f8e4m3fn>(row<bf16>({448}), 1e-10f, 448)).scale, 1.0f);
  EXPECT_EQ((quantizeUe8m0<Rows, f8e4m3fn>(row<bf16>({-450}), 1e-10f, 448)).scale, 2.0f);
  EXPECT_EQ((quantizeUe8m0<Rows, f8e4m3fnuz>(row<bf16>({240}), 1e-10f, 240)).scale, 1.0f);
  EXPECT_EQ((quantizeUe8m0<Rows, f8e4m3fnuz>(row<bf16>({241}), 1e-10f, 240)).scale, 2.0f);
}

// S-QUANT-1.
TEST(Quantize, Ue8m0IsTheLeastPowerOfTwo) {
  test::Random random(9);
  for (f32 max : {448.0f, 240.0f, 224.0f, 6.0f, 57344.0f})
    for (int i = 0; i < 20000; ++i) {
      const f32 amax = floatOf(0x0f000000u + random.bits() % (kLargestFiniteBits - 0x0f000000u));
      const double scale = floatOf(ue8m0Bits(bitsOf(amax), max));
      EXPECT_GE(scale * max, amax);
      EXPECT_LT(scale / 2 * max, amax);
    }
}

// S-QUANT-3.
TEST(Quantize, CodesUseTheStoredScale) {
  const auto x = row<bf16>({3.0f, -1.5f, 0.1f});
  const auto fn = quantizeUe8m0<Rows, f8e4m3fn>(x, 1e-10f, 448);
  const auto fnuz = quantizeUe8m0<Rows, f8e4m3fnuz>(x, 1e-10f, 240);
  EXPECT_EQ(fn.scale, 0x1p-7f);
  EXPECT_EQ(fnuz.scale, 0x1p-6f);
  for (u32 word : {fn.codes.words[0], fnuz.codes.words[0]})
    EXPECT_EQ(word, 0x0055f47cu);
}

// S-QUANT-3.
TEST(Quantize, ZeroRowTakesTheFloor) {
  const auto x = row<bf16>({});
  EXPECT_EQ((quantizeUe8m0<Rows, f8e4m3fn>(x, 1e-10f, 448)).scale, 0x1p-42f);
  EXPECT_EQ((quantizeUe8m0<Rows, f8e4m3fnuz>(x, 1e-10f, 240)).scale, 0x1p-41f);
  EXPECT_EQ((quantizeUe8m0<Rows, f8e4m3fn>(x, 1e-4f, 448)).scale, 0x1p-22f);
  EXPECT_EQ((quantizeUe8m0<Rows, f8e4m3fnuz>(x, 1e-4f, 240)).scale, 0x1p-21f);
  EXPECT_EQ((quantizeUe8m0<Rows, f8e4m3fn>(x, 1e-4f, 448)).codes.words[0], 0u);
}

TEST(Quantize, CeilingBelowTheFormats) {
  const auto x = row<bf16>({236});
  const auto full = quantizeUe8m0<Rows, f8e4m3fnuz>(x, 1e-10f, 240);
  const auto low = quantizeUe8m0<Rows, f8e4m3fnuz>(x, 1e-10f, 224);
  EXPECT_EQ(full.scale, 1.0f);
  EXPECT_EQ(codeAt(full, 0), 0x7fu);
  EXPECT_EQ(low.scale, 2.0f);
  EXPECT_EQ(codeAt(low, 0), 0x77u);
}

// S-QUANT-1.
TEST(Quantize, PlainScales) {
  EXPECT_EQ(bitsOf(quantizeReciprocal<Rows, f8e4m3fn>(row<f32>({240}), 1e-10f, 448).scale),
            0x3f092493u);
  EXPECT_EQ(bitsOf(quantizeDivide<Rows, f8e4m3fn>(row<f32>({240}), 1e-10f, 448).scale),
            0x3f092492u);
  EXPECT_EQ(bitsOf(quantizeReciprocal<Rows, f8e4m3fnuz>(row<f32>({3}), 1e-10f, 240).scale),
            0x3c4cccceu);
  EXPECT_EQ(bitsOf(quantizeDivide<Rows, f8e4m3fnuz>(row<f32>({3}), 1e-10f, 240).scale),
            0x3c4ccccdu);
}

// S-QUANT-5.
TEST(Quantize, NonFiniteRowTakesTheLargestScale) {
  const f32 infinity = floatOf(kInfinityBits), nan = floatOf(kNanBits);
  for (f32 bad : {infinity, -infinity, nan}) {
    const auto fn = quantizeUe8m0<Rows, f8e4m3fn>(row<bf16>({bad, 1.0f, -1.0f}), 1e-10f, 448);
    EXPECT_EQ(fn.scale, 0x1p120f);
    EXPECT_EQ(codeAt(fn, 0) & 0x7f, 0x7fu);
    EXPECT_EQ(codeAt(fn, 1), 0x00u);
    EXPECT_EQ(codeAt(fn, 2), 0x80u);
    const auto fnuz = quantizeUe8m0<Rows, f8e4m3fnuz>(row<f32>({bad, 1.0f, -1.0f}), 1e-10f, 240);
    EXPECT_EQ(fnuz.scale, 0x1p121f);
    EXPECT_EQ(codeAt(fnuz, 0), 0x80u);
    EXPECT_EQ(codeAt(fnuz, 2), 0x00u);
  }
}

// S-QUANT-6, S-QUANT-7.
TEST(Quantize, GivenScaleSaturatesNumbersOnly) {
  const auto x = row<f32>({1000, -1000, floatOf(kInfinityBits), floatOf(kNanBits), 2});
  const auto q = quantizeGiven<f8e4m3fn>(x, 1.0f, 448);
  EXPECT_EQ(codeAt(q, 0), 0x7eu);
  EXPECT_EQ(codeAt(q, 1), 0xfeu);
  EXPECT_EQ(codeAt(q, 2) & 0x7f, 0x7fu);
  EXPECT_EQ(codeAt(q, 3) & 0x7f, 0x7fu);
  EXPECT_EQ(codeAt(q, 4), 0x40u);
}

TEST(Quantize, DivideRule) {
  // x / s and x * (1 / s) part where the quotient is a tie.
  u32 different = 0;
  for (u32 code = 0x39; code < 0x7e; ++code)
    for (f32 scale : {3.0f, 7.0f, 11.0f, 0.7f}) {
      const f32 middle = (decodeFp8<f8e4m3fn>(code) + decodeFp8<f8e4m3fn>(code + 1)) / 2;
      const f32 value = middle * scale;
      const auto divided =
          quantizeGiven<f8e4m3fn, ValueRule::divide>(row<f32>({value}), scale, 448);
      const auto multiplied = quantizeGiven<f8e4m3fn>(row<f32>({value}), scale, 448);
      EXPECT_EQ(codeAt(divided, 0), encodeFp8<f8e4m3fn>(value / scale));
      EXPECT_EQ(codeAt(multiplied, 0), encodeFp8<f8e4m3fn>(value * (1.0f / scale)));
      different += codeAt(divided, 0) != codeAt(multiplied, 0);
    }
  EXPECT_GT(different, 0u);
}

} // namespace
