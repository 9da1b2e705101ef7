// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp over a dense sample of all f32 against double, and where its value is known; sigmoid and silu
// from it.
#include "LaneHarness.h"
#include "braid/activation.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace braid;

namespace {

constexpr f32 kInf = std::numeric_limits<f32>::infinity();
const f32 kNan = floatOf(kNanBits);

// The distance of `found` from the true value, in units in the last place of f32 there.
double error(f32 found, double expected) {
  constexpr int kLeastExponent = -149;
  int exponent = kLeastExponent;
  if (expected >= 0x1p-126) {
    std::frexp(expected, &exponent);
    exponent -= 24;
  }
  if (std::isinf(found)) // the next number past the largest
    return std::fabs(0x1p128 - expected) / std::ldexp(1.0, exponent);
  return std::fabs(static_cast<double>(found) - expected) / std::ldexp(1.0, exponent);
}

// Every 61st bit pattern: a walk of all of them gave 0.8912 at most.
// S-EXP-1.
TEST(Exp, IsWithinOneUnitInTheLastPlace) {
  double worst = 0;
  for (u64 bits = 0; bits < u64(1) << 32; bits += 61) {
    const f32 x = floatOf(static_cast<u32>(bits));
    const f32 y = expOf(x);
    if (x != x) {
      ASSERT_TRUE(y != y) << bits;
      continue;
    }
    const double expected = std::exp(static_cast<double>(x));
    if (expected >= 0x1.ffffffp127) // rounds to infinity
      ASSERT_EQ(y, kInf) << x;
    else
      worst = std::max(worst, error(y, expected));
  }
  EXPECT_LT(worst, 0.90);
}

// S-EXP-1.
TEST(Exp, KnownValues) {
  EXPECT_EQ(expOf(0.0f), 1.0f);
  EXPECT_EQ(expOf(-0.0f), 1.0f);
  EXPECT_EQ(expOf(1e-42f), 1.0f);
  EXPECT_EQ(expOf(-1e-42f), 1.0f);
  EXPECT_EQ(expOf(kInf), kInf);
  EXPECT_EQ(bitsOf(expOf(-kInf)), 0u);
  EXPECT_EQ(expOf(3e38f), kInf);
  EXPECT_EQ(bitsOf(expOf(-3e38f)), 0u);
  EXPECT_EQ(expOf(88.72284f), kInf); // first past the largest number
  EXPECT_EQ(expOf(88.72283f), static_cast<f32>(std::exp(88.7228317260742))); // last below
  EXPECT_EQ(expOf(-103.9f), 0x1p-149f);
  EXPECT_EQ(bitsOf(expOf(-104.0f)), 0u);
  EXPECT_TRUE(std::isnan(expOf(kNan)));
  EXPECT_TRUE(std::isnan(expOf(floatOf(0xff800001u))));
}

// S-EXP-2.
TEST(Exp, SigmoidAndSilu) {
  for (u64 bits = 0; bits < u64(1) << 32; bits += 100003) {
    const f32 x = floatOf(static_cast<u32>(bits));
    EXPECT_TRUE(test::sameNumber(sigmoidOf(x), 1.0f / (1.0f + expOf(-x))));
    EXPECT_TRUE(test::sameNumber(siluOf(x), x / (1.0f + expOf(-x))));
  }
  EXPECT_EQ(sigmoidOf(0.0f), 0.5f);
  EXPECT_EQ(sigmoidOf(kInf), 1.0f);
  EXPECT_EQ(bitsOf(sigmoidOf(-kInf)), 0u);
  EXPECT_EQ(siluOf(kInf), kInf);
  EXPECT_TRUE(std::isnan(siluOf(-kInf))); // -inf / inf
  EXPECT_EQ(bitsOf(siluOf(-0.0f)), kSignBit);
  EXPECT_EQ(bitsOf(siluOf(-1000.0f)), kSignBit);
}

TEST(Exp, Fragments) {
  const Frag<bf16, 4> x = {{0xbf803f80, 0x00004000}}; // 1 -1 2 0
  const f32 expected[] = {1, -1, 2, 0};
  for (u32 i = 0; i < 4; ++i) {
    EXPECT_EQ(expOf(x).values[i], expOf(expected[i]));
    EXPECT_EQ(sigmoidOf(x).values[i], sigmoidOf(expected[i]));
    EXPECT_EQ(siluOf(x).values[i], siluOf(expected[i]));
  }
}

} // namespace
