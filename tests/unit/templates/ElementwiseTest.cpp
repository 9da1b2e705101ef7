// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops: operands mix fragments of any type and scalars; max and min order zeros and skip
// NaN.
#include "braid/elementwise.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace braid;

namespace {

const f32 kNan = floatOf(kNanBits);

TEST(Elementwise, OperatorsMixFragmentsAndScalars) {
  const Frag<f32, 4> a = {{1, 2, 3, 4}};
  const Frag<bf16, 4> b = {{0x40003f80, 0x40804040}}; // 1 2 3 4
  for (u32 i = 0; i < 4; ++i) {
    const f32 x = static_cast<f32>(i + 1);
    EXPECT_EQ((a + b).values[i], x + x);
    EXPECT_EQ((a - 0.5f).values[i], x - 0.5f);
    EXPECT_EQ((0.5f - b).values[i], 0.5f - x);
    EXPECT_EQ((a * b).values[i], x * x);
    EXPECT_EQ((b / 3.0f).values[i], x / 3.0f);
    EXPECT_EQ((3.0f / b).values[i], 3.0f / x);
    EXPECT_EQ((-b).values[i], -x);
    EXPECT_EQ(absOf(-b).values[i], x);
    EXPECT_EQ(fmaOf(a, b, 0.1f).values[i], std::fma(x, x, 0.1f));
    EXPECT_EQ(fmaOf(2.0f, 3.0f, b).values[i], 6 + x);
    EXPECT_EQ(maxOf(a, 2.5f).values[i], std::fmax(x, 2.5f));
    EXPECT_EQ(minOf(b, 2.5f).values[i], std::fmin(x, 2.5f));
  }
}

// S-ELEM-2.
TEST(Elementwise, MaxAndMinOrderZerosAndSkipNan) {
  EXPECT_EQ(bitsOf(maxOf(-0.0f, 0.0f)), 0u);
  EXPECT_EQ(bitsOf(maxOf(0.0f, -0.0f)), 0u);
  EXPECT_EQ(bitsOf(minOf(-0.0f, 0.0f)), kSignBit);
  EXPECT_EQ(bitsOf(minOf(0.0f, -0.0f)), kSignBit);
  EXPECT_EQ(bitsOf(maxOf(-0.0f, -0.0f)), kSignBit);
  EXPECT_EQ(maxOf(kNan, 1.0f), 1.0f);
  EXPECT_EQ(maxOf(1.0f, kNan), 1.0f);
  EXPECT_EQ(minOf(kNan, -1.0f), -1.0f);
  EXPECT_EQ(minOf(-1.0f, kNan), -1.0f);
  EXPECT_TRUE(std::isnan(maxOf(kNan, kNan)));
  EXPECT_EQ(bitsOf(absOf(-0.0f)), 0u);
}

} // namespace
