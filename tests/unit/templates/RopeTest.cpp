// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rope against its definition for ranges, styles, table forms, types and row maps: partners in one
// lane, one lane bit apart, and anywhere.
#include "braid/rope.h"
#include "LaneHarness.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace braid;

namespace {

enum class Form { joined, split, pairs };

template <class T>
std::vector<T> randomValues(u32 count, u64 seed, bool special) {
  test::Random random(seed);
  std::vector<T> values(count);
  for (T &x : values)
    x = roundTo<T>(random.number(special));
  return values;
}

template <class Rows, RopeStyle kStyle, u32 kBegin, u32 kEnd, class T, class To, class Table = f32>
void expectRope(Form form, u64 seed, bool special) {
  constexpr u32 kPairs = (kEnd - kBegin) / 2;
  const auto x = randomValues<T>(Rows::kElements, seed, special);
  auto cosines = randomValues<Table>(kPairs, seed + 100, special),
       sines = randomValues<Table>(kPairs, seed + 200, special);
  if constexpr (kSame<Table, f32>)
    if (special) { // NaN patterns that integer rounding would turn into zeros
      cosines[0] = floatOf(0x7fffffff);
      sines[kPairs - 1] = floatOf(0xffffffff);
    }
  std::vector<f32> expected;
  for (const T &value : x)
    expected.push_back(toFloat(roundTo<To>(toFloat(value))));
  for (u32 i = 0; i < kPairs; ++i) {
    const u32 a = kStyle == RopeStyle::neox ? kBegin + i : kBegin + 2 * i;
    const u32 b = kStyle == RopeStyle::neox ? a + kPairs : a + 1;
    const f32 x1 = toFloat(x[a]), x2 = toFloat(x[b]), c = toFloat(cosines[i]),
              s = toFloat(sines[i]);
    expected[a] = toFloat(roundTo<To>(std::fma(x1, c, -(x2 * s))));
    expected[b] = toFloat(roundTo<To>(std::fma(x2, c, x1 * s)));
  }
  std::vector<Table> table;
  for (u32 i = 0; i < kPairs; ++i) {
    table.push_back(cosines[i]);
    if (form == Form::pairs)
      table.push_back(sines[i]);
  }
  if (form == Form::joined)
    table.insert(table.end(), sines.begin(), sines.end());
  test::runLanes(Rows::kLanes, [&](u32 lane) {
    const auto angles =
        form == Form::joined ? loadAnglesJoined<Rows, kStyle, kBegin, kEnd>(table.data(), lane)
        : form == Form::pairs
            ? loadAnglesPairs<Rows, kStyle, kBegin, kEnd>(table.data(), lane)
            : loadAnglesSplit<Rows, kStyle, kBegin, kEnd>(cosines.data(), sines.data(), lane);
    const auto row = loadRow<Rows>(x.data(), lane);
    const auto y = rope<Rows, kStyle, kBegin, kEnd, To>(row, angles, lane);
    for (u32 r = 0; r < Rows::kPerLane; ++r) {
      const u32 e = Rows::laneBase(lane) + Rows::registerBase(r);
      ASSERT_TRUE(test::sameNumber(elementAt(y, r), expected[e]))
          << "element " << e << ": " << elementAt(y, r) << " for " << expected[e];
    }
  });
}

template <class Rows, u32 kBegin, u32 kEnd, class T = bf16, class To = bf16>
void expectBothStyles() {
  for (u64 seed = 0; seed < 4; ++seed) {
    expectRope<Rows, RopeStyle::neox, kBegin, kEnd, T, To>(static_cast<Form>(seed % 3), seed,
                                                           seed >= 2);
    expectRope<Rows, RopeStyle::gptj, kBegin, kEnd, T, To>(static_cast<Form>((seed + 1) % 3), seed,
                                                           seed >= 2);
  }
}

using Neox = RowMap<128, 0x58>;
using Gptj = RowMap<128, 0x78>;
using Four = RowMap<128, 0x18>;
static_assert(RopeShape<Neox, RopeStyle::neox, 0, 64>::kInLane &&
              RopeShape<Neox, RopeStyle::neox, 0, 64>::kAngles == 8);
static_assert(RopeShape<Neox, RopeStyle::neox, 64, 128>::kInLane &&
              RopeShape<Four, RopeStyle::neox, 0, 64>::kInLane);
static_assert(RopeShape<Gptj, RopeStyle::gptj, 0, 64>::kInLane &&
              RopeShape<Gptj, RopeStyle::neox, 0, 64>::kByLaneBit);
static_assert(!RopeShape<Neox, RopeStyle::neox, 32, 96>::kOneBit &&
              !RopeShape<Gptj, RopeStyle::gptj, 1, 31>::kOneBit);

TEST(Rope, PartnersInOneLane) {
  expectBothStyles<Neox, 0, 64>();
  expectBothStyles<Neox, 64, 128>();
  expectBothStyles<Four, 0, 64>();
  expectBothStyles<Four, 64, 128>();
  expectBothStyles<RowMap<64, 0>, 0, 64>();
  expectBothStyles<RowMap<64, 0>, 2, 50>();
  expectBothStyles<RowMap<8, 6>, 0, 2>();
}

TEST(Rope, PartnersOneLaneBitApart) {
  expectBothStyles<Gptj, 0, 64>();
  expectBothStyles<Gptj, 0, 128>();
  expectBothStyles<Gptj, 64, 128>();
  expectBothStyles<RowMap<128, 0x7e>, 0, 64>();
  expectBothStyles<RowMap<64, 0x3f>, 0, 32>();
  expectBothStyles<Gptj, 0, 2>();
}

TEST(Rope, PartnersAnywhere) {
  expectBothStyles<Neox, 32, 96>();
  expectBothStyles<Gptj, 2, 50>();
  expectBothStyles<Gptj, 1, 31>();
  expectBothStyles<RowMap<64, 0x2c>, 10, 16>();
  expectBothStyles<RowMap<64, 0x2c>, 0, 48>();
  expectBothStyles<RowMap<64, 0x15>, 3, 61>();
}

TEST(Rope, Types) {
  expectBothStyles<Neox, 0, 64, bf16, f32>();
  expectBothStyles<Neox, 0, 64, f32, f32>();
  expectBothStyles<Gptj, 0, 64, f32, bf16>();
  expectBothStyles<Neox, 0, 64, f16, f16>();
  expectBothStyles<Gptj, 2, 50, f16, bf16>();
}

// S-ROPE-5.
TEST(Rope, TableTypes) {
  for (Form form : {Form::joined, Form::split, Form::pairs})
    for (bool special : {false, true}) {
      expectRope<Neox, RopeStyle::neox, 0, 64, bf16, bf16, bf16>(form, 1, special);
      expectRope<Gptj, RopeStyle::gptj, 0, 64, bf16, bf16, f16>(form, 2, special);
      expectRope<Gptj, RopeStyle::gptj, 0, 2, bf16, bf16, bf16>(form, 3, special);
    }
}

} // namespace
