// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of several lengths in one section share lane groups and differ in nothing from rows alone.

#include "KernelCase.h"

using namespace mlir;

namespace braid::test {
namespace {

constexpr const char *kProgram = R"(
kernel k(style: rope_style, heads: int) {
  axis   token
  input  latent : bf16[token, heads, 512]
  input  pe     : bf16[token, heads, 64]
  input  few    : f32[token, heads, 4]
  input  gamma  : f32[512]
  input  beta   : f32[512]
  input  angle  : f32[position, 64]
  input  pos    : i64[token]
  output a : bf16[token, heads, 512]
  output b : bf16[token, heads, 64]
  output c : f8e4m3fn[token, heads, 4]
  output d : f32[token, heads]
  a    = round(layer_norm(latent, gamma, beta, 1e-6), bf16)
  b    = round(rope(pe, angle[pos], style, dims = 0..64, table = joined), bf16)
  c, s = quantize(few, f8e4m3fn, scale = ue8m0, floor = 1e-4)
  d    = s * 3
}
)";

class MixedRows : public testing::TestWithParam<std::tuple<const char *, const char *, const char *>> {};

TEST_P(MixedRows, EqualTheReference) {
  const auto &[target, style, heads] = GetParam();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadBraidDialects(context);
  dsl::Program program = dsl::parseProgram(
      context, {kProgram, "k.braid", "", "", {std::string("style=") + style, std::string("heads=") + heads}});
  ASSERT_TRUE(program.module);
  tool::Verifier verifier;
  Status status;
  ASSERT_TRUE(succeeded(verifier.prepare(*program.module, {target, {}}, status)));
  ASSERT_TRUE(status.ok()) << status.text();
  for (int64_t tokens : {1, 13, 64}) {
    tool::VerifyOptions options;
    options.tokens = tokens;
    tool::VerifyResult result = verifier.verify(options);
    EXPECT_TRUE(result.equal()) << tokens << ": " << result.status.text() << result.differences;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, MixedRows,
                         testing::Combine(testing::Values("gfx942", "gfx950", "sm_90"),
                                          testing::Values("neox", "gptj"), testing::Values("1", "5", "16")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) +
                                  "_" + std::get<2>(info.param);
                         });

} // namespace
} // namespace braid::test
