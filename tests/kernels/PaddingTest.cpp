// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Acceptance cases 15, 16, 17 and 27: slots that store nothing, positions outside the table.
// SkipAllTest and CheckedTest have the other padding mode and the counters.

#include "IndexerCase.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace braid::test {
namespace {

class Padding : public OnTargets {};
BRAID_ON_TARGETS(Padding);

constexpr int64_t kTwoTo62 = int64_t(1) << 62;

// S-PAD-1.
TEST_P(Padding, AC15_PaddingWithRubbish) {
  constexpr int64_t kTokens = 6, kPages = 2, kLast = IndexerCase::kTableRows - 1;
  const std::vector<int64_t> slots = {5, -1, 64, -1, 2, -1};
  const std::vector<int64_t> positions = {0, 1000000000, 1, -7, 2, kTwoTo62};
  const std::vector<int64_t> clamped = {0, kLast, 1, 0, 2, kLast};
  IndexerCase rubbish(target()), valid(target());
  for (IndexerCase *kernel : {&rubbish, &valid}) {
    kernel->heads = 8;
    ASSERT_TRUE(kernel->build());
    kernel->random(kTokens, kPages, /*seed=*/15);
  }
  rubbish.setInts("slot", {kTokens}, slots);
  rubbish.setInts("pos", {kTokens}, positions);
  valid.setInts("slot", {kTokens}, {5, 100, 64, 101, 2, 102});
  valid.setInts("pos", {kTokens}, clamped);
  rubbish.guard("index_k");
  rubbish.guard("q8");
  rubbish.guard("w");
  rubbish.run();
  valid.run();
  rubbish.expectGuardsIntact();
  // skip_store: padding's rows hold the result for clamped positions.
  EXPECT_EQ(rubbish.bytes("q8"), valid.bytes("q8"));
  EXPECT_EQ(rubbish.bytes("w"), valid.bytes("w"));
  // Exactly the three rows are stored.
  std::vector<uint8_t> expected(kPages * 8448, 0xA5), stored = valid.bytes("index_k");
  for (int64_t slot : {5, 64, 2}) {
    int64_t page = slot / 64 * 8448, t = slot % 64;
    std::copy_n(stored.begin() + page + t * 128, 128, expected.begin() + page + t * 128);
    std::copy_n(stored.begin() + page + 8192 + t * 4, 4, expected.begin() + page + 8192 + t * 4);
  }
  EXPECT_EQ(rubbish.bytes("index_k"), expected);
  EXPECT_NE(stored, expected);
}

// The first of them is AC17.
// S-CACHE-1.
TEST_P(Padding, AC17_SlotsOutsideTheCacheStoreNothing) {
  for (const char *ids : {"i64", "i32"})
    for (const char *layout : {"linear", "tiled16"}) {
      SCOPED_TRACE(fmt::format("{} {}", ids, layout));
      constexpr int64_t kPages = 3, kCapacity = kPages * 64;
      std::vector<int64_t> slots = {kCapacity,
                                    kCapacity + 1,
                                    -1,
                                    -2,
                                    kCapacity + 63,
                                    std::numeric_limits<int32_t>::min(),
                                    std::numeric_limits<int32_t>::max()};
      if (ids == std::string("i64")) // the low halves of some are valid slots
        slots.insert(slots.end(),
                     {kTwoTo62, int64_t(1) << 32, (int64_t(1) << 32) + 5, -kTwoTo62,
                      std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()});
      const int64_t tokens = slots.size();
      IndexerCase kernel(target());
      kernel.heads = 1;
      kernel.ids = ids;
      kernel.layout = layout;
      ASSERT_TRUE(kernel.build());
      kernel.random(tokens, kPages, /*seed=*/17);
      kernel.setInts("slot", {tokens}, slots);
      kernel.guard("index_k");
      kernel.run();
      kernel.expectGuardsIntact();
      EXPECT_THAT(kernel.bytes("index_k"), testing::Each(0xA5));
      // The last slot is inside.
      kernel.putInt("slot", {0}, kCapacity - 1);
      kernel.run();
      std::vector<uint8_t> cache = kernel.bytes("index_k");
      EXPECT_NE(std::vector<uint8_t>(cache.end() - 4, cache.end()), std::vector<uint8_t>(4, 0xA5));
    }
}

// S-GATHER-1.
TEST_P(Padding, PositionsAreClamped) {
  for (const char *ids : {"i64", "i32"}) {
    SCOPED_TRACE(ids);
    constexpr int64_t kLast = IndexerCase::kTableRows - 1;
    std::vector<int64_t> positions = {1000000000,
                                      -7,
                                      -1,
                                      kLast + 1,
                                      kLast,
                                      0,
                                      std::numeric_limits<int32_t>::min(),
                                      std::numeric_limits<int32_t>::max()};
    std::vector<int64_t> clamped = {kLast, 0, 0, kLast, kLast, 0, 0, kLast};
    if (ids == std::string("i64")) {
      positions.insert(positions.end(),
                       {kTwoTo62, -kTwoTo62, int64_t(1) << 32, (int64_t(1) << 32) + 3});
      clamped.insert(clamped.end(), {kLast, 0, kLast, kLast});
    }
    const int64_t tokens = positions.size();
    IndexerCase outside(target()), inside(target());
    for (IndexerCase *kernel : {&outside, &inside}) {
      kernel->heads = 3;
      kernel->ids = ids;
      ASSERT_TRUE(kernel->build());
      kernel->random(tokens, 1, /*seed=*/2);
      for (int64_t i = 0; i < tokens; ++i)
        kernel->putInt("slot", {i}, i);
      kernel->setInts("pos", {tokens}, kernel == &outside ? positions : clamped);
      kernel->guard("angle"); // A5A5A5A5 is a number that would show
      kernel->run();
    }
    for (const char *name : {"q8", "w", "index_k"})
      EXPECT_EQ(outside.bytes(name), inside.bytes(name)) << name;
  }
}

TEST_P(Padding, AC16_ShortSlotMapping) {
  IndexerCase kernel(target());
  kernel.heads = 2;
  ASSERT_TRUE(kernel.build());
  constexpr int64_t kRows = 512, kSlots = 509;
  kernel.random(kRows, 9, /*seed=*/16);
  std::vector<int64_t> slots(kSlots);
  for (int64_t i = 0; i < kSlots; ++i)
    slots[i] = kSlots - 1 - i;
  kernel.setInts("slot", {kSlots}, slots);
  // Were a slot past 508 read, it would be a valid one: 511 zeros follow.
  HostArray longer;
  ASSERT_TRUE(HostArray::zeros(DType::I64, {2 * kSlots}, longer).ok());
  for (int64_t i = 0; i < kSlots; ++i)
    longer.storeBits(i, slots[i]);
  for (int64_t i = kSlots; i < 2 * kSlots; ++i)
    longer.storeBits(i, 8 * 64 + 30);
  ASSERT_TRUE(longer.slice(0, 0, kSlots, kernel.operands["slot"]).ok());
  kernel.run();
  std::vector<uint8_t> q8 = kernel.bytes("q8"), w = kernel.bytes("w");
  EXPECT_THAT(std::vector<uint8_t>(q8.begin() + kSlots * 2 * 128, q8.end()), testing::Each(0xA5));
  EXPECT_THAT(std::vector<uint8_t>(w.begin() + kSlots * 2 * 4, w.end()), testing::Each(0xA5));
  std::vector<uint8_t> cache = kernel.bytes("index_k");
  EXPECT_THAT(std::vector<uint8_t>(cache.begin() + 8 * 8448, cache.end()), testing::Each(0xA5));
  // Row 508 is written: its w is a number, and slot 0 holds its key.
  EXPECT_NE(kernel.bitsAt("w", {508, 0}), 0xA5A5A5A5u);
  EXPECT_NE(kernel.cacheFloat(8192), std::bit_cast<float>(0xA5A5A5A5u));
}

TEST_P(Padding, AC27_ContextParallelRanks) {
  constexpr int64_t kTokens = 64, kRanks = 8, kPages = 1;
  IndexerCase one(target()), rank(target());
  for (IndexerCase *kernel : {&one, &rank}) {
    kernel->heads = 4;
    ASSERT_TRUE(kernel->build());
    kernel->random(kTokens, kPages, /*seed=*/27);
    for (int64_t i = 0; i < kTokens; ++i) {
      kernel->putInt("pos", {i}, i % IndexerCase::kTableRows);
      kernel->putInt("slot", {i}, i);
    }
  }
  one.run();
  std::vector<uint8_t> whole = one.bytes("index_k");
  for (int64_t interleave : {1, 4, 16}) {
    std::vector<uint8_t> joined(whole.size(), 0);
    for (int64_t r = 0; r < kRanks; ++r) {
      SCOPED_TRACE(fmt::format("rank {} of interleave {}", r, interleave));
      rank.fill("index_k", {kPages, 8448}, 0xA5);
      rank.fill("q8", {kTokens, 4, 128}, 0xA5);
      rank.fill("w", {kTokens, 4}, 0xA5);
      auto ownSlot = [&](int64_t slot) {
        int64_t block = slot / interleave;
        return block % kRanks == r ? block / kRanks * interleave + slot % interleave : -1;
      };
      for (int64_t i = 0; i < kTokens; ++i)
        rank.putInt("slot", {i}, ownSlot(i));
      rank.run();
      EXPECT_EQ(rank.bytes("q8"), one.bytes("q8"));
      EXPECT_EQ(rank.bytes("w"), one.bytes("w"));
      std::vector<uint8_t> part = rank.bytes("index_k");
      for (int64_t i = 0; i < kTokens; ++i)
        if (int64_t own = ownSlot(i); own >= 0) {
          std::copy_n(part.begin() + own * 128, 128, joined.begin() + i * 128);
          std::copy_n(part.begin() + 8192 + own * 4, 4, joined.begin() + 8192 + i * 4);
        }
    }
    EXPECT_EQ(joined, whole);
  }
}

} // namespace
} // namespace braid::test
