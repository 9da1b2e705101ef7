// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats against published codes, and the encoders against a second formula on every code,
// every midpoint and their neighbours.

#include "codegen/reference/FloatFormat.h"

#include "tests/data/FormatTables.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace braid;
using namespace braid::reference;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

constexpr DType kNarrow[] = {DType::F8E4M3FN, DType::F8E4M3FNUZ, DType::F8E5M2, DType::F8E5M2FNUZ,
                             DType::F4E2M1};

/// Rounds by the spacing of the format at the value, with the processor's own nearest-even
/// rounding to an integer: another method than comparing with midpoints.
double roundBySpacing(const FloatFormat &format, double value) {
  if (value == 0)
    return value;
  const int exponent = std::max(std::ilogb(value), 1 - format.bias);
  const double spacing = std::ldexp(1.0, exponent - static_cast<int>(format.fractionBits));
  return std::nearbyint(value / spacing) * spacing;
}

/// The neighbours of a value in f32 and the value itself.
std::vector<float> around(double value) {
  const auto nearest = static_cast<float>(value);
  return {std::nextafter(nearest, -kInfinity), nearest, std::nextafter(nearest, kInfinity)};
}

} // namespace

// Acceptance case 1: input, code in e4m3fn, code in e4m3fnuz.
TEST(FloatFormat, EncodesThePublishedCodes) {
  struct Row {
    float value;
    uint32_t fn, fnuz;
  };
  const Row rows[] = {{0, 0x00, 0x00},   {0.3f, 0x2A, 0x32}, {1, 0x38, 0x40},
                      {-1, 0xB8, 0xC0},  {17, 0x58, 0x60},   {18, 0x59, 0x61},
                      {240, 0x77, 0x7F}, {448, 0x7E, 0x7F},  {500, 0x7E, 0x7F}};
  for (const Row &row : rows) {
    EXPECT_EQ(encode(DType::F8E4M3FN, row.value), row.fn) << row.value;
    EXPECT_EQ(encode(DType::F8E4M3FNUZ, row.value), row.fnuz) << row.value;
  }
  EXPECT_TRUE(isNanCode(DType::F8E4M3FN, encode(DType::F8E4M3FN, kNan)));
  EXPECT_EQ(encode(DType::F8E4M3FNUZ, kNan), 0x80u);
}

TEST(FloatFormat, InfinityIsNanInFp8AndStaysInStorageTypes) {
  for (DType dtype : kNarrow)
    if (dtype != DType::F4E2M1) {
      EXPECT_TRUE(isNanCode(dtype, encode(dtype, kInfinity))) << dtypeName(dtype);
      EXPECT_TRUE(isNanCode(dtype, encode(dtype, -kInfinity))) << dtypeName(dtype);
    }
  EXPECT_EQ(encode(DType::F4E2M1, -kInfinity), 0xFu);
  EXPECT_EQ(encode(DType::F16, -kInfinity), 0xFC00u);
  EXPECT_EQ(encode(DType::BF16, kInfinity), 0x7F80u);
  EXPECT_EQ(encode(DType::F16, 65519.99f), 0x7BFFu);
  EXPECT_EQ(encode(DType::F16, 65520.0f), 0x7C00u);
  EXPECT_EQ(encode(DType::BF16, std::numeric_limits<float>::max()), 0x7F80u);
}

// S-FP8-1.
TEST(FloatFormat, OnlyFnuzHasNoMinusZero) {
  EXPECT_EQ(encode(DType::F8E4M3FN, -0.0f), 0x80u);
  EXPECT_EQ(encode(DType::F8E5M2, -1e-30f), 0x80u);
  EXPECT_EQ(encode(DType::F8E4M3FNUZ, -0.0f), 0x00u);
  EXPECT_EQ(encode(DType::F8E4M3FNUZ, -1e-30f), 0x00u);
  EXPECT_EQ(encode(DType::F8E5M2FNUZ, -0x1p-18f), 0x00u) << "a tie between -0 and the least code";
}

// Acceptance case 2.
// S-FP8-1.
TEST(FloatFormat, DecodesAll256Codes) {
  for (uint32_t code = 0; code < 256; ++code) {
    EXPECT_EQ(isNanCode(DType::F8E4M3FN, code), code == 0x7F || code == 0xFF) << code;
    EXPECT_EQ(isNanCode(DType::F8E4M3FNUZ, code), code == 0x80) << code;
    if (code == 0x7F || code == 0x80 || code == 0xFF)
      continue;
    EXPECT_EQ(decode(DType::F8E4M3FNUZ, code) * 2, decode(DType::F8E4M3FN, code)) << code;
  }
  EXPECT_EQ(decode(DType::F8E4M3FN, 0x7E), 448);
  EXPECT_TRUE(std::signbit(decode(DType::F8E4M3FN, 0x80)));
  EXPECT_EQ(decode(DType::F8E4M3FN, 0x38), 1.0);
  EXPECT_EQ(decode(DType::F8E4M3FNUZ, 0x7F), 240);
  EXPECT_EQ(decode(DType::F8E4M3FNUZ, 0xFF), -240);
}

TEST(FloatFormat, KnowsTheLargestFiniteValues) {
  EXPECT_EQ(largestFinite(DType::F8E4M3FN), 448);
  EXPECT_EQ(largestFinite(DType::F8E4M3FNUZ), 240);
  EXPECT_EQ(largestFinite(DType::F8E5M2), 57344);
  EXPECT_EQ(largestFinite(DType::F8E5M2FNUZ), 57344);
  EXPECT_EQ(largestFinite(DType::F4E2M1), 6);
  EXPECT_EQ(largestFinite(DType::F16), 65504);
  EXPECT_EQ(largestFinite(DType::BF16), static_cast<double>(std::bit_cast<float>(0x7F7F0000u)));
  EXPECT_EQ(largestFinite(DType::F32), std::numeric_limits<float>::max());
}

TEST(FloatFormat, EncodesEveryFiniteCodeToItself) {
  for (DType dtype : {DType::BF16, DType::F16, DType::F8E4M3FN, DType::F8E4M3FNUZ, DType::F8E5M2,
                      DType::F8E5M2FNUZ, DType::F4E2M1})
    for (uint32_t code = 0; code < 1u << dtypeBits(dtype); ++code) {
      const double value = decode(dtype, code);
      if (std::isfinite(value))
        ASSERT_EQ(encode(dtype, static_cast<float>(value)), code) << dtypeName(dtype);
    }
}

// S-FP8-2.
TEST(FloatFormat, RoundsEveryMidpointAndItsNeighboursAsSpacingDoes) {
  for (DType dtype : kNarrow) {
    const FloatFormat &format = *floatFormat(dtype);
    const double largest = largestFinite(dtype);
    for (uint32_t code = 0; decode(dtype, code) < largest; ++code) {
      const double middle = (decode(dtype, code) + decode(dtype, code + 1)) / 2;
      for (float value : around(middle))
        for (float x : {value, -value})
          ASSERT_EQ(decode(dtype, encode(dtype, x)), roundBySpacing(format, x))
              << dtypeName(dtype) << " " << x;
    }
  }
}

TEST(FloatFormat, RoundsBf16AsTheIntegerFormulaDoes) {
  // Every pattern of the upper half with lower halves around the tie, NaN aside.
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (uint32_t lower : {0x0000u, 0x0001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
      const uint32_t bits = upper << 16 | lower;
      const auto value = std::bit_cast<float>(bits);
      if (std::isnan(value))
        ASSERT_TRUE(isNanCode(DType::BF16, encode(DType::BF16, value))) << bits;
      else
        ASSERT_EQ(encode(DType::BF16, value), (bits + 0x7FFF + (bits >> 16 & 1)) >> 16) << bits;
    }
}

TEST(FloatFormat, RoundsF16AsTheCompilerDoes) {
  for (uint32_t code = 0; code < 0x7C00; ++code) {
    const double middle =
        code == 0x7BFF ? 65520.0 : (decode(DType::F16, code) + decode(DType::F16, code + 1)) / 2;
    for (float x : around(middle))
      ASSERT_EQ(encode(DType::F16, x), std::bit_cast<uint16_t>(static_cast<_Float16>(x))) << x;
  }
}

TEST(FloatFormat, SaturatesAtASmallerMaximum) {
  EXPECT_EQ(encodeUpTo(DType::F8E4M3FNUZ, 236, 240), 0x7Fu);
  EXPECT_EQ(encodeUpTo(DType::F8E4M3FNUZ, 236, 224), 0x7Eu);
  EXPECT_EQ(encodeUpTo(DType::F8E4M3FNUZ, -1e30f, 224), 0xFEu);
  EXPECT_EQ(encodeUpTo(DType::F8E4M3FNUZ, kNan, 224), 0x80u) << "clamping must keep NaN";
  EXPECT_EQ(encodeUpTo(DType::F8E4M3FNUZ, 236.0f / 2, 224), 0x77u) << "acceptance case 6";
}

TEST(FloatFormat, DecodesE8m0) {
  EXPECT_EQ(decode(DType::E8M0, 127), 1.0);
  EXPECT_EQ(decode(DType::E8M0, 0), 0x1p-127);
  EXPECT_TRUE(isNanCode(DType::E8M0, 0xFF));
}

TEST(FloatFormat, IsThatOfMlDtypes) {
  for (const test::FormatTable &table : test::kFormatTables) {
    SCOPED_TRACE(dtypeName(table.dtype));
    for (uint32_t code = 0; code < table.codes.size(); ++code) {
      const auto value = static_cast<float>(decode(table.dtype, code));
      ASSERT_EQ(std::isnan(value), table.isNan(code)) << code;
      if (!table.isNan(code))
        ASSERT_EQ(std::bit_cast<uint32_t>(value), table.codes[code]) << code;
    }
    for (float x : test::allBf16())
      ASSERT_TRUE(table.isCodeOf(encode(table.dtype, x), x)) << x;
    for (float x : table.edges())
      ASSERT_TRUE(table.isCodeOf(encode(table.dtype, x), x)) << x;
  }
}
