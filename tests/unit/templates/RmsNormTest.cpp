// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rms_norm and rms_rstd over lanes: every row map gives the bits of the definition.
#include "LaneHarness.h"
#include "braid/rms_norm.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace braid;

namespace {

template <class T>
std::vector<T> randomRow(u32 count, u64 seed, bool special) {
  test::Random random(seed);
  std::vector<T> row(count);
  for (T &x : row)
    x = roundTo<T>(random.number(special));
  return row;
}

template <class Rows, class T, class G>
void expectRmsNorm(f32 eps, u64 seed, bool special) {
  constexpr u32 kCount = Rows::kElements;
  const auto row = randomRow<T>(kCount, seed, special);
  const auto gamma = randomRow<G>(kCount, seed + 50, special);
  std::vector<f32> squares;
  for (const T &x : row)
    squares.push_back(toFloat(x) * toFloat(x));
  const f32 rstd = 1.0f / std::sqrt(test::treeSum(squares) / kCount + eps);
  test::runLanes(Rows::kLanes, [&](u32 lane) {
    const auto x = loadRow<Rows>(row.data(), lane);
    const auto g = loadRow<Rows>(gamma.data(), lane);
    EXPECT_TRUE(test::sameNumber(rmsRstd<Rows>(x, eps), rstd));
    const auto plain = rmsNorm<Rows, NormWeight::plain>(x, g, eps);
    const auto onePlus = rmsNorm<Rows, NormWeight::one_plus>(x, g, eps);
    for (u32 r = 0; r < Rows::kPerLane; ++r) {
      const u32 e = Rows::laneBase(lane) + Rows::registerBase(r);
      const f32 normed = toFloat(row[e]) * rstd, weight = toFloat(gamma[e]);
      EXPECT_TRUE(test::sameNumber(plain.values[r], normed * weight));
      EXPECT_TRUE(test::sameNumber(onePlus.values[r], normed * (1.0f + weight)));
    }
  });
}

TEST(RmsNorm, EqualsTheDefinition) {
  for (bool special : {false, true}) {
    expectRmsNorm<RowMap<128, 0x78>, bf16, f32>(1e-6f, 1, special);
    expectRmsNorm<RowMap<128, 0x58>, f32, bf16>(1e-5f, 2, special);
    expectRmsNorm<RowMap<128, 0>, f16, f16>(0.0f, 3, special);
    expectRmsNorm<RowMap<64, 0x3f>, f32, f32>(1e-6f, 4, special);
    expectRmsNorm<RowMap<1024, 0x1f8>, bf16, bf16>(1e-6f, 5, special);
  }
}

} // namespace
