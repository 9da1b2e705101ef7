// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `padding = skip_all(slot)`: nothing of a token is stored whose slot lies outside the cache, in
// every selection of outputs.

#include "IndexerCase.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

namespace braid::test {
namespace {

class SkipAll : public OnTargets {};
BRAID_ON_TARGETS(SkipAll);

bool isStored(int64_t slot) { return slot >= 0 && slot < 128; }

// Row t of `name` holds A5 for padding, and what `plain` (padding = skip_store) computes for
// others.
void expectRows(const IndexerCase &kernel, const IndexerCase &plain, const std::string &name,
                const std::vector<int64_t> &slots) {
  const std::vector<uint8_t> found = kernel.bytes(name), computed = plain.bytes(name);
  ASSERT_EQ(found.size(), computed.size());
  const size_t width = found.size() / slots.size();
  for (size_t t = 0; t < slots.size(); ++t) {
    const std::vector<uint8_t> row(found.begin() + t * width, found.begin() + (t + 1) * width);
    if (isStored(slots[t]))
      EXPECT_TRUE(std::equal(row.begin(), row.end(), computed.begin() + t * width))
          << name << " " << t;
    else
      EXPECT_THAT(row, testing::Each(0xA5)) << name << " " << t;
  }
}

TEST_P(SkipAll, EverySelectionOfOutputs) {
  const std::vector<int64_t> slots = {5,  -1, 64, 128, 2, -1, 127, int64_t(1) << 32,
                                      -7, 0,  1,  3,   -1};
  const int64_t tokens = slots.size();
  for (int64_t heads : {1, 3, 32})
    for (const char *ids : {"i64", "i32"}) {
      IndexerCase plain(target());
      auto prepare = [&](IndexerCase &kernel) {
        kernel.heads = heads;
        kernel.ids = ids;
        ASSERT_TRUE(kernel.build());
        kernel.random(tokens, /*pages=*/2, /*seed=*/15);
        for (int64_t t = 0; t < tokens; ++t)
          if (kernel.operands.count("slot"))
            kernel.putInt("slot", {t},
                          ids == std::string("i32") && slots[t] > 128 ? 9999 : slots[t]);
        for (const auto &[name, array] : std::map(kernel.operands))
          if (kernel.meta(name).written())
            kernel.guard(name);
        kernel.run();
        kernel.expectGuardsIntact();
      };
      prepare(plain);
      for (std::vector<std::string> kept : {std::vector<std::string>{},
                                            {"index_k"},
                                            {"q8"},
                                            {"w"},
                                            {"q8", "w"},
                                            {"w", "index_k"}}) {
        SCOPED_TRACE(fmt::format("{} heads, {}, keeps {}", heads, ids, fmt::join(kept, ",")));
        IndexerCase kernel(target());
        kernel.padding = "skip_all(slot)";
        kernel.kept = kept;
        prepare(kernel);
        bool queries = kept.empty() || kept[0] != "index_k";
        for (const char *name : {"q8", "w"})
          if (kernel.operands.count(name))
            expectRows(kernel, plain, name, slots);
        // The cache that is not written says how many pages there are, and has no address.
        const OperandMeta &cache = kernel.meta("index_k");
        bool stored = kept.empty() || kept.back() == "index_k";
        EXPECT_EQ(cache.pagesOnly, !stored);
        KernelMeta read;
        ASSERT_TRUE(fromJson(toJson(kernel.generated.signature()), read).ok());
        EXPECT_EQ(toJson(read), toJson(kernel.generated.signature()));
        std::vector<uint8_t> pages = kernel.bytes("index_k");
        if (stored)
          EXPECT_EQ(pages, plain.bytes("index_k"));
        else
          EXPECT_THAT(pages, testing::Each(0xA5));
        if (!stored) {
          kernel.operands["index_k"].bytes = nullptr; // pages only: any address will do
          EXPECT_TRUE(kernel.launchStatus().ok()) << kernel.launchStatus().text();
        }
        EXPECT_EQ(kernel.operands.count("slot"), 1u);
        EXPECT_EQ(kernel.operands.count("q") == 1,
                  queries && kept != std::vector<std::string>{"index_k"});
      }
    }
}

// The capacity counts: with other pages other tokens are padding, without a compilation.
TEST_P(SkipAll, CapacityIsThatOfTheLaunch) {
  IndexerCase kernel(target());
  kernel.padding = "skip_all(slot)";
  kernel.kept = {"q8"};
  kernel.heads = 2;
  ASSERT_TRUE(kernel.build());
  for (int64_t pages : {0, 1, 2, 3}) {
    kernel.random(3, pages, /*seed=*/1);
    kernel.setInts("slot", {3}, {10, 70, 130});
    kernel.run();
    std::vector<uint8_t> q8 = kernel.bytes("q8");
    for (int64_t t = 0; t < 3; ++t)
      EXPECT_EQ(std::all_of(q8.begin() + t * 256, q8.begin() + (t + 1) * 256,
                            [](uint8_t b) { return b == 0xA5; }),
                t >= pages)
          << t << " of " << pages;
  }
}

const char *const kTwoCaches = R"(
kernel two() {
  axis   token, key
  input  x : f32[token, 64]
  input  z : f32[key, 64]
  input  slot_a : i32[token]
  input  slot_b : i64[token]
  output y : f32[token, 64]
  cache  a : linear(page_size = 4, dim = 64)
  output u : f32[key, 64]
  cache  b : linear(page_size = 2, dim = 64)
  y = x * 2
  u = z * 2
  codes, scale = quantize(x, fp8, scale = ue8m0, floor = 1e-10)
  a[slot_a] = value: codes, scale: scale
  b[slot_b] = value: codes, scale: scale
})";

const char *const kTwoBuffers = R"(
kernel two() {
  axis   token
  input  x : f32[token, 64]
  input  slot : i32[token]
  output y : f32[token, 64]
  cache  keys : split(page_size = 4, dim = 64)
  y = x * 2
  codes, scale = quantize(x, fp8, scale = ue8m0, floor = 1e-10)
  keys[slot] = value: codes, scale: scale
})";

// The named slots decide for both caches and for the outputs on their axis; other axes are not
// touched by it.
// S-PAD-2.
TEST_P(SkipAll, TheNamedSlotsDecide) {
  for (const char *named : {"slot_a", "slot_b"}) {
    SCOPED_TRACE(named);
    KernelCase kernel;
    ASSERT_TRUE(
        kernel.prepare(kTwoCaches, "", {fmt::format("padding=skip_all({})", named)}, target()));
    kernel.setFloats("x", {4, 64}, std::vector<float>(4 * 64, 3));
    kernel.setFloats("z", {2, 64}, std::vector<float>(2 * 64, 5));
    kernel.setInts("slot_a", {4}, {0, -1, 2, -1});
    kernel.setInts("slot_b", {4}, {0, 1, -1, -1});
    kernel.fill("y", {4, 64}, 0xA5);
    kernel.fill("u", {2, 64}, 0xA5);
    kernel.fill("a", {1, 4 * 68}, 0xA5);
    kernel.fill("b", {1, 2 * 68}, 0xA5);
    kernel.run();
    const bool byA = named == std::string("slot_a");
    const std::vector<bool> live = {true, !byA, byA, false};
    for (int64_t t = 0; t < 4; ++t)
      EXPECT_EQ(kernel.bitsAt("y", {t, 0}) == 0x40C00000, live[t]) << t; // 6.0f
    EXPECT_EQ(kernel.floats("u"), std::vector<float>(2 * 64, 10));
    auto stored = [&](const char *cache, int64_t slot) {
      return kernel.bytes(cache)[slot * 64] != 0xA5;
    };
    EXPECT_TRUE(stored("a", 0) && stored("b", 0));
    EXPECT_EQ(stored("a", 2), byA);
    EXPECT_EQ(stored("b", 1), !byA);
  }
}

// One slot tensor for two caches: a token is padding if one of them does not have its slot.
TEST_P(SkipAll, OneSlotForTwoCaches) {
  std::string text = kTwoCaches;
  text.replace(text.find("b[slot_b]"), 9, "b[slot_a]");
  text.erase(text.find("  input  slot_b"), std::string("  input  slot_b : i64[token]\n").size());
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(text, "", {"padding=skip_all(slot_a)"}, target()));
  kernel.setFloats("x", {4, 64}, std::vector<float>(4 * 64, 3));
  kernel.setFloats("z", {0, 64}, {});
  kernel.setInts("slot_a", {4}, {1, 2, 3, 0});
  kernel.fill("y", {4, 64}, 0xA5);
  kernel.fill("u", {0, 64}, 0xA5);
  kernel.fill("a", {1, 4 * 68}, 0xA5);
  kernel.fill("b", {1, 2 * 68}, 0xA5); // slots 2 and 3 lie outside
  kernel.run();
  for (int64_t t = 0; t < 4; ++t)
    EXPECT_EQ(kernel.bitsAt("y", {t, 0}) == 0x40C00000, t == 0 || t == 3) << t;
  EXPECT_EQ(kernel.bytes("a")[2 * 64], 0xA5);
  EXPECT_NE(kernel.bytes("a")[1 * 64], 0xA5);
}

// Of a cache of two tensors the shorter one bounds the slots, whichever it is, stored to or not.
TEST_P(SkipAll, CacheOfTwoBuffers) {
  for (std::vector<std::string> kept : {std::vector<std::string>{}, {"y"}})
    for (bool checked : {false, true}) {
      KernelCase kernel;
      kernel.checked = checked;
      ASSERT_TRUE(kernel.prepare(kTwoBuffers, "", {"padding=skip_all(slot)"}, target(), kept));
      EXPECT_EQ(kernel.meta("keys.0").pagesOnly, !kept.empty());
      EXPECT_EQ(kernel.meta("keys.1").pagesOnly, !kept.empty());
      kernel.setFloats("x", {5, 64}, std::vector<float>(5 * 64, 3));
      kernel.setInts("slot", {5}, {4, -1, 7, 8, 12});
      for (std::vector<int64_t> pages : {std::vector<int64_t>{2, 3}, {3, 2}, {0, 3}, {1, 1}}) {
        SCOPED_TRACE(fmt::format("{} pages, checked: {}", fmt::join(pages, " and "), checked));
        kernel.fill("y", {5, 64}, 0xA5);
        kernel.fill("keys.0", {pages[0], 4 * 64}, 0xA5);
        kernel.fill("keys.1", {pages[1], 4 * 4}, 0xA5);
        for (const char *name : {"y", "keys.0", "keys.1"})
          kernel.guard(name);
        if (!kept.empty())
          kernel.operands["keys.0"].strides[0] = 1; // no page is touched
        kernel.run();
        kernel.expectGuardsIntact();
        const bool inside = std::min(pages[0], pages[1]) == 2; // slots 4 and 7
        const std::vector<bool> live = {inside, false, inside, false, false};
        for (int64_t t = 0; t < 5; ++t)
          EXPECT_EQ(kernel.bitsAt("y", {t, 0}), live[t] ? 0x40C00000u : 0xA5A5A5A5u) << t; // 6.0f
        for (int64_t slot = 0; slot < 4 * pages[1]; ++slot)
          EXPECT_EQ(kernel.bytes("keys.1")[slot * 4] != 0xA5,
                    kept.empty() && inside && (slot == 4 || slot == 7))
              << slot;
      }
    }
}

} // namespace
} // namespace braid::test
