// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 and f16 rounding against formulas in double: the nearest multiple of the unit in the last
// place, ties to even.
#include "braid/convert.h"
#include "LaneHarness.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace braid;
using braid::test::Random;

namespace {

// x rounded to `digits` significant bits with the smallest exponent of the format; past `largest`
// infinity.
double roundedTo(double x, int digits, int least_exponent, double largest) {
  if (x == 0 || std::isinf(x))
    return x;
  const int exponent = std::max(std::ilogb(x), least_exponent);
  const double unit = std::ldexp(1.0, exponent - digits + 1);
  const double result = std::nearbyint(x / unit) * unit; // x / unit < 2^53, exact
  return std::fabs(result) > largest ? std::copysign(std::numeric_limits<double>::infinity(), x)
                                     : result;
}

const double kLargestBf16 = std::ldexp(255, 120);
const double kLargestF16 = 65504;

void expectRounding(u32 bits) {
  const f32 x = floatOf(bits);
  const bf16 brain = roundTo<bf16>(x);
  const f16 half = roundTo<f16>(x);
  if (std::isnan(x)) {
    EXPECT_TRUE(std::isnan(toFloat(brain))) << std::hex << bits;
    EXPECT_TRUE(std::isnan(toFloat(half))) << std::hex << bits;
    return;
  }
  const f32 expected_brain = static_cast<f32>(roundedTo(x, 8, -126, kLargestBf16));
  const f32 expected_half = static_cast<f32>(roundedTo(x, 11, -14, kLargestF16));
  EXPECT_EQ(bitsOf(toFloat(brain)), bitsOf(std::copysign(expected_brain, x))) << std::hex << bits;
  EXPECT_EQ(bitsOf(toFloat(half)), bitsOf(std::copysign(expected_half, x))) << std::hex << bits;
}

// S-ROUND-1.
TEST(Convert, RoundsEveryUpperHalfWithTellingLowerHalves) {
  for (u32 high = 0; high < 0x10000; ++high)
    for (u32 low :
         {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu, 0x1000u, 0x3000u, 0x0fffu})
      expectRounding(high << 16 | low);
}

TEST(Convert, RoundsRandomPatterns) {
  Random random(1);
  for (int i = 0; i < 200000; ++i)
    expectRounding(random.bits());
}

// S-ROUND-1.
TEST(Convert, KeepsNanANan) {
  for (u32 bits : {0x7fffffffu, 0xffffffffu, 0x7f800001u, 0xff800001u, 0x7fc00000u})
    expectRounding(bits);
}

// S-LOAD-1.
TEST(Convert, WideningIsExact) {
  for (u32 bits = 0; bits < 0x10000; ++bits) {
    const f16 half{static_cast<u16>(bits)};
    const u32 exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const f32 magnitude = exponent == 0 ? std::ldexp(static_cast<f32>(mantissa), -24)
                                        : std::ldexp(static_cast<f32>(1024 + mantissa),
                                                     static_cast<int>(exponent) - 25);
    if (exponent == 31 && mantissa != 0)
      EXPECT_TRUE(std::isnan(toFloat(half)));
    else if (exponent == 31)
      EXPECT_EQ(bitsOf(toFloat(half)), kInfinityBits | (bits & 0x8000) << 16);
    else
      EXPECT_EQ(bitsOf(toFloat(half)), bitsOf(magnitude) | (bits & 0x8000) << 16) << bits;
    EXPECT_EQ(bitsOf(toFloat(bf16{static_cast<u16>(bits)})), bits << 16);
  }
}

TEST(Convert, ShortNansSurviveRoundingWithoutATest) {
  // What rope relies on: NaN patterns whose low half is below 0x8000.
  for (u32 high : {0x7f80u, 0x7fbfu, 0x7fffu, 0xff80u, 0xffbfu, 0xffffu})
    for (u32 low : {0x0001u, 0x0000u, 0x7fffu}) {
      const u32 bits = (high | 0x40u) << 16 | low;
      EXPECT_TRUE(std::isnan(floatOf(packBf16ShortNan(floatOf(bits), floatOf(bits)) << 16)))
          << std::hex << bits;
    }
}

TEST(Convert, ScalarsLoadAndStore) {
  const i32 narrow = -1;
  EXPECT_EQ(loadScalar(&narrow), i64(-1));
  const bf16 brain{0x3fc0};
  EXPECT_EQ(loadScalar(&brain), 1.5f);
  e8m0 exponent{};
  storeScalar(&exponent, 0x1p-8f);
  EXPECT_EQ(exponent.bits, 119);
  bf16 target{};
  storeScalarIf(false, &target, 1.5f);
  EXPECT_EQ(target.bits, 0);
  storeScalarIf(true, &target, 1.5f);
  EXPECT_EQ(target.bits, 0x3fc0);
}

} // namespace
