// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and norms over lanes: every row map gives the bits of the balanced tree.
#include "braid/reduce.h"
#include "LaneHarness.h"
#include "braid/layer_norm.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace braid;
using test::runLanes;
using test::treeSum;

namespace {

std::vector<f32> randomRow(u32 count, u64 seed, bool special) {
  test::Random random(seed);
  std::vector<f32> row(count);
  for (f32 &x : row)
    x = random.number(special);
  return row;
}

template <class Rows>
void expectReductions() {
  for (u64 seed = 0; seed < 20; ++seed) {
    const std::vector<f32> row = randomRow(Rows::kElements, seed, seed >= 10);
    const f32 sum = treeSum(row);
    u32 largest = 0;
    for (f32 x : row)
      largest = larger(largest, bitsOf(x) & ~kSignBit);
    runLanes(Rows::kLanes, [&](u32 lane) {
      const Frag<f32, Rows::kPerLane> x = loadRow<Rows>(row.data(), lane);
      EXPECT_TRUE(test::sameNumber(reduceSum<Rows>(x), sum));
      EXPECT_EQ(amaxBits<Rows>(x), largest);
      EXPECT_EQ(amaxBits<Rows>(roundTo<bf16>(x)) & 0xffff, 0u);
    });
  }
}

// S-SUM-3, S-AMAX-1.
TEST(Reduce, DoesNotDependOnTheRowMap) {
  expectReductions<RowMap<128, 0>>();
  expectReductions<RowMap<128, 0x58>>();
  expectReductions<RowMap<128, 0x78>>();
  expectReductions<RowMap<128, 0x18>>();
  expectReductions<RowMap<128, 0x7e>>();
  expectReductions<RowMap<128, 0x2b>>();
  expectReductions<RowMap<64, 0x3f>>();
}

// S-SUM-1.
TEST(Reduce, AbsentElementsCountAsZero) {
  expectReductions<RowMap<1, 0>>();
  expectReductions<RowMap<3, 0>>();
  expectReductions<RowMap<3, 0x3>>();
  expectReductions<RowMap<65, 0x0f>>();
  expectReductions<RowMap<65, 0x3f>>();
  expectReductions<RowMap<65, 0x2b>>();
  expectReductions<RowMap<100, 0x1b>>();
  expectReductions<RowMap<576, 0x1f8>>();
  expectReductions<RowMap<576, 0x0f8>>();
  expectReductions<RowMap<576, 0x3f0>>();
  // A row of -0 alone: the absent elements are added, so the sum is +0.
  const std::vector<f32> row(3, -0.0f);
  runLanes(2, [&](u32 lane) {
    using Rows = RowMap<3, 0x2>;
    EXPECT_EQ(bitsOf(reduceSum<Rows>(loadRow<Rows>(row.data(), lane))), 0u);
  });
}

TEST(Reduce, RowsOverSeveralWaves) {
  expectReductions<RowMap<1024, 0x3fc, Workgroup<32, 256, 8>>>();
  expectReductions<RowMap<1024, 0x1f8, Workgroup<32, 64, 1>>>();
  expectReductions<RowMap<1024, 0x2cf, Workgroup<32, 128, 2>>>();
  expectReductions<RowMap<1536, 0x1ff, Workgroup<64, 512, 8>>>();
  expectReductions<RowMap<2880, 0x7f0, Workgroup<64, 128, 8>>>();
  expectReductions<RowMap<2880, 0x0ff, Workgroup<64, 256, 8>>>();
  expectReductions<RowMap<7168, 0x7f8, Workgroup<64, 256, 8>>>();
  expectReductions<RowMap<7168, 0x3fc, Workgroup<32, 256, 8>>>();
}

TEST(Reduce, AmaxOfPackedHalves) {
  using Rows = RowMap<64, 0x38>;
  for (u64 seed = 0; seed < 20; ++seed) {
    const std::vector<f32> row = randomRow(64, seed, seed >= 10);
    std::vector<bf16> brains;
    std::vector<f16> halves;
    u32 brain = 0, half = 0;
    for (f32 x : row) {
      brains.push_back(roundTo<bf16>(x));
      halves.push_back(roundTo<f16>(x));
      brain = larger(brain, bitsOf(toFloat(brains.back())) & ~kSignBit);
      half = larger(half, bitsOf(toFloat(halves.back())) & ~kSignBit);
    }
    runLanes(Rows::kLanes, [&](u32 lane) {
      EXPECT_EQ(amaxBits<Rows>(loadRow<Rows>(brains.data(), lane)), brain);
      EXPECT_EQ(amaxBits<Rows>(loadRow<Rows>(halves.data(), lane)), half);
      EXPECT_LE(reduceAmax<Rows>(loadRow<Rows>(brains.data(), lane)), 3.4028235e38f);
    });
  }
}

template <class Rows>
void expectLayerNorm(f32 eps) {
  constexpr u32 kCount = Rows::kElements;
  const std::vector<f32> row = randomRow(kCount, 5, false), gamma = randomRow(kCount, 6, false),
                         beta = randomRow(kCount, 7, false);
  const f32 mean = treeSum(row) / kCount;
  std::vector<f32> squares;
  for (f32 x : row)
    squares.push_back((x - mean) * (x - mean));
  const f32 rstd = 1.0f / std::sqrt(treeSum(squares) / kCount + eps);
  runLanes(Rows::kLanes, [&](u32 lane) {
    const auto y =
        layerNorm<Rows>(loadRow<Rows>(row.data(), lane), loadRow<Rows>(gamma.data(), lane),
                        loadRow<Rows>(beta.data(), lane), eps);
    for (u32 r = 0; r < Rows::kPerLane; ++r) {
      const u32 e = Rows::laneBase(lane) + Rows::registerBase(r);
      EXPECT_EQ(bitsOf(y.values[r]), bitsOf(std::fma((row[e] - mean) * rstd, gamma[e], beta[e])));
    }
  });
}

// S-NORM-1, S-NORM-2.
TEST(LayerNorm, EqualsTheDefinition) {
  expectLayerNorm<RowMap<128, 0x78>>(1e-6f);
  expectLayerNorm<RowMap<128, 0x58>>(1e-5f);
  expectLayerNorm<RowMap<128, 0>>(1e-6f);
}

TEST(LayerNorm, EpsMatters) {
  // A row of alternating +-2^-10.
  using Rows = RowMap<128, 0x78>;
  for (auto [eps, bits] : {std::pair{1e-6f, 0x3f33u}, {1e-5f, 0x3e97u}})
    runLanes(Rows::kLanes, [&, eps = eps, bits = bits](u32) {
      Frag<f32, 8> x, one, zero;
      for (u32 r = 0; r < 8; ++r) {
        x.values[r] = r % 2 ? -0x1p-10f : 0x1p-10f;
        one.values[r] = 1;
        zero.values[r] = 0;
      }
      EXPECT_EQ(roundTo<bf16>(layerNorm<Rows>(x, one, zero, eps)).words[0] & 0xffff, bits);
    });
}

} // namespace
