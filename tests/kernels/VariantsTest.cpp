// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that must agree with one another: the key's part alone, two row counts (AC28), rows of
// other dtypes.

#include "IndexerCase.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace braid::test {
namespace {

class Variants : public OnTargets {};
BRAID_ON_TARGETS(Variants);

TEST_P(Variants, KeyOnlyWritesTheBytesOfTheFusedKernel) {
  for (auto [style, layout, size] : {std::tuple("neox", "linear", 64),
                                     {"gptj", "tiled16", 16},
                                     {"neox", "tiled16", 64},
                                     {"gptj", "linear", 1}}) {
    SCOPED_TRACE(fmt::format("{} {}{}", style, layout, size));
    IndexerCase fused(target()), alone(target());
    alone.kept = {"index_k"};
    for (IndexerCase *kernel : {&fused, &alone}) {
      kernel->style = style;
      kernel->layout = layout;
      kernel->pageSize = size;
      ASSERT_TRUE(kernel->build());
      kernel->random(37, 128 / size, /*seed=*/6);
      kernel->run();
    }
    std::vector<std::string> names;
    for (const OperandMeta &operand : alone.generated.signature().operands)
      names.push_back(operand.name);
    EXPECT_THAT(names, testing::UnorderedElementsAre("k", "gamma", "beta", "angle", "pos", "slot",
                                                     "index_k"));
    EXPECT_EQ(alone.generated.signature().operands.size() + 4,
              fused.generated.signature().operands.size());
    EXPECT_EQ(alone.bytes("k"), fused.bytes("k"));
    EXPECT_EQ(alone.bytes("index_k"), fused.bytes("index_k"));
    EXPECT_NE(alone.bytes("index_k"), std::vector<uint8_t>(128 * 132, 0xA5));
  }
}

// Without the cache, the query's part alone: the slots are no operand, so they shorten nothing.
TEST_P(Variants, QueryOnlyWritesTheBytesOfTheFusedKernel) {
  IndexerCase fused(target()), alone(target());
  alone.kept = {"q8", "w"};
  for (IndexerCase *kernel : {&fused, &alone}) {
    ASSERT_TRUE(kernel->build());
    kernel->random(5, 1, /*seed=*/7);
    kernel->run();
  }
  EXPECT_FALSE(alone.operands.contains("slot") || alone.operands.contains("k"));
  EXPECT_EQ(alone.bytes("q8"), fused.bytes("q8"));
  EXPECT_EQ(alone.bytes("w"), fused.bytes("w"));
}

TEST_P(Variants, AC28_TwoRowCounts) {
  constexpr int64_t kHeads = 3, kPages = 8;
  KernelCase two;
  ASSERT_TRUE(two.prepare(R"(
kernel two_counts(heads: int, n: int, r: int) {
  axis   token, key
  input  q     : bf16[token, heads, n]
  input  gate  : bf16[token, heads]
  input  qpos  : i64[token]
  input  k     : bf16[key, n]
  input  gamma : f32[n]
  input  beta  : f32[n]
  input  kpos  : i64[key]
  input  slot  : i64[key]
  input  angle : f32[position, r]
  output q8    : fp8[token, heads, n]
  output w     : f32[token, heads]
  cache  index_k : linear(page_size = 64, dim = n)

  qr     = round(rope(q, angle[qpos], neox, dims = 0..r, table = joined), bf16)
  q8, qs = quantize(qr, fp8, scale = ue8m0, floor = 1e-10)
  w      = gate * qs * (1 / sqrt(n * heads))
  kn     = round(layer_norm(k, gamma, beta, 1e-6), bf16)
  kr     = round(rope(kn, angle[kpos], neox, dims = 0..r, table = joined), bf16)
  kc, ks = quantize(kr, fp8, scale = ue8m0, floor = 1e-4)
  index_k[slot] = value: kc, scale: ks
})",
                          "", {"heads=3", "n=128", "r=64"}, target()));
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{64, 512}, {512, 64}, {0, 5}, {5, 0}}) {
    SCOPED_TRACE(fmt::format("{} queries, {} keys", queries, keys));
    IndexerCase query(target()), key(target());
    query.kept = {"q8", "w"};
    key.kept = {"index_k"};
    for (IndexerCase *kernel : {&query, &key}) {
      kernel->heads = kHeads;
      ASSERT_TRUE(kernel->build());
      kernel->random(kernel == &query ? queries : keys, kPages, /*seed=*/28);
    }
    for (const auto &[name, array] : query.operands)
      two.operands[name == "pos" ? "qpos" : name] = array;
    for (const auto &[name, array] : key.operands)
      two.operands[name == "pos" ? "kpos" : name] = array;
    // Outputs of its own.
    two.fill("q8", {queries, kHeads, 128}, 0xA5);
    two.fill("w", {queries, kHeads}, 0xA5);
    two.fill("index_k", {kPages, 8448}, 0xA5);
    two.run();
    query.run();
    key.run();
    EXPECT_EQ(two.bytes("q8"), query.bytes("q8"));
    EXPECT_EQ(two.bytes("w"), query.bytes("w"));
    EXPECT_EQ(two.bytes("index_k"), key.bytes("index_k"));
    EXPECT_EQ(key.bytes("index_k") == std::vector<uint8_t>(kPages * 8448, 0xA5), keys == 0);
  }
}

// Both parts have as many workgroups as rows; either may come first in the grid and have none.
TEST_P(Variants, AC28_TwoRowCountsOfEqualParts) {
  for (auto [tokens, keys] : {std::pair<int64_t, int64_t>{3, 2}, {0, 5}, {5, 0}}) {
    SCOPED_TRACE(fmt::format("{} tokens, {} keys", tokens, keys));
    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(R"(
kernel two_equal() {
  axis   token, key
  input  a : f32[token, 8, 128]
  input  b : f32[key, 8, 128]
  output x : f32[token, 8, 128]
  output y : f32[key, 8, 128]
  x = a * 2
  y = b * 3
})",
                               "", {}, target()));
    kernel.setFloats("a", {tokens, 8, 128}, std::vector<float>(tokens * 1024, 1.5f));
    kernel.setFloats("b", {keys, 8, 128}, std::vector<float>(keys * 1024, 1.5f));
    kernel.fill("x", {tokens, 8, 128}, 0xA5);
    kernel.fill("y", {keys, 8, 128}, 0xA5);
    kernel.run();
    EXPECT_EQ(kernel.floats("x"), std::vector<float>(tokens * 1024, 3));
    EXPECT_EQ(kernel.floats("y"), std::vector<float>(keys * 1024, 4.5f));
  }
}

TEST_P(Variants, RowsOfF16AndF32) {
  for (const char *io : {"f16", "f32"})
    for (const char *style : {"neox", "gptj"}) {
      SCOPED_TRACE(fmt::format("{} {}", io, style));
      IndexerCase kernel(target());
      kernel.io = io;
      kernel.style = style;
      kernel.heads = 24;
      ASSERT_TRUE(kernel.build());
      kernel.random(11, 1, /*seed=*/9);
      kernel.run();
      // A number of AC4: 0.1 of the rows' type differs from bf16's, but not its code.
      kernel.plain(1, 1);
      const std::vector<float> row = {3, -1.5, 0.1f};
      for (int64_t i = 0; i < 3; ++i) {
        kernel.put("q", {0, 5, 64 + i}, row[i]);
        kernel.put("beta", {64 + i}, row[i]);
      }
      kernel.run();
      std::vector<uint8_t> cache = kernel.bytes("index_k");
      const std::vector<unsigned> codes = {0x7C, 0xF4, 0x55};
      for (int64_t i = 0; i < 3; ++i) {
        EXPECT_EQ(kernel.bitsAt("q8", {0, 5, 64 + i}), codes[i]);
        EXPECT_EQ(cache[64 + i], codes[i]);
      }
      EXPECT_EQ(kernel.cacheFloat(8192), pick(0x1p-7f, 0x1p-6f));
    }
}

} // namespace
} // namespace braid::test
