// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quantize in groups on several lanes, for several maps of the row and of the scales: each group as
// a row of its own gives the codes and the scale.
#include "LaneHarness.h"
#include "braid/quantize_groups.h"

#include <gtest/gtest.h>

using namespace braid;
using braid::test::runLanes;

namespace {

template <class Rows, class ScaleRows, u32 kGroup>
void expectGroups() {
  constexpr u32 kScales = Rows::kElements / kGroup;
  test::Random random(kGroup + Rows::kLaneMask);
  std::vector<f32> row;
  for (u32 i = 0; i < Rows::kElements; ++i)
    row.push_back(random.number(i / kGroup % 5 == 3));
  // One lane holds a whole group here.
  using Alone = RowMap<kGroup, 0>;
  std::vector<f8e4m3fn> codes(Rows::kElements), given(Rows::kElements);
  std::vector<f32> scales(kScales);
  for (u32 g = 0; g < kScales; ++g) {
    const auto group =
        quantizeDivide<Alone, f8e4m3fn>(loadRow<Alone>(&row[g * kGroup], 0), 1e-10f, 448);
    storeRow<Alone>(&codes[g * kGroup], group.codes, 0);
    scales[g] = group.scale;
  }
  std::vector<f8e4m3fn> found(Rows::kElements), again(Rows::kElements);
  std::vector<f32> foundScales(kScales);
  runLanes(Rows::kLanes, [&](u32 lane) {
    const u32 scaleLane = lane % ScaleRows::kLanes;
    const auto x = loadRow<Rows>(row.data(), lane);
    const auto q = quantizeGroupsDivide<Rows, kGroup, f8e4m3fn>(x, 1e-10f, 448);
    storeRow<Rows>(found.data(), q.codes, lane);
    const auto s = scaleRow<Rows, ScaleRows, kGroup>(q.scale, scaleLane);
    if (lane < ScaleRows::kLanes)
      storeRow<ScaleRows>(foundScales.data(), s, lane);
    // From the row of scales to the lanes and back to the same codes.
    const auto own =
        groupScales<Rows, ScaleRows, kGroup>(loadRow<ScaleRows>(scales.data(), scaleLane), lane);
    storeRow<Rows>(again.data(), quantizeGroupsGiven<Rows, kGroup, f8e4m3fn>(x, own, 448).codes,
                   lane);
  });
  for (u32 g = 0; g < kScales; ++g)
    EXPECT_EQ(bitsOf(foundScales[g]), bitsOf(scales[g])) << g;
  for (u32 i = 0; i < Rows::kElements; ++i) {
    EXPECT_EQ(found[i].bits, codes[i].bits) << i;
    EXPECT_EQ(again[i].bits, codes[i].bits) << i;
  }
}

TEST(QuantizeGroups, OnAnyLanes) {
  expectGroups<RowMap<32, 0>, RowMap<1, 0>, 32>();
  expectGroups<RowMap<64, 0x38>, RowMap<2, 0>, 32>();
  expectGroups<RowMap<128, 0x58>, RowMap<4, 0>, 32>();
  expectGroups<RowMap<128, 0x78>, RowMap<1, 0>, 128>();
  expectGroups<RowMap<512, 0x1e0>, RowMap<16, 0x8>, 32>();
  expectGroups<RowMap<512, 0x1f8>, RowMap<8, 0x7>, 64>();
  expectGroups<RowMap<1024, 0x3f0>, RowMap<32, 0x18>, 32>();
  expectGroups<RowMap<1024, 0x0b8>, RowMap<8, 0x5>, 128>();
}

TEST(QuantizeGroups, RowsOverSeveralWaves) {
  expectGroups<RowMap<1024, 0x3f8, Workgroup<32, 128, 1>>, RowMap<32, 0x18, Workgroup<32, 128, 1>>,
               32>();
  expectGroups<RowMap<7168, 0x7f8, Workgroup<64, 256, 8>>, RowMap<56, 0x38, Workgroup<64, 256, 8>>,
               128>();
  expectGroups<RowMap<7168, 0x3fc, Workgroup<32, 256, 8>>, RowMap<224, 0xfc, Workgroup<32, 256, 8>>,
               32>();
  expectGroups<RowMap<576, 0x1f8>, RowMap<9, 0>, 64>();
}

} // namespace
