// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is a row and what a scalar of one, where a program leaves it open; and axes that match by
// extent. Each case was found by random programs (tests/fuzz).

#include "KernelCase.h"

#include <fmt/format.h>

using namespace mlir;

namespace braid::test {
namespace {

struct OpenCase {
  const char *name, *text;
};

const OpenCase kCases[] = {
    {"RowOfOneStoreScalarOfAnother", R"(kernel k(h: int = 8, d: int = 64) {
  axis t
  input x : f32[t, h, d]
  input s : f32[t, h]
  output z : f32[t, h]
  output y : f32[t, h, d]
  z = s * 2
  y = x * s
})"},
    {"RowOfOneStoreScalarOfRowsInFlight", R"(kernel k(h: int = 32, d: int = 128) {
  axis t
  input x : f32[t, h, d]
  input s : f32[t, h]
  output z : f32[t, h]
  output y : f32[t, h, d]
  z = s * 2
  y = x * s
})"},
    {"ScalarsOverOneHead", R"(kernel k(h: int = 1) {
  axis t
  input s : bf16[t, h]
  output z : f32[t, h]
  z = s + 1
})"},
    {"ScalarsOverFiveHeads", R"(kernel k(h: int = 5) {
  axis t
  input s : bf16[t, h]
  output z : f32[t, h]
  z = s + 1
})"},
    {"ElementsOfALongRow", R"(kernel k() {
  axis t
  input x : bf16[t, 1536]
  output y : f32[t, 1536]
  y = x + 1
})"},
    {"TableAsWideAsAHeadCount", R"(kernel k(h: int = 2, g: int = 9, d: int = 8) {
  axis t
  input x : f32[t, h, g, d]
  input pos : i64[t]
  input table : f16[position, 2]
  output y : f32[t, h, g, d]
  y = rope(x, table[pos], neox, dims = 3..5, table = joined)
})"},
    {"WeightsOverAnAxisOfAnotherName", R"(kernel k(d: int = 64, e: int = 64) {
  axis t
  input x : f32[t, d]
  input gamma : f32[e]
  input beta : f32[e]
  output y : f32[t, d]
  y = layer_norm(x, gamma, beta, 1e-6)
})"},
    {"EntryOverAnUnnamedAxis", R"(kernel k(h: int = 5, d: int = 32) {
  axis t
  input x : f32[t, 5, d]
  input slot : i64[t, h]
  cache keys : linear(page_size = 16, dim = 32)
  c, s = quantize(x, fp8, scale = ue8m0, floor = 1e-4)
  keys[slot] = value: c, scale: s
})"},
};

// A table lookup behind every number of values, so that the reference's own store grows at each.
std::string lookupsBehindValues(unsigned count) {
  std::string text = R"(kernel k() {
  axis t
  input x : f32[t, 4]
  input pos : i64[t]
  input table : f32[position, 4]
  output y : f32[t, 4]
  v0 = x + 1
)";
  for (unsigned i = 1; i <= count; ++i)
    text += fmt::format("  v{0} = v{1} + {0} * table[pos]\n", i, i - 1);
  return text + fmt::format("  y = v{} * 1\n}}\n", count);
}

class OpenRows : public testing::TestWithParam<OpenCase> {};

// Also with a kernel for each store, where nothing of the kernel tells the one from the other.
TEST_P(OpenRows, EqualTheReference) {
  for (const char *grouping : {"fused", "unfused"})
    for (const char *target : {"gfx942", "gfx950", "sm_90"}) {
      SCOPED_TRACE(fmt::format("{} on {}", grouping, target));
      MLIRContext context(MLIRContext::Threading::DISABLED);
      loadBraidDialects(context);
      dsl::Program program = dsl::parseProgram(context, {GetParam().text});
      ASSERT_TRUE(program.module) << renderText(program.diagnostics.front());
      tool::Verifier verifier;
      Status status;
      ASSERT_TRUE(succeeded(verifier.prepare(*program.module, {target, {}, grouping}, status)));
      tool::VerifyResult result = verifier.verify({});
      EXPECT_TRUE(result.equal()) << result.status.text() << result.differences;
    }
}

TEST(ManyValues, EqualTheReference) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadBraidDialects(context);
  for (unsigned count : {8u, 16u, 32u, 64u, 96u}) {
    dsl::Program program = dsl::parseProgram(context, {lookupsBehindValues(count)});
    ASSERT_TRUE(program.module) << renderText(program.diagnostics.front());
    tool::Verifier verifier;
    Status status;
    ASSERT_TRUE(succeeded(verifier.prepare(*program.module, {"gfx942", {}}, status)));
    tool::VerifyResult result = verifier.verify({});
    EXPECT_TRUE(result.equal()) << count << result.status.text() << result.differences;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, OpenRows, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace braid::test
