// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Acceptance cases 19, 20, 21 and 29: strides, head counts and row counts of a launch.

#include "IndexerCase.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace braid::test {
namespace {

using testing::Each;

class Launch : public OnTargets {
protected:
  static void expectSame(const IndexerCase &a, const IndexerCase &b) {
    for (const char *name : {"q8", "w", "index_k"})
      EXPECT_EQ(a.bytes(name), b.bytes(name)) << name;
  }
};

BRAID_ON_TARGETS(Launch);

// One row of a projection's result, and where its parts begin.
constexpr int64_t kRow = 4256, kKey = 4096, kGate = 4224;

// Columns begin..end-1 of `packed`, as rows of `inner`.
HostArray columns(const HostArray &packed, int64_t begin, std::vector<int64_t> inner) {
  int64_t width = 1;
  for (int64_t extent : inner)
    width *= extent;
  HostArray view;
  EXPECT_TRUE(packed.slice(1, begin, begin + width, view).ok());
  view.extents.pop_back();
  view.strides = {packed.strides[0]};
  for (int64_t extent : inner) {
    width /= extent;
    view.extents.push_back(extent);
    view.strides.push_back(width);
  }
  return view;
}

TEST_P(Launch, AC19_StridedInputs) {
  constexpr int64_t kTokens = 9;
  IndexerCase copies(target()), slices(target());
  for (IndexerCase *kernel : {&copies, &slices}) {
    ASSERT_TRUE(kernel->build());
    kernel->random(kTokens, 1, /*seed=*/19);
    for (int64_t i = 0; i < kTokens; ++i)
      kernel->putInt("slot", {i}, 7 * i);
  }
  HostArray packed;
  ASSERT_TRUE(HostArray::zeros(DType::BF16, {kTokens, kRow}, packed).ok());
  auto bind = [&](const char *name, int64_t begin, std::vector<int64_t> inner) {
    HostArray view = columns(packed, begin, std::move(inner)), &dense = slices.operands[name];
    ASSERT_EQ(view.extents, dense.extents);
    for (int64_t i = 0; i < view.elementCount(); ++i)
      view.storeBits(view.offsetOf(i), dense.loadBits(dense.offsetOf(i)));
    dense = view;
  };
  bind("q", 0, {32, 128});
  bind("k", kKey, {128});
  bind("gate", kGate, {32});
  ASSERT_EQ(slices.operands["q"].strides, (std::vector<int64_t>{4256, 128, 1}));
  ASSERT_EQ(slices.operands["gate"].strides, (std::vector<int64_t>{4256, 1}));
  copies.run();
  slices.run();
  expectSame(copies, slices);
  EXPECT_NE(copies.bytes("q8"), std::vector<uint8_t>(kTokens * 4096, 0xA5));
}

// Every other operand with strides of its own: outputs, table, ids.
TEST_P(Launch, AC19_StridedOutputsTablesAndIds) {
  constexpr int64_t kTokens = 6;
  IndexerCase dense(target()), strided(target());
  for (IndexerCase *kernel : {&dense, &strided}) {
    kernel->heads = 5;
    ASSERT_TRUE(kernel->build());
    kernel->random(kTokens, 1, /*seed=*/191);
  }
  std::map<std::string, HostArray> whole;
  for (const char *name : {"q8", "w", "angle", "pos", "slot", "gate"}) {
    HostArray &array = strided.operands[name], &wide = whole[name];
    std::vector<int64_t> extents = array.extents;
    extents.insert(extents.begin() + 1, 3); // two more rows behind each
    ASSERT_TRUE(HostArray::zeros(array.dtype, extents, wide).ok());
    std::memset(wide.data(), 0xA5, wide.byteCount());
    HostArray view;
    ASSERT_TRUE(wide.slice(1, 0, 1, view).ok());
    view.extents.erase(view.extents.begin() + 1);
    view.strides.erase(view.strides.begin() + 1);
    for (int64_t i = 0; i < array.elementCount(); ++i)
      view.storeBits(view.offsetOf(i), array.loadBits(array.offsetOf(i)));
    array = view;
  }
  dense.run();
  strided.run();
  expectSame(dense, strided);
  for (const auto &[name, wide] : whole) {
    HostArray gaps, packed;
    ASSERT_TRUE(wide.slice(1, 1, 3, gaps).ok() && gaps.contiguous(packed).ok());
    for (std::byte byte : packed.contiguousBytes())
      ASSERT_EQ(byte, std::byte{0xA5}) << "between the rows of " << name;
  }
}

TEST_P(Launch, AC19_NarrowIds) {
  IndexerCase wide(target()), narrow(target());
  narrow.ids = "i32";
  const std::vector<int64_t> slots = {60, -1, 3, 64, 127, 128, 0},
                             positions = {3, 15, 16, -1, 9, 0, 1};
  for (IndexerCase *kernel : {&wide, &narrow}) {
    kernel->heads = 8;
    ASSERT_TRUE(kernel->build());
    kernel->random(7, 2, /*seed=*/4);
    kernel->setInts("slot", {7}, slots);
    kernel->setInts("pos", {7}, positions);
    kernel->run();
  }
  EXPECT_EQ(narrow.meta("slot").dtype, DType::I32);
  expectSame(wide, narrow);
}

TEST(LaunchDsl, AC19_Int16IsRefused) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadBraidDialects(context);
  dsl::Program program =
      dsl::parseProgram(context, {dsaIndexer(), "test.braid", "", "glm5", {"ids=i16"}});
  EXPECT_FALSE(program.module);
  ASSERT_FALSE(program.diagnostics.empty());
  EXPECT_THAT(renderText(program.diagnostics[0]), testing::HasSubstr("i16"));
  EXPECT_THAT(program.diagnostics[0].id, testing::StartsWith("BR01"));
}

TEST_P(Launch, AC20_HeadCounts) {
  for (int64_t heads : {1, 8, 24, 33, 64, 128}) {
    SCOPED_TRACE(heads);
    constexpr int64_t kTokens = 7, kRows = 9; // rows of the outputs beyond the count
    IndexerCase kernel(target());
    kernel.heads = heads;
    ASSERT_TRUE(kernel.build());
    kernel.random(kTokens, 2, /*seed=*/20 + heads);
    kernel.fill("q8", {kRows, heads, 128}, 0xA5);
    kernel.fill("w", {kRows, heads}, 0xA5);
    for (const char *name : {"q8", "w", "index_k"})
      kernel.guard(name);
    kernel.run();
    kernel.expectGuardsIntact();
    std::vector<uint8_t> q8 = kernel.bytes("q8"), w = kernel.bytes("w");
    EXPECT_THAT(std::vector<uint8_t>(q8.begin() + kTokens * heads * 128, q8.end()), Each(0xA5));
    EXPECT_THAT(std::vector<uint8_t>(w.begin() + kTokens * heads * 4, w.end()), Each(0xA5));
    for (int64_t token = 0; token < kTokens; ++token)
      for (int64_t head = 0; head < heads; ++head)
        ASSERT_NE(kernel.bitsAt("w", {token, head}), 0xA5A5A5A5u) << token << ", " << head;
  }
}

TEST_P(Launch, AC21_NoRows) {
  IndexerCase kernel(target());
  ASSERT_TRUE(kernel.build());
  kernel.random(3, 1, /*seed=*/21);
  kernel.counts["token"] = 0;
  kernel.run();
  for (const char *name : {"q8", "w", "index_k"})
    EXPECT_THAT(kernel.bytes(name), Each(0xA5)) << name;
  // Without rows nothing is looked at: no memory, no table, no pages.
  kernel.counts.clear();
  kernel.random(0, 0, /*seed=*/21);
  kernel.array("angle", {0, 64});
  Status status = kernel.launchStatus();
  EXPECT_TRUE(status.ok()) << status.text();
}

TEST_P(Launch, AC29_CaptureWidth) {
  constexpr int64_t kBound = 64, kLaunched = 41, kPages = 2;
  IndexerCase kernel(target());
  kernel.heads = 8;
  ASSERT_TRUE(kernel.build());
  kernel.random(kBound, kPages, /*seed=*/29);
  for (int64_t i = 0; i < kBound; ++i)
    kernel.putInt("slot", {i}, (i * 37 + 5) % 128); // the rest would be stored elsewhere
  kernel.counts["token"] = kLaunched;
  kernel.run();
  std::vector<uint8_t> q8 = kernel.bytes("q8"), w = kernel.bytes("w");
  EXPECT_THAT(std::vector<uint8_t>(q8.begin() + kLaunched * 1024, q8.end()), Each(0xA5));
  EXPECT_THAT(std::vector<uint8_t>(w.begin() + kLaunched * 32, w.end()), Each(0xA5));
  for (int64_t head = 0; head < 8; ++head)
    EXPECT_NE(kernel.bitsAt("w", {kLaunched - 1, head}), 0xA5A5A5A5u);
  std::vector<uint8_t> cache = kernel.bytes("index_k");
  std::vector<bool> live(kPages * 64);
  for (int64_t i = 0; i < kLaunched; ++i)
    live[(i * 37 + 5) % 128] = true;
  for (int64_t slot = 0; slot < kPages * 64; ++slot) {
    int64_t page = slot / 64 * 8448, t = slot % 64;
    auto code = cache.begin() + page + t * 128, scale = cache.begin() + page + 8192 + t * 4;
    auto held = [](uint8_t byte) { return byte == 0xA5; };
    EXPECT_EQ(std::all_of(code, code + 128, held), !live[slot]) << slot;
    EXPECT_EQ(std::all_of(scale, scale + 4, held), !live[slot]) << slot;
  }
  kernel.counts["token"] = kBound + 1;
  Status status = kernel.launchStatus();
  EXPECT_EQ(status.id, errorId(Error::CountTooLarge)) << status.text();
}

} // namespace
} // namespace braid::test
