// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Acceptance cases 4, 5, 8, 9 and 12: the numbers that one row of the indexer gives.

#include "IndexerCase.h"

#include "codegen/reference/FloatFormat.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

namespace braid::test {
namespace {

using testing::Each;
using testing::HasSubstr;

class Acceptance : public OnTargets {
protected:
  /// The codes of token 0 in a linear cache.
  static std::vector<uint8_t> keyCodes(const IndexerCase &kernel) {
    std::vector<uint8_t> bytes = kernel.bytes("index_k");
    return {bytes.begin(), bytes.begin() + kernel.headDim};
  }
  static float keyScale(const IndexerCase &kernel) {
    return kernel.cacheFloat(kernel.pageSize * kernel.headDim);
  }
  static void expectNoNaN(const IndexerCase &kernel) {
    for (float code : kernel.floats("q8"))
      EXPECT_FALSE(std::isnan(code));
    for (float weight : kernel.floats("w"))
      EXPECT_TRUE(std::isfinite(weight));
  }
};

BRAID_ON_TARGETS(Acceptance);

TEST_P(Acceptance, AC4_CodesUseTheStoredScale) {
  IndexerCase kernel(target());
  ASSERT_TRUE(kernel.build());
  kernel.plain(1, 1);
  const std::vector<float> row = {3, -1.5, 0.1f}; // put rounds to bf16
  for (int64_t head : {0, 13, 31}) {
    kernel.put("gate", {0, head}, 1);
    for (int64_t i = 0; i < 3; ++i)
      kernel.put("q", {0, head, i}, row[i]);
  }
  kernel.run();
  for (int64_t head : {0, 13, 31}) {
    EXPECT_EQ(kernel.bitsAt("q8", {0, head, 0}), 0x7Cu);
    EXPECT_EQ(kernel.bitsAt("q8", {0, head, 1}), 0xF4u);
    EXPECT_EQ(kernel.bitsAt("q8", {0, head, 2}), 0x55u);
    for (int64_t i = 3; i < kernel.headDim; ++i)
      EXPECT_EQ(kernel.bitsAt("q8", {0, head, i}), 0u);
    // 1/sqrt(128 * 32) is 2^-6.
    EXPECT_EQ(kernel.floatAt("w", {0, head}), pick(0x1p-7f, 0x1p-6f) * 0x1p-6f);
  }
}

// The key's codes and scale stand side by side in the page; a row of beta reaches them unchanged.
TEST_P(Acceptance, AC4_KeyCodesUseTheStoredScale) {
  IndexerCase kernel(target());
  ASSERT_TRUE(kernel.build());
  kernel.plain(1, 1);
  const std::vector<float> row = {3, -1.5, 0.1f};
  for (int64_t i = 0; i < 3; ++i)
    kernel.put("beta", {i}, row[i]);
  kernel.run();
  std::vector<uint8_t> expected(kernel.headDim, 0);
  expected[0] = 0x7C, expected[1] = 0xF4, expected[2] = 0x55;
  EXPECT_EQ(keyCodes(kernel), expected);
  EXPECT_EQ(keyScale(kernel), pick(0x1p-7f, 0x1p-6f));
}

TEST_P(Acceptance, AC5_ZeroRows) {
  IndexerCase kernel(target());
  ASSERT_TRUE(kernel.build());
  kernel.plain(3, 1);
  for (int64_t head = 0; head < kernel.heads; ++head)
    for (int64_t token = 0; token < 3; ++token)
      kernel.put("gate", {token, head}, 2);
  for (int64_t i = 0; i < kernel.headDim; ++i)
    kernel.put("k", {1, i}, 7); // normalises to zero as well
  kernel.run();
  EXPECT_THAT(kernel.bits("q8"), Each(0u));
  EXPECT_THAT(kernel.floats("w"), Each(2 * pick(0x1p-42f, 0x1p-41f) * 0x1p-6f));
  std::vector<uint8_t> cache = kernel.bytes("index_k");
  for (int64_t token = 0; token < 3; ++token) {
    for (int64_t i = 0; i < kernel.headDim; ++i)
      EXPECT_EQ(cache[token * kernel.headDim + i], 0u);
    EXPECT_EQ(kernel.cacheFloat(64 * 128 + 4 * token), pick(0x1p-22f, 0x1p-21f));
  }
  expectNoNaN(kernel);
}

TEST_P(Acceptance, AC8_LayerNormNotRmsNorm) {
  IndexerCase kernel(target());
  ASSERT_TRUE(kernel.build());
  kernel.plain(1, 1);
  for (int64_t i = 0; i < kernel.headDim; ++i) {
    kernel.put("k", {0, i}, 5);
    kernel.put("beta", {i}, 0.5);
  }
  kernel.run();
  EXPECT_THAT(keyCodes(kernel), Each(0x78)); // 0x7C would be RMSNorm
  EXPECT_EQ(keyScale(kernel), pick(0x1p-9f, 0x1p-8f));
}

TEST_P(Acceptance, AC9_EpsMatters) {
  struct Fact {
    const char *eps, *magnitude;
    float rounded;
    unsigned code;
    float fnScale;
  };
  // The codes follow from the rounded magnitude: 358 (fn) rounds to 352, and 302 to 288.
  for (const Fact &fact : {Fact{"1e-6", "0.698673", 0.69921875f, 0x7B, 0x1p-9f},
                           Fact{"1e-5", "0.295067", 0.294921875f, 0x79, 0x1p-10f}}) {
    SCOPED_TRACE(fact.eps);
    KernelCase norm;
    ASSERT_TRUE(norm.prepare(R"(
kernel norm(eps: f32) {
  axis   token
  input  k     : bf16[token, 128]
  input  gamma : f32[128]
  input  beta  : f32[128]
  output wide  : f32[token, 128]
  output slim  : bf16[token, 128]
  y    = layer_norm(k, gamma, beta, eps)
  wide = y
  slim = round(y, bf16)
})",
                             "", {std::string("eps=") + fact.eps}, target()));
    norm.array("k", {1, 128});
    norm.setFloats("gamma", {128}, std::vector<float>(128, 1));
    norm.array("beta", {128});
    norm.fill("wide", {1, 128}, 0xA5);
    norm.fill("slim", {1, 128}, 0xA5);
    IndexerCase kernel(target());
    kernel.eps = fact.eps;
    ASSERT_TRUE(kernel.build());
    kernel.plain(1, 1);
    for (int64_t i = 0; i < 128; ++i) {
      norm.put("k", {0, i}, i % 2 ? -0x1p-10f : 0x1p-10f);
      kernel.put("k", {0, i}, i % 2 ? -0x1p-10f : 0x1p-10f);
    }
    norm.run();
    kernel.run();
    std::vector<uint8_t> codes = keyCodes(kernel);
    for (int64_t i = 0; i < 128; ++i) {
      EXPECT_EQ(fmt::format("{:.6f}", norm.floatAt("wide", {0, i})),
                (i % 2 ? "-" : "") + std::string(fact.magnitude));
      EXPECT_EQ(norm.floatAt("slim", {0, i}), i % 2 ? -fact.rounded : fact.rounded);
      EXPECT_EQ(codes[i], fact.code | (i % 2 ? 0x80 : 0)) << i;
    }
    EXPECT_EQ(keyScale(kernel), fact.fnScale * pick(1.f, 2.f));
  }
}

// S-NORM-3.
TEST(AcceptanceDsl, AC9_AProgramWithoutEpsDoesNotCompile) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadBraidDialects(context);
  dsl::Program program =
      dsl::parseProgram(context, {dsaIndexer(),
                                  "test.braid",
                                  "",
                                  "",
                                  {"heads=32", "head_dim=128", "rope_dim=64", "style=neox",
                                   "page=linear(page_size=64, dim=128)"}});
  EXPECT_FALSE(program.module);
  ASSERT_EQ(program.diagnostics.size(), 1u);
  EXPECT_EQ(program.diagnostics[0].id, "BR0115");
  EXPECT_THAT(program.diagnostics[0].message, HasSubstr("`eps`"));

  std::string text = dsaIndexer();
  text.replace(text.find("beta, eps)"), 10, "beta)");
  program = dsl::parseProgram(context, {text, "test.braid", "", "deepseek_v32", {}});
  EXPECT_FALSE(program.module);
  ASSERT_FALSE(program.diagnostics.empty());
  EXPECT_EQ(program.diagnostics[0].id, "BR0137");
  EXPECT_THAT(program.diagnostics[0].message, HasSubstr("`eps`"));
}

TEST_P(Acceptance, AC12_HeadGate) {
  struct Fact {
    int64_t heads;
    const char *fn, *fnuz; // nine decimals of the answer
  };
  for (const Fact &fact :
       {Fact{32, "0.031250000", "0.062500000"}, Fact{64, "0.022097087", "0.044194173"},
        Fact{24, "0.036084391", "0.072168782"}}) {
    SCOPED_TRACE(fact.heads);
    IndexerCase kernel(target());
    kernel.heads = fact.heads;
    ASSERT_TRUE(kernel.build());
    kernel.plain(2, 1);
    for (int64_t token = 0; token < 2; ++token)
      for (int64_t head = 0; head < fact.heads; ++head) {
        kernel.put("gate", {token, head}, 2);
        kernel.put("q", {token, head, (head * 5 + 3) % 128}, head % 2 ? -448 : 448);
      }
    kernel.run();
    float scale = pick(1.f, 2.f);
    float constant = static_cast<float>(1 / std::sqrt(128. * fact.heads));
    float answer = 2.f * scale; // left to right
    answer = answer * constant;
    EXPECT_EQ(fmt::format("{:.9f}", answer), pick(fact.fn, fact.fnuz));
    EXPECT_THAT(kernel.floats("w"), Each(answer));
  }
}

} // namespace
} // namespace braid::test
