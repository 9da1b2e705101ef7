// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scale rule at the edges of binades, the order of the sum, and the scalars' special cases.

#include "codegen/reference/Numerics.h"

#include "codegen/reference/FloatFormat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

using namespace braid;
using namespace braid::reference;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();

/// The declared order level by level, on arrays: neighbours first.
float sumByLevels(std::vector<float> row) {
  row.resize(std::bit_ceil(row.size()), 0.0f);
  for (; row.size() > 1; row.resize(row.size() / 2))
    for (size_t i = 0; i < row.size() / 2; ++i)
      row[i] = row[2 * i] + row[2 * i + 1];
  return row[0];
}

/// Values whose sum depends on the order.
std::vector<float> roughRow(size_t count) {
  std::vector<float> row(count);
  uint32_t state = 12345;
  for (float &x : row) {
    state = state * 1664525 + 1013904223;
    x = std::ldexp(static_cast<float>(static_cast<int32_t>(state)),
                   -31 + static_cast<int>(state >> 28));
  }
  return row;
}

} // namespace

// Acceptance case 3.
TEST(Numerics, ScaleStepsAtBinadeEdges) {
  for (float max : {448.0f, 240.0f})
    for (int k = -12; k <= 8; ++k) {
      const float amax = std::ldexp(max, k), scale = std::ldexp(1.0f, k);
      EXPECT_EQ(ue8m0Scale(amax, max), scale);
      EXPECT_EQ(ue8m0Scale(std::nextafter(amax, kInfinity), max), 2 * scale);
      EXPECT_EQ(ue8m0Scale(std::nextafter(amax, 0.0f), max), scale);
    }
  EXPECT_EQ(ue8m0Scale(450, 448), 2);
  EXPECT_EQ(ue8m0Scale(241, 240), 2);
}

// Acceptance cases 4, 5 and 8.
TEST(Numerics, ScalesOfTheFloors) {
  EXPECT_EQ(ue8m0Scale(1e-10f, 448), 0x1p-42f);
  EXPECT_EQ(ue8m0Scale(1e-10f, 240), 0x1p-41f);
  EXPECT_EQ(ue8m0Scale(1e-4f, 448), 0x1p-22f);
  EXPECT_EQ(ue8m0Scale(1e-4f, 240), 0x1p-21f);
  EXPECT_EQ(ue8m0Scale(3, 448), 0x1p-7f);
  EXPECT_EQ(ue8m0Scale(3, 240), 0x1p-6f);
  EXPECT_EQ(ue8m0Scale(0.5f, 448), 0x1p-9f);
  EXPECT_EQ(ue8m0Scale(0.5f, 240), 0x1p-8f);
}

TEST(Numerics, ScaleHoldsForEveryFractionNearAnEdge) {
  for (float max : {448.0f, 240.0f, 224.0f, 57344.0f, 6.0f})
    for (uint32_t bits = 0x3F000000; bits < 0x42000000; bits += 0x4321) {
      const auto amax = std::bit_cast<float>(bits);
      const float scale = ue8m0Scale(amax, max);
      EXPECT_EQ(std::bit_cast<uint32_t>(scale) & 0x007FFFFF, 0u);
      EXPECT_GE(static_cast<double>(scale) * max, amax);
      EXPECT_LT(static_cast<double>(scale) / 2 * max, amax);
    }
}

TEST(Numerics, ScaleOfNonfiniteRowsIsFinite) {
  EXPECT_EQ(rowAmax(std::vector<float>{1, kNan, -3}), kLargest);
  EXPECT_EQ(rowAmax(std::vector<float>{1, -kInfinity, 2}), kLargest);
  EXPECT_EQ(rowAmax(std::vector<float>{1, -3, 2}), 3);
  EXPECT_EQ(ue8m0Scale(kLargest, 448), 0x1p120f);
  EXPECT_EQ(ue8m0Scale(kLargest, 240), 0x1p121f);
}

// S-FP8-5.
TEST(Numerics, E8m0CodeIsTheBiasedExponent) {
  EXPECT_EQ(e8m0Code(1.0f), 127);
  EXPECT_EQ(e8m0Code(0x1p-42f), 85);
  EXPECT_EQ(decode(DType::E8M0, e8m0Code(0x1p-126f)), 0x1p-126);
}

// S-SUM-1.
TEST(Numerics, SumAddsNeighboursFirst) {
  // 2^24 + 1 rounds to 2^24, so each order has an answer of its own: by neighbours 1, by halves
  // (1 + 1) + (big - big) = 2, from left to right 0.
  const float big = 0x1p24f;
  EXPECT_EQ(treeSum(std::vector<float>{1, big, 1, -big}), 1);
  // Padded on the right: (big + 1) + (1 + 0). On the left it would be big + 2.
  EXPECT_EQ(treeSum(std::vector<float>{big, 1, 1}), big);
}

// S-SUM-1.
TEST(Numerics, SumPadsWithPlusZero) {
  EXPECT_FALSE(std::signbit(treeSum(std::vector<float>{-0.0f, -0.0f, -0.0f})));
  EXPECT_TRUE(std::signbit(treeSum(std::vector<float>{-0.0f, -0.0f, -0.0f, -0.0f})));
  EXPECT_TRUE(std::signbit(treeSum(std::vector<float>{-0.0f})));
  EXPECT_EQ(treeSum({}), 0);
}

TEST(Numerics, SumFollowsTheLevels) {
  for (size_t count : {1, 2, 3, 5, 64, 127, 128, 129, 576, 2047, 2048})
    EXPECT_EQ(treeSum(roughRow(count)), sumByLevels(roughRow(count))) << count;
  const std::vector<float> row = roughRow(128);
  float leftToRight = 0;
  for (float x : row)
    leftToRight += x;
  EXPECT_NE(treeSum(row), leftToRight) << "the rows of this test must tell orders apart";
}

// S-SUM-2.
TEST(Numerics, SumFoldsStripsOf2048First) {
  for (size_t count : {2049, 4096, 5000, 6144, 7168}) {
    const std::vector<float> row = roughRow(count);
    std::vector<float> partial(row.begin(), row.begin() + 2048);
    for (size_t strip = 1; strip * 2048 < count; ++strip)
      for (size_t i = 0; i < 2048; ++i)
        partial[i] += strip * 2048 + i < count ? row[strip * 2048 + i] : 0.0f;
    EXPECT_EQ(treeSum(row), sumByLevels(partial)) << count;
  }
}

// S-ARITH-1, S-ARITH-2.
TEST(Numerics, ScalarsRoundOnce) {
  const float x = 1 + 0x1p-12f;
  EXPECT_EQ(fma(x, x, -1.0f), 0x1p-11f + 0x1p-24f);
  EXPECT_NE(x * x - 1.0f, fma(x, x, -1.0f));
  EXPECT_EQ(reciprocalSqrt(4), 0.5f);
  EXPECT_EQ(reciprocalSqrt(0), kInfinity);
  EXPECT_EQ(reciprocalSqrt(3), 1.0f / std::sqrt(3.0f));
}

// S-ELEM-2.
TEST(Numerics, MaximumPrefersNumbersAndPlusZero) {
  EXPECT_EQ(maximum(kNan, 1), 1);
  EXPECT_EQ(minimum(1, kNan), 1);
  EXPECT_TRUE(std::isnan(maximum(kNan, kNan)));
  EXPECT_FALSE(std::signbit(maximum(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(maximum(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(minimum(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(minimum(-0.0f, 0.0f)));
  EXPECT_EQ(minimum(-kInfinity, 3), -kInfinity);
}

// Accuracy and edges are tested where exp is defined (templates/ExpTest.cpp); here: it is that one.
TEST(Numerics, Exp) {
  for (float x : {-103.5f, -20.25f, -1.0f, 1e-5f, 0.5f, 3.0f, 88.0f}) {
    const double expected = std::exp(static_cast<double>(x));
    const auto nearest = static_cast<float>(expected);
    const float found = braid::reference::exp(x);
    EXPECT_GE(found, std::nextafter(nearest, 0.0f)) << x;
    EXPECT_LE(found, std::nextafter(nearest, kInfinity)) << x;
  }
  EXPECT_EQ(braid::reference::exp(89.5f), kInfinity);
  EXPECT_TRUE(std::isnan(braid::reference::exp(kNan)));
}
