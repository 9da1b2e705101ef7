// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random operands are the same bits everywhere and reach the edges they promise.

#include "codegen/reference/RandomInputs.h"

#include "codegen/reference/FloatFormat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace braid;
using namespace braid::reference;

namespace {

HostArray filled(DType dtype, std::vector<int64_t> extents, OperandRole role,
                 RandomOptions options) {
  HostArray array;
  EXPECT_TRUE(HostArray::zeros(dtype, std::move(extents), array).ok());
  const Status status = fillRandom(array, role, options);
  EXPECT_TRUE(status.ok()) << status.text();
  return array;
}

int64_t signedAt(const HostArray &array, int64_t flat) {
  const uint64_t bits = array.loadBits(array.offsetOf(flat));
  return array.dtype == DType::I32 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
}

double valueAt(const HostArray &array, int64_t flat) {
  return decode(*array.dtype, array.loadBits(array.offsetOf(flat)));
}

} // namespace

// The bits themselves: a change here changes every stored seed.
TEST(RandomInputs, GivesTheSameBitsEverywhere) {
  const HostArray array = filled(DType::BF16, {1, 4}, OperandRole::Activation, {.seed = 7});
  const HostArray slots = filled(DType::I64, {4}, OperandRole::Slot, {.seed = 7, .capacity = 100});
  std::vector<uint64_t> codes;
  std::vector<int64_t> drawn;
  for (int64_t i = 0; i < 4; ++i) {
    codes.push_back(array.loadBits(i));
    drawn.push_back(signedAt(slots, i));
  }
  EXPECT_EQ(codes, (std::vector<uint64_t>{0x3F11, 0xBF4E, 0x3F00, 0xBE9B}));
  EXPECT_EQ(drawn, (std::vector<int64_t>{86, 53, -1, 52}));
}

TEST(RandomInputs, ActivationsReachTheEdges) {
  const HostArray array = filled(DType::BF16, {32, 128}, OperandRole::Activation, {.seed = 1});
  bool zeroRow = false;
  double least = 1e300, most = 0;
  for (int64_t row = 0; row < 32; ++row) {
    double amax = 0;
    for (int64_t column = 0; column < 128; ++column) {
      const double value = std::fabs(valueAt(array, row * 128 + column));
      ASSERT_TRUE(std::isfinite(value));
      amax = std::max(amax, value);
    }
    zeroRow |= amax == 0;
    if (amax > 0)
      least = std::min(least, amax);
    most = std::max(most, amax);
  }
  EXPECT_TRUE(zeroRow);
  EXPECT_LT(least, 1e-30);
  EXPECT_GT(most, 1e30);
}

TEST(RandomInputs, NonfiniteIsAChoice) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (bool nonfinite : {false, true}) {
      const HostArray array =
          filled(dtype, {32, 64}, OperandRole::Activation, {.seed = 3, .nonfinite = nonfinite});
      int nans = 0, infinities = 0;
      for (int64_t flat = 0; flat < array.elementCount(); ++flat) {
        nans += std::isnan(valueAt(array, flat));
        infinities += std::isinf(valueAt(array, flat));
      }
      EXPECT_EQ(nans > 0, nonfinite) << dtypeName(dtype);
      EXPECT_EQ(infinities > 0, nonfinite) << dtypeName(dtype);
    }
}

TEST(RandomInputs, SlotsAreDistinctAndSomeAreNotStored) {
  for (DType dtype : {DType::I32, DType::I64}) {
    const HostArray slots = filled(dtype, {200}, OperandRole::Slot, {.seed = 2, .capacity = 192});
    std::set<int64_t> stored;
    int minusOne = 0, atCapacity = 0;
    for (int64_t i = 0; i < 200; ++i) {
      const int64_t slot = signedAt(slots, i);
      minusOne += slot == -1;
      atCapacity += slot == 192;
      if (slot >= 0 && slot < 192)
        EXPECT_TRUE(stored.insert(slot).second) << slot;
    }
    EXPECT_GT(stored.size(), 100u);
    EXPECT_GT(minusOne, 0);
    EXPECT_GT(atCapacity, 0);
  }
}

TEST(RandomInputs, MoreTokensThanSlotsLeavesTheRestUnstored) {
  const HostArray slots = filled(DType::I64, {64}, OperandRole::Slot, {.seed = 2, .capacity = 3});
  std::multiset<int64_t> stored;
  for (int64_t i = 0; i < 64; ++i)
    if (signedAt(slots, i) >= 0 && signedAt(slots, i) < 3)
      stored.insert(signedAt(slots, i));
  EXPECT_EQ(stored, (std::multiset<int64_t>{0, 1, 2}));
}

TEST(RandomInputs, PositionsAreMostlyInsideTheTable) {
  const HostArray positions =
      filled(DType::I64, {400}, OperandRole::Position, {.seed = 5, .tableRows = 32});
  int inside = 0, below = 0, above = 0;
  for (int64_t i = 0; i < 400; ++i) {
    const int64_t position = signedAt(positions, i);
    (position < 0 ? below : position >= 32 ? above : inside)++;
  }
  EXPECT_GT(inside, 300);
  EXPECT_GT(below, 0);
  EXPECT_GT(above, 0);
}

TEST(RandomInputs, AnglesStayInRange) {
  const HostArray table = filled(DType::F32, {64, 64}, OperandRole::AngleTable, {.seed = 5});
  bool one = false, zero = false;
  for (int64_t i = 0; i < table.elementCount(); ++i) {
    ASSERT_LE(std::fabs(valueAt(table, i)), 1.0);
    one |= valueAt(table, i) == 1.0;
    zero |= valueAt(table, i) == 0.0;
  }
  EXPECT_TRUE(one && zero);
}

TEST(RandomInputs, SlicesAreFilledAndTheRestIsLeftAlone) {
  HostArray wide, part;
  ASSERT_TRUE(HostArray::zeros(DType::F8E4M3FN, {4, 8}, wide).ok());
  ASSERT_TRUE(wide.slice(1, 2, 4, part).ok());
  ASSERT_TRUE(fillRandom(part, OperandRole::Poison, {.seed = 9}).ok());
  int outside = 0, inside = 0;
  for (int64_t flat = 0; flat < 32; ++flat)
    (flat % 8 == 2 || flat % 8 == 3 ? inside : outside) += wide.loadBits(flat) != 0;
  EXPECT_EQ(outside, 0);
  EXPECT_GT(inside, 4);
}

TEST(RandomInputs, RefusesRolesThatDoNotFit) {
  HostArray array;
  ASSERT_TRUE(HostArray::zeros(DType::F32, {4}, array).ok());
  const Status status = fillRandom(array, OperandRole::Slot, {});
  EXPECT_EQ(status.code, StatusCode::RequestWrong);
  EXPECT_NE(status.what.find("f32 cannot be filled as slot"), std::string::npos) << status.what;
}

TEST(RandomInputs, OperandsHaveSeedsOfTheirOwn) {
  EXPECT_NE(seedFor(1, "q"), seedFor(1, "k"));
  EXPECT_NE(seedFor(1, "q"), seedFor(2, "q"));
  EXPECT_EQ(seedFor(1, "q"), seedFor(1, "q"));
}
