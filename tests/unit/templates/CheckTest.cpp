// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fault buffer: the order in which faults are counted does not matter.
#include "braid/check.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

using namespace braid;

namespace {

struct Offender {
  u32 number;
  i64 value;
};

// The number and the value in the words of a check.
Offender first(const u64 *words) {
  const u64 high = ~words[1], low = ~words[2];
  return {static_cast<u32>(high >> 32), static_cast<i64>(high << 32 | (low & 0xffffffffu))};
}

TEST(Check, FirstIsTheSmallestNumberInEveryOrder) {
  // A smaller half of a value, or a smaller value, belongs to a later number.
  std::vector<Offender> offenders = {{3, 0x0000000500000001},
                                     {7, 0x0000000100000000},
                                     {5, -1},
                                     {0xffffffff, std::numeric_limits<i64>::min()}};
  auto byNumber = [](const Offender &a, const Offender &b) { return a.number < b.number; };
  std::sort(offenders.begin(), offenders.end(), byNumber);
  do {
    std::array<u64, 2 * kFaultWords> faults = {};
    for (const Offender &offender : offenders)
      countFault(faults.data(), 1, offender.number, offender.value, 77);
    EXPECT_EQ(faults[0], 0u);
    EXPECT_EQ(faults[kFaultWords], 4u);
    EXPECT_EQ(first(&faults[kFaultWords]).number, 3u);
    EXPECT_EQ(first(&faults[kFaultWords]).value, 0x0000000500000001);
    EXPECT_EQ(faults[kFaultWords + 3], 77u);
  } while (std::next_permutation(offenders.begin(), offenders.end(), byNumber));
}

TEST(Check, ThreadsCountTogether) {
  std::array<u64, kFaultWords> faults = {};
  std::vector<std::thread> threads;
  for (u32 t = 0; t < 4; ++t)
    threads.emplace_back([&faults, t] {
      for (u32 i = 0; i < 10000; ++i)
        checkPosition(faults.data(), 0, 100 + 4 * i + t, -i64(i) * 4 - t - 1, 9);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(faults[0], 40000u);
  EXPECT_EQ(first(faults.data()).number, 100u);
  EXPECT_EQ(first(faults.data()).value, -1);
}

TEST(Check, Bounds) {
  auto countsSlot = [](i64 slot, u64 capacity) {
    std::array<u64, kFaultWords> faults = {};
    checkSlot(faults.data(), 0, 0, slot, capacity);
    return faults[0];
  };
  auto countsPosition = [](i64 position, u64 rows) {
    std::array<u64, kFaultWords> faults = {};
    checkPosition(faults.data(), 0, 0, position, rows);
    return faults[0];
  };
  EXPECT_EQ(countsSlot(-1, 4), 0u);
  EXPECT_EQ(countsSlot(3, 4), 0u);
  EXPECT_EQ(countsSlot(4, 4), 1u);
  EXPECT_EQ(countsSlot(-2, 4), 1u);
  EXPECT_EQ(countsSlot(0, 0), 1u);
  EXPECT_EQ(countsPosition(-1, 4), 1u);
  EXPECT_EQ(countsPosition(0, 4), 0u);
  EXPECT_EQ(countsPosition(3, 4), 0u);
  EXPECT_EQ(countsPosition(4, 4), 1u);
}

} // namespace
