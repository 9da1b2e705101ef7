// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked builds (acceptance case 17): what is counted, the first offender, and equal results.
// KernelCase::run compares every report with the interpreter's.

#include "IndexerCase.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>

namespace braid::test {
namespace {

class Checked : public OnTargets {
protected:
  void build(IndexerCase &kernel) const {
    kernel.checked = true;
    ASSERT_TRUE(kernel.build());
    ASSERT_TRUE(kernel.generated.signature().checked);
  }
  static std::vector<std::string> texts(const KernelCase &kernel) {
    std::vector<std::string> found;
    for (const Fault &fault : kernel.faults)
      found.push_back(fault.text());
    return found;
  }
};
BRAID_ON_TARGETS(Checked);

TEST_P(Checked, AC17_OneSlotIsTheCapacity) {
  for (const char *ids : {"i64", "i32"}) {
    IndexerCase fast(target()), checked(target());
    fast.ids = checked.ids = ids;
    ASSERT_TRUE(fast.build());
    build(checked);
    for (IndexerCase *kernel : {&fast, &checked}) {
      kernel->random(70, 2, /*seed=*/17);
      for (int64_t t = 0; t < 70; ++t) {
        kernel->putInt("slot", {t}, t == 41 ? 128 : t % 5 ? t : -1);
        kernel->putInt("pos", {t}, t % IndexerCase::kTableRows);
      }
      kernel->guard("index_k");
      kernel->run();
      kernel->expectGuardsIntact();
    }
    ASSERT_EQ(checked.faults.size(), 1u);
    EXPECT_EQ(checked.faults[0].text(),
              "`slot`: 1 value lies outside `index_k`; first: token 41, value 128, limit 128");
    for (const char *name : {"q8", "w", "index_k"})
      EXPECT_EQ(checked.bytes(name), fast.bytes(name)) << name;
    EXPECT_TRUE(fast.faults.empty());
    // Each launch begins anew.
    checked.putInt("slot", {41}, 0);
    checked.run();
    EXPECT_TRUE(checked.faults.empty());
  }
}

// The smallest token is the first, whatever workgroup comes first; values keep all 64 bits.
// S-CHECK-1.
TEST_P(Checked, FirstOffender) {
  constexpr int64_t kTokens = 501;
  IndexerCase kernel(target());
  build(kernel);
  for (int64_t first : {0, 1, 63, 64, 257, 500}) {
    SCOPED_TRACE(first);
    kernel.random(kTokens, 9, /*seed=*/3);
    for (int64_t t = 0; t < kTokens; ++t) {
      kernel.putInt("slot", {t}, t < first ? t : std::numeric_limits<int64_t>::min() + t);
      kernel.putInt("pos", {t}, t < first ? 0 : (int64_t(1) << 32) + 3 + t);
    }
    kernel.run();
    EXPECT_THAT(
        texts(kernel),
        testing::UnorderedElementsAre(
            fmt::format("`slot`: {} {} outside `index_k`; first: token {}, value {}, limit 576",
                        kTokens - first, first == 500 ? "value lies" : "values lie", first,
                        std::numeric_limits<int64_t>::min() + first),
            fmt::format("`pos`: {} {} outside `angle`; first: token {}, value {}, limit 16",
                        kTokens - first, first == 500 ? "value lies" : "values lie", first,
                        (int64_t(1) << 32) + 3 + first)));
  }
}

// Positions are checked once, though keys and queries read them, in every selection of outputs.
// S-CHECK-1.
TEST_P(Checked, EverySelectionOfOutputs) {
  for (const char *padding : {"skip_store", "skip_all(slot)"})
    for (std::vector<std::string> kept :
         {std::vector<std::string>{}, {"index_k"}, {"q8", "w"}, {"w"}})
      for (int64_t heads : {1, 5, 64}) {
        SCOPED_TRACE(fmt::format("{} {} {}", padding, fmt::join(kept, ","), heads));
        IndexerCase kernel(target());
        kernel.padding = padding;
        kernel.kept = kept;
        kernel.heads = heads;
        build(kernel);
        kernel.random(9, 1, /*seed=*/4);
        for (int64_t t = 0; t < 9; ++t) {
          kernel.putInt("pos", {t}, t < 4 ? -1 : 0);
          if (kernel.operands.count("slot"))
            kernel.putInt("slot", {t}, t % 2 ? t : t == 8 ? 64 : -1);
        }
        kernel.run();
        const bool all = padding == std::string("skip_all(slot)");
        std::vector<std::string> expected = {
            all ? "`pos`: 2 values lie outside `angle`; first: token 1, value -1, limit 16"
                : "`pos`: 4 values lie outside `angle`; first: token 0, value -1, limit 16"};
        if (kernel.operands.count("slot"))
          expected.push_back(
              "`slot`: 1 value lies outside `index_k`; first: token 8, value 64, limit 64");
        EXPECT_EQ(kernel.operands.count("slot") == 1, all || kept.empty() || kept[0] == "index_k");
        EXPECT_THAT(texts(kernel), testing::UnorderedElementsAreArray(expected));
      }
}

// Positions of each row of a token: the token is told, not the number of the row.
TEST_P(Checked, IndicesOfRows) {
  KernelCase kernel;
  kernel.checked = true;
  ASSERT_TRUE(kernel.prepare(R"(
kernel rows(heads: int = 6) {
  axis   token
  input  x : f32[token, heads, 64]
  input  t : f32[position, 64]
  input  p : i32[token, heads]
  output y : f32[token, heads, 64]
  y = x * t[p]
})",
                             "", {}, target()));
  kernel.setFloats("x", {3, 6, 64}, std::vector<float>(3 * 6 * 64, 1));
  kernel.setFloats("t", {4, 64}, std::vector<float>(4 * 64, 1));
  kernel.fill("p", {3, 6}, 0);
  kernel.fill("y", {3, 6, 64}, 0);
  kernel.putInt("p", {1, 5}, 4);
  kernel.putInt("p", {2, 0}, -3);
  kernel.run();
  EXPECT_THAT(texts(kernel), testing::ElementsAre("`p`: 2 values lie outside `t`; first: token 1, "
                                                  "value 4, limit 4"));
}

// Rows have an axis more than the indices that they share: each index is counted once.
// S-CHECK-1.
TEST_P(Checked, IndicesThatRowsShare) {
  for (int64_t heads : {1, 6}) {
    SCOPED_TRACE(heads);
    KernelCase kernel;
    kernel.checked = true;
    ASSERT_TRUE(kernel.prepare(R"(
kernel rows(heads: int, parts: int = 5) {
  axis   token
  input  x : f32[token, heads, parts, 64]
  input  t : f32[position, 64]
  input  p : i32[token, heads]
  output y : f32[token, heads, parts, 64]
  y = x * t[p]
})",
                               "", {"heads=" + std::to_string(heads)}, target()));
    kernel.setFloats("x", {3, heads, 5, 64}, std::vector<float>(3 * heads * 5 * 64, 1));
    kernel.setFloats("t", {4, 64}, std::vector<float>(4 * 64, 1));
    kernel.fill("p", {3, heads}, 0);
    kernel.fill("y", {3, heads, 5, 64}, 0);
    kernel.putInt("p", {1, heads - 1}, 4);
    kernel.putInt("p", {2, 0}, -3);
    kernel.run();
    EXPECT_THAT(texts(kernel),
                testing::ElementsAre("`p`: 2 values lie outside `t`; first: token 1, "
                                     "value 4, limit 4"));
  }
}

// The shorter of a cache's two tensors is the limit; the report names the cache.
TEST_P(Checked, CacheOfTwoBuffers) {
  const std::string text = R"(
kernel two() {
  axis   token
  input  x : f32[token, 64]
  input  slot : i64[token]
  output y : f32[token, 64]
  cache  keys : split(page_size = 4, dim = 64)
  y = x
  codes, scale = quantize(x, fp8, scale = ue8m0, floor = 1e-10)
  keys[slot] = value: codes, scale: scale
})";
  for (const char *padding : {"skip_store", "skip_all(slot)"})
    for (std::vector<std::string> kept : {std::vector<std::string>{}, {"keys"}, {"y"}}) {
      KernelCase kernel;
      kernel.checked = true;
      ASSERT_TRUE(kernel.prepare(text, "", {fmt::format("padding={}", padding)}, target(), kept));
      const bool stores = kept.empty() || kept[0] == "keys";
      if (!stores && padding == std::string("skip_store")) { // no slots, nothing to check
        EXPECT_TRUE(kernel.generated.signature().checks.empty());
        continue;
      }
      kernel.setFloats("x", {5, 64}, std::vector<float>(5 * 64, 3));
      kernel.setInts("slot", {5}, {7, -1, 8, 0, 12});
      if (kept.empty() || !stores)
        kernel.fill("y", {5, 64}, 0);
      for (std::vector<int64_t> pages : {std::vector<int64_t>{2, 3}, {3, 2}}) {
        kernel.fill("keys.0", {pages[0], 4 * 64}, 0);
        kernel.fill("keys.1", {pages[1], 4 * 4}, 0);
        kernel.run();
        EXPECT_THAT(texts(kernel),
                    testing::ElementsAre("`slot`: 2 values lie outside `keys`; first: token 2, "
                                         "value 8, limit 8"));
      }
      KernelMeta read;
      ASSERT_TRUE(fromJson(toJson(kernel.generated.signature()), read).ok());
      EXPECT_EQ(toJson(read), toJson(kernel.generated.signature()));
      read.checks[0].chosenFrom = "keys.1"; // a buffer is no cache
      EXPECT_FALSE(validate(read).ok());
    }
}

// Nothing to launch: nothing is counted, and what an earlier launch counted is gone.
TEST_P(Checked, NoRows) {
  IndexerCase kernel(target());
  build(kernel);
  kernel.random(2, 1, /*seed=*/5);
  kernel.setInts("slot", {2}, {-2, 64});
  kernel.run();
  EXPECT_FALSE(kernel.faults.empty());
  kernel.counts["token"] = 0;
  kernel.run();
  EXPECT_TRUE(kernel.faults.empty());
}

TEST_P(Checked, MetadataSaysSo) {
  IndexerCase kernel(target());
  build(kernel);
  const std::string json = toJson(kernel.generated.signature());
  EXPECT_THAT(json, testing::HasSubstr("\"checked\": true"));
  KernelMeta read;
  ASSERT_TRUE(fromJson(json, read).ok());
  EXPECT_EQ(toJson(read), json);
  ASSERT_EQ(read.checks.size(), 2u);
  read.checks[0].index = "nobody";
  EXPECT_FALSE(validate(read).ok());
  read.checks.clear();
  EXPECT_FALSE(validate(read).ok()); // an argument for faults without a check
  IndexerCase fast(target());
  ASSERT_TRUE(fast.build());
  EXPECT_THAT(toJson(fast.generated.signature()), testing::Not(testing::HasSubstr("check")));
  EXPECT_THAT(fast.generated.texts[0], testing::Not(testing::HasSubstr("checkSlot")));
}

} // namespace
} // namespace braid::test
