// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row maps, and loads and stores of rows of every width: what is stored is what was loaded, element
// by element.
#include "braid/row.h"
#include "LaneHarness.h"
#include "braid/page.h"

#include <gtest/gtest.h>
#include <vector>

using namespace braid;

namespace {

using Neox = RowMap<128, 0x58>;
static_assert(Neox::kLanes == 8 && Neox::kPerLane == 16 && Neox::kChunk == 8 && Neox::kChunks == 2);
static_assert(Neox::chunk(0, 0) == 0 && Neox::chunk(0, 1) == 32 && Neox::chunk(3, 0) == 24 &&
              Neox::chunk(4, 0) == 64);
static_assert(Neox::chunk(7, 1) == 64 + 24 + 32 && Neox::laneOf(96 + 17) == 6 &&
              Neox::registerOf(96 + 17) == 9);
using Gptj = RowMap<128, 0x78>;
static_assert(Gptj::kLanes == 16 && Gptj::kPerLane == 8 && Gptj::kChunk == 8 &&
              Gptj::chunk(5, 0) == 40);
using Whole = RowMap<64, 0>;
static_assert(Whole::kLanes == 1 && Whole::kChunk == 64 && Whole::kChunks == 1 &&
              Whole::chunk(0, 0) == 0);
using Spread = RowMap<64, 0x3f>;
static_assert(Spread::kLanes == 64 && Spread::kPerLane == 1 && Spread::kChunk == 1 &&
              Spread::chunk(63, 0) == 63);
using Odd = RowMap<64, 0x15>;
static_assert(Odd::kLanes == 8 && Odd::kPerLane == 8 && Odd::kChunk == 1 && Odd::kChunks == 8);
static_assert(Odd::chunk(7, 0) == 0x15 && Odd::chunk(0, 7) == 0x2a);

template <class Rows>
void expectBijection() {
  for (u32 lane = 0; lane < Rows::kLanes; ++lane)
    for (u32 r = 0; r < Rows::kPerLane; ++r) {
      const u32 element = Rows::chunk(lane, r / Rows::kChunk) + r % Rows::kChunk;
      EXPECT_LT(element, Rows::kElements);
      EXPECT_EQ(Rows::laneOf(element), lane);
      EXPECT_EQ(Rows::registerOf(element), r);
    }
}

TEST(RowMap, IsABijection) {
  expectBijection<Neox>();
  expectBijection<Gptj>();
  expectBijection<Whole>();
  expectBijection<Spread>();
  expectBijection<Odd>();
  expectBijection<RowMap<512, 0x1e8>>();
}

template <class Rows, class T>
void expectRoundTrip() {
  test::Random random(3);
  std::vector<T> row(Rows::kElements), copy(Rows::kElements);
  u8 *bytes = reinterpret_cast<u8 *>(row.data());
  for (size_t i = 0; i < row.size() * sizeof(T); ++i)
    bytes[i] = static_cast<u8>(random.bits() & 0xbf); // no NaN among the f32
  for (u32 lane = 0; lane < Rows::kLanes; ++lane) {
    const Frag<T, Rows::kPerLane> x = loadRow<Rows>(row.data(), lane);
    for (u32 r = 0; r < Rows::kPerLane; ++r)
      EXPECT_TRUE(test::sameNumber(elementAt(x, r),
                                   toFloat(row[Rows::laneBase(lane) + Rows::registerBase(r)])));
    storeRow<Rows>(copy.data(), x, lane);
  }
  EXPECT_EQ(0, __builtin_memcmp(row.data(), copy.data(), row.size() * sizeof(T)));
}

template <class T>
class RowAccess : public testing::Test {};
using Types = testing::Types<f32, bf16, f16, f8e4m3fn, f8e4m3fnuz>;
TYPED_TEST_SUITE(RowAccess, Types);

TYPED_TEST(RowAccess, StoresWhatItLoads) {
  expectRoundTrip<Neox, TypeParam>();
  expectRoundTrip<Gptj, TypeParam>();
  expectRoundTrip<Whole, TypeParam>();
  expectRoundTrip<Spread, TypeParam>();
  expectRoundTrip<Odd, TypeParam>();
  expectRoundTrip<RowMap<128, 0x7c>, TypeParam>();
  expectRoundTrip<RowMap<128, 0x7e>, TypeParam>();
}

TEST(Page, StoresChunksAtUnalignedPlaces) {
  std::vector<u8> page(200, 0xa5);
  const Frag<f8e4m3fn, 16> x = {{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}};
  storeChunk<Neox, 4>(page.data() + 4, x, 0);
  storeChunk<Neox, 1>(page.data() + 101, x, 1);
  for (u32 i = 0; i < 8; ++i) {
    EXPECT_EQ(page[4 + i], i);
    EXPECT_EQ(page[101 + i], 8 + i);
  }
  EXPECT_EQ(page[3], 0xa5);
  EXPECT_EQ(page[12], 0xa5);
  EXPECT_EQ(page[109], 0xa5);
}

// S-GATHER-1.
TEST(Page, ClampsPositions) {
  EXPECT_EQ(clampIndex(5, 10), 5u);
  EXPECT_EQ(clampIndex(10, 10), 9u);
  EXPECT_EQ(clampIndex(-7, 10), 0u);
  EXPECT_EQ(clampIndex(i64(1) << 62, 1), 0u);
  EXPECT_EQ(clampIndex(i64(1) << 40, 0x80000000u), 0x7fffffffu);
}

TEST(Row, DealsScalarsOverLanes) {
  const f32 values[4] = {1, 2, 3, 4};
  for (u32 lane = 0; lane < 8; ++lane)
    EXPECT_EQ(dealt(values, lane), values[lane % 4]);
}

} // namespace
