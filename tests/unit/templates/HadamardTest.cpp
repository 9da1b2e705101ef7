// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hadamard over lanes: every row map gives the bits of the butterflies from stride 1 upward.
#include "braid/hadamard.h"
#include "LaneHarness.h"

#include <gtest/gtest.h>

using namespace braid;

namespace {

std::vector<f32> butterflies(std::vector<f32> x, f32 scale) {
  for (size_t stride = 1; stride < x.size(); stride *= 2)
    for (size_t i = 0; i < x.size(); ++i)
      if ((i & stride) == 0) {
        const f32 a = x[i], b = x[i + stride];
        x[i] = a + b;
        x[i + stride] = a - b;
      }
  for (f32 &value : x)
    value *= scale;
  return x;
}

template <class Rows, class T = f32>
void expectHadamard() {
  for (u64 seed = 0; seed < 6; ++seed) {
    test::Random random(seed);
    std::vector<T> row(Rows::kElements);
    std::vector<f32> numbers;
    for (T &x : row) {
      x = roundTo<T>(random.number(seed >= 4));
      numbers.push_back(toFloat(x));
    }
    const std::vector<f32> expected = butterflies(numbers, 0.0883883461f);
    test::runLanes(Rows::kLanes, [&](u32 lane) {
      const auto y = hadamard<Rows>(loadRow<Rows>(row.data(), lane), 0.0883883461f, lane);
      for (u32 r = 0; r < Rows::kPerLane; ++r)
        ASSERT_TRUE(
            test::sameNumber(y.values[r], expected[Rows::laneBase(lane) + Rows::registerBase(r)]));
    });
  }
}

// S-HAD-1.
TEST(Hadamard, DoesNotDependOnTheRowMap) {
  expectHadamard<RowMap<128, 0>>();
  expectHadamard<RowMap<128, 0x58>>();
  expectHadamard<RowMap<128, 0x78>>();
  expectHadamard<RowMap<128, 0x2b>>();
  expectHadamard<RowMap<64, 0x3f>>();
  expectHadamard<RowMap<2, 1>>();
  expectHadamard<RowMap<2, 0>>();
  expectHadamard<RowMap<1024, 0x1f8>>();
}

TEST(Hadamard, Types) {
  expectHadamard<RowMap<128, 0x78>, bf16>();
  expectHadamard<RowMap<128, 0x58>, f16>();
}

// The matrix times itself is n times the identity; sums of small integers are exact.
TEST(Hadamard, IsItsOwnInverse) {
  using Rows = RowMap<64, 0x2c>;
  std::vector<f32> row;
  for (u32 i = 0; i < 64; ++i)
    row.push_back(static_cast<f32>(i * i % 31));
  test::runLanes(Rows::kLanes, [&](u32 lane) {
    const auto x = loadRow<Rows>(row.data(), lane);
    const auto back = hadamard<Rows>(hadamard<Rows>(x, 1.0f, lane), 1.0f / 64, lane);
    for (u32 r = 0; r < Rows::kPerLane; ++r)
      EXPECT_EQ(back.values[r], x.values[r]);
  });
}

} // namespace
