// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of any length, and every way in which a schedule may spread them: results are those of the
// reference, whatever lane, wave or register holds an element.

#include "KernelCase.h"

#include "codegen/grouping/Schedule.h"
#include "codegen/targets/Targets.h"

#include <fmt/format.h>

using namespace mlir;

namespace braid::test {
namespace {

constexpr const char *kNorm = R"(
kernel k(n: int) {
  axis   token
  input  x     : bf16[token, 2, n]
  input  k     : f32[token, n]
  input  gamma : f32[n]
  input  beta  : bf16[n]
  input  slot  : i32[token]
  output y     : f16[token, 2, n]
  output c     : fp8[token, 2, n]
  output s     : f32[token, 2]
  cache  keys  : linear(page_size = 4, dim = n)
  h    = layer_norm(x, gamma, beta, 1e-6)
  y    = round(h, f16)
  c, s = quantize(h, fp8, scale = ue8m0, floor = 1e-10)
  kc, ks = quantize(k, fp8, scale = ue8m0, floor = 1e-4)
  keys[slot] = value: kc, scale: ks
}
)";

constexpr const char *kRope = R"(
kernel k(n: int, style: rope_style, first: int, last: int) {
  axis   token
  input  x     : bf16[token, 3, n]
  input  angle : f32[position, last - first]
  input  pos   : i64[token]
  output y     : bf16[token, 3, n]
  output z     : f32[token, 3, n]
  output c     : fp8[token, 3, n]
  r    = rope(x, angle[pos], style, dims = first..last, table = joined)
  z    = max(r, -r)
  y    = round(r, bf16)
  c, s = quantize(y, fp8, scale = ue8m0, floor = 1e-10)
}
)";

// What a length is cut into, and joined from, in several ways.
constexpr const char *kParts = R"(
kernel k(n: int, at: int) {
  axis   token
  input  x     : bf16[token, 3, n]
  input  y     : f32[token, n]
  input  gamma : f32[n]
  input  beta  : f32[n]
  output u     : f32[token, 3, at]
  output v     : bf16[token, 3, n - at]
  output w     : f32[token, 3, 2 * n]
  output z     : bf16[token, 3, n]
  output t     : bf16[token, n]
  output r     : f32[token, n - at]
  output o     : f32[token, 3, n + at]
  output q     : fp8[token, n - at]
  h = layer_norm(x, gamma, beta, 1e-6)
  u = h[0..at] * 2
  v = round(h, bf16)[at..n]
  w = concat(h, y)
  z = concat(round(x[at..n], bf16), round(x[0..at], bf16))
  a, b = split(y, at, n - at)
  t = round(concat(b, a) * 3, bf16)
  r = concat(a, b)[at..n]
  o = concat(x[0..at], h) * 2
  c, s = quantize(y, fp8, scale = ue8m0, floor = 1e-4)
  q = c[at..n]
}
)";

struct Case {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  dsl::Program program;

  Case(const char *text, const std::vector<std::string> &sets) {
    loadBraidDialects(context);
    program = dsl::parseProgram(context, {text, "k.braid", "", "", sets});
    EXPECT_TRUE(program.module);
  }

  void expectEqual(const std::string &target, std::vector<std::string> bits, int64_t tokens) {
    ASSERT_TRUE(program.module);
    tool::Verifier verifier;
    Status status;
    ASSERT_TRUE(succeeded(
        verifier.prepare(*program.module, {target, {}, /*grouping=*/{}, /*checked=*/false, bits}, status)));
    ASSERT_TRUE(status.ok()) << status.text();
    tool::VerifyOptions options;
    options.tokens = tokens;
    tool::VerifyResult result = verifier.verify(options);
    EXPECT_GT(result.compared, 0);
    EXPECT_TRUE(result.equal()) << result.status.text() << result.differences;
  }
};

std::string number(const char *name, int64_t value) { return fmt::format("{}={}", name, value); }

class Rows : public testing::TestWithParam<const char *> {};

TEST_P(Rows, OfAnyLengthEqualTheReference) {
  for (int64_t n : {1, 2, 3, 7, 65, 192, 576, 1536, 2048, 2880, 7168, 16384}) {
    SCOPED_TRACE(n);
    Case(kNorm, {number("n", n)}).expectEqual(GetParam(), {}, 3);
  }
}

TEST_P(Rows, RotateWhereverPartnersAre) {
  struct Shape {
    int64_t n, first, last;
  };
  for (Shape shape : {Shape{6, 2, 6},
                      {65, 0, 64},
                      {96, 0, 96},
                      {100, 4, 96},
                      {576, 512, 576},
                      {1536, 0, 1536},
                      {2880, 64, 128},
                      {4096, 0, 4096},
                      {7168, 10, 7010}})
    for (const char *style : {"neox", "gptj"}) {
      SCOPED_TRACE(fmt::format("{} dims {}..{} of {}", style, shape.first, shape.last, shape.n));
      Case(kRope, {number("n", shape.n), number("first", shape.first), number("last", shape.last),
                   std::string("style=") + style})
          .expectEqual(GetParam(), {}, 2);
    }
}

// S-PART-1.
TEST_P(Rows, PartsKeepTheirElements) {
  for (auto [n, at] : {std::pair(2, 1),
                       {3, 2},
                       {8, 3},
                       {65, 1},
                       {192, 128},
                       {576, 512},
                       {1536, 1024},
                       {2880, 700}}) {
    SCOPED_TRACE(fmt::format("{} of {}", at, n));
    Case(kParts, {number("n", n), number("at", at)}).expectEqual(GetParam(), {}, 3);
  }
}

// Of all legal schedules of a length, every `step`-th; `given` are those of other lengths.
void expectEverySchedule(const std::string &target, const char *text, std::vector<std::string> sets,
                         int64_t n, size_t step, const std::vector<std::string> &given = {}) {
  sets.push_back(number("n", n));
  Case program(text, sets);
  std::vector<std::string> all = legalBits(n, lookupTarget(target)->waveSize, /*mostPerLane=*/64);
  ASSERT_GT(all.size(), step);
  for (size_t i = step / 2; i < all.size(); i += step) {
    SCOPED_TRACE(fmt::format("{} elements as {}", n, all[i]));
    std::vector<std::string> bits = given;
    bits.push_back(fmt::format("{}={}", n, all[i]));
    program.expectEqual(target, bits, 2);
  }
}

// S-SUM-3.
TEST_P(Rows, NoScheduleChangesANorm) {
  expectEverySchedule(GetParam(), kNorm, {}, 12, 1);
  expectEverySchedule(GetParam(), kNorm, {}, 40, 5);
  expectEverySchedule(GetParam(), kNorm, {}, 576, 71);
  expectEverySchedule(GetParam(), kNorm, {}, 2880, 223);
}

TEST_P(Rows, NoScheduleChangesARotation) {
  for (const char *style : {"style=neox", "style=gptj"}) {
    expectEverySchedule(GetParam(), kRope, {style, "first=4", "last=12"}, 12, 1);
    expectEverySchedule(GetParam(), kRope, {style, "first=32", "last=96"}, 96, 11);
    expectEverySchedule(GetParam(), kRope, {style, "first=6", "last=500"}, 576, 97);
  }
}

// Two lengths in a section: the sides lie where the main row leaves lanes.
TEST_P(Rows, NoScheduleChangesParts) { expectEverySchedule(GetParam(), kParts, {"at=7"}, 12, 1, {"24=lllll"}); }

INSTANTIATE_TEST_SUITE_P(Targets, Rows, testing::Values("gfx942", "gfx950", "sm_90"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace braid::test
