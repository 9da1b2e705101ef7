// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sharesBytes against a count of bytes, over all small cases.

#include "runtime/Overlap.h"

#include <gtest/gtest.h>
#include <set>

namespace braid::runtime {
namespace {

std::set<uint64_t> bytesOf(const Footprint &f) {
  std::set<uint64_t> bytes;
  for (uint64_t row = 0; row < f.rows; ++row)
    for (uint64_t i = 0; i < f.span; ++i)
      bytes.insert(f.begin + row * f.stride + i);
  return bytes;
}

bool meet(const Footprint &a, const Footprint &b) {
  const std::set<uint64_t> other = bytesOf(b);
  for (uint64_t byte : bytesOf(a))
    if (other.count(byte))
      return true;
  return false;
}

TEST(Overlap, NeverMissesASharedByte) {
  for (uint64_t begin = 90; begin < 112; ++begin)
    for (uint64_t rows = 1; rows <= 3; ++rows)
      for (uint64_t stride = 1; stride <= 8; ++stride)
        for (uint64_t span = 1; span <= 8; ++span) {
          const Footprint a{100, 3, 6, 3}, b{begin, rows, stride, span};
          if (meet(a, b))
            EXPECT_TRUE(sharesBytes(a, b) && sharesBytes(b, a))
                << begin << ' ' << rows << ' ' << stride << ' ' << span;
        }
}

// S-LAUNCH-4.
TEST(Overlap, ColumnsAtEqualStrideAreApart) {
  EXPECT_FALSE(sharesBytes({100, 3, 6, 3}, {103, 3, 6, 3}));
  EXPECT_FALSE(sharesBytes({103, 3, 6, 3}, {100, 3, 6, 3}));
  EXPECT_FALSE(sharesBytes({100, 3, 6, 3}, {109, 1, 0, 3})); // one row between two rows
  EXPECT_TRUE(sharesBytes({100, 3, 6, 3}, {102, 3, 6, 3}));
}

TEST(Overlap, IntervalsDecideAtOtherStrides) {
  EXPECT_TRUE(sharesBytes({100, 3, 6, 3}, {103, 2, 12, 3}));
  EXPECT_FALSE(sharesBytes({100, 3, 6, 3}, {115, 2, 12, 3}));
}

TEST(Overlap, NothingSharesWithNothing) { EXPECT_FALSE(sharesBytes({}, {100, 3, 6, 3})); }

} // namespace
} // namespace braid::runtime
