// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that are read and written: the right-hand side sees the value at entry, whatever order
// lanes run in, and wherever the statement stands; what may share memory with them; f16 everywhere;
// two outputs of one value.

#include "KernelCase.h"

#include "codegen/reference/FloatFormat.h"

#include <gmock/gmock.h>

#include <cmath>

namespace braid::test {
namespace {

class InOut : public testing::TestWithParam<const char *> {};

std::vector<float> ramp(size_t count, float step = 0.125f) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) * step;
  return values;
}

// Nothing but the order of loads and stores: no exchange keeps the lanes in step. The scalar is
// read by all lanes of its row, and stored by one.
// S-INOUT-1.
TEST_P(InOut, EveryLaneReadsTheValueAtEntry) {
  for (const char *heads : {"1", "3", "16", "40"}) {
    SCOPED_TRACE(heads);
    int64_t n = std::stoll(heads), tokens = 5;
    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(R"(
kernel k(heads: int) {
  axis   token
  inout  x : bf16[token, heads, 128]
  inout  s : f32[token, heads]
  input  t : f32[position, 128]
  input  i : i32[token]
  output y : f32[token, heads, 128]
  s = s * 2
  x = round(x + s + t[i], bf16)
  y = x * s
})",
                               "", {std::string("heads=") + heads}, GetParam()));
    std::vector<float> x = ramp(tokens * n * 128), s = ramp(tokens * n, 1);
    kernel.setFloats("x", {tokens, n, 128}, x);
    kernel.setFloats("s", {tokens, n}, s);
    kernel.array("t", {1, 128});
    kernel.array("i", {tokens});
    kernel.fill("y", {tokens, n, 128}, 0xA5);
    kernel.run();
    std::vector<float> newX = kernel.floats("x"), newS = kernel.floats("s"), y = kernel.floats("y");
    for (size_t i = 0; i < x.size(); ++i) {
      float scalar = s[i / 128];
      ASSERT_EQ(newX[i], reference::roundTo(DType::BF16, x[i] + scalar)) << i;
      ASSERT_EQ(newS[i / 128], scalar * 2) << i;
      ASSERT_EQ(y[i], x[i] * scalar) << i;
    }
  }
}

// Rows of two lengths: lanes past the short row hold copies of it.
TEST_P(InOut, RowsOfSeveralLengths) {
  constexpr int64_t kTokens = 9;
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel k() {
  axis   token
  inout  a : f32[token, 8]
  inout  b : f16[token, 512]
  r = sum(a)
  b = round(b * (r * amax(b)), f16)
  a = a + 1
})",
                             "", {}, GetParam()));
  std::vector<float> a = ramp(kTokens * 8, 1), b = ramp(kTokens * 512, 0.5f);
  kernel.setFloats("a", {kTokens, 8}, a);
  kernel.setFloats("b", {kTokens, 512}, b);
  kernel.run();
  std::vector<float> newA = kernel.floats("a"), newB = kernel.floats("b");
  for (int64_t token = 0; token < kTokens; ++token) {
    float sum = 0; // small integers: any order
    for (int64_t i = 0; i < 8; ++i) {
      sum += a[token * 8 + i];
      EXPECT_EQ(newA[token * 8 + i], a[token * 8 + i] + 1);
    }
    float amax = 0;
    for (int64_t i = 0; i < 512; ++i)
      amax = std::max(amax, std::fabs(b[token * 512 + i]));
    for (int64_t i = 0; i < 512; ++i)
      ASSERT_EQ(newB[token * 512 + i],
                reference::roundTo(DType::F16, b[token * 512 + i] * (sum * amax)));
  }
}

TEST_P(InOut, RowsPastTheCountAndStridesAreKept) {
  KernelCase kernel;
  ASSERT_TRUE(
      kernel.prepare("kernel k() {\n  axis token\n  inout x : f32[token, 64]\n  x = rms_norm(x, "
                     "x, 1e-6, weight = plain)\n}\n",
                     "", {}, GetParam()));
  EXPECT_EQ(kernel.meta("x").kind, OperandKind::InOut);
  std::vector<float> x = ramp(7 * 64);
  kernel.setFloats("x", {7, 64}, x);
  kernel.guard("x");
  kernel.counts["token"] = 5;
  kernel.run();
  kernel.expectGuardsIntact();
  std::vector<float> y = kernel.floats("x");
  EXPECT_NE(y[0], x[0]);
  for (size_t i = 5 * 64; i < x.size(); ++i)
    EXPECT_EQ(y[i], x[i]);
}

// It is written, so it shares bytes with nothing; columns of one tensor at one stride are apart.
TEST_P(InOut, Overlap) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare("kernel k() {\n  axis token\n  inout x : f32[token, 64]\n  input g : "
                             "f32[token, 64]\n  x = x + g\n}\n",
                             "", {}, GetParam()));
  HostArray &whole = kernel.array("g", {4, 128});
  HostArray left, right;
  ASSERT_TRUE(whole.slice(1, 0, 64, left).ok() && whole.slice(1, 64, 128, right).ok());
  kernel.operands["x"] = left;
  kernel.operands["g"] = right;
  for (int64_t i = 0; i < 64; ++i)
    kernel.put("x", {1, i}, 1), kernel.put("g", {1, i}, static_cast<float>(i));
  Status status = kernel.launchStatus();
  ASSERT_TRUE(status.ok()) << status.text();
  for (int64_t i = 0; i < 64; ++i)
    EXPECT_EQ(kernel.floatAt("x", {1, i}), 1 + static_cast<float>(i));
  kernel.operands["g"] = left;
  status = kernel.launchStatus();
  EXPECT_EQ(status.id, errorId(Error::WrittenOverlap)) << status.text();
  EXPECT_THAT(status.text(), testing::HasSubstr("`x`"));
}

TEST_P(InOut, TwoOutputsOfOneValue) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel k() {
  axis   token
  input  x : f16[token, 32]
  inout  z : f16[token, 32]
  output a : f16[token, 32]
  output b : f16[token, 32]
  output c : f32[token]
  output d : f32[token]
  v = round(x * 3 + z, f16)
  a = v
  b = a
  z = v
  s = sum(v)
  c = s
  d = s
})",
                             "", {}, GetParam()));
  std::vector<float> x = ramp(3 * 32), z = ramp(3 * 32, 0.25f);
  kernel.setFloats("x", {3, 32}, x);
  kernel.setFloats("z", {3, 32}, z);
  for (const char *name : {"a", "b"})
    kernel.fill(name, {3, 32}, 0xA5);
  for (const char *name : {"c", "d"})
    kernel.fill(name, {3}, 0xA5);
  kernel.run();
  EXPECT_EQ(kernel.bits("a"), kernel.bits("b"));
  EXPECT_EQ(kernel.bits("a"), kernel.bits("z"));
  EXPECT_EQ(kernel.bits("c"), kernel.bits("d"));
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(kernel.floats("a")[i], reference::roundTo(DType::F16, x[i] * 3 + z[i]));
}

// f16 where bf16 may stand: rows, weights, tables, scalars, roundings, outputs, caches.
TEST_P(InOut, F16Everywhere) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel k(io: dtype = f16) {
  axis   token
  input  x     : io[token, 2, 64]
  input  k     : io[token, 64]
  input  gate  : io[token, 2]
  input  gamma : io[64]
  input  cosine : io[position, 16]
  input  sine   : io[position, 16]
  input  pos   : i64[token]
  input  slot  : i64[token]
  output y     : io[token, 2, 64]
  output w     : io[token, 2]
  output codes : fp8[token, 2, 64]
  cache  kept  : nhd(page_size = 4, heads = 2, dim = 64, value = io)
  n = round(rms_norm(x, gamma, 1e-6, weight = one_plus), io)
  r = round(rope(n, cosine[pos], neox, dims = 0..32, table = split, sines = sine[pos]), io)
  h = round(hadamard(layer_norm(r, k, gamma, 1e-5), 0.125), io)
  y = h
  codes, scale = quantize(h, fp8, scale = ue8m0, floor = 1e-4)
  w = round(gate * scale + amax(r), io)
  kept[slot] = value: r
})",
                             "", {}, GetParam()));
  constexpr int64_t kTokens = 3;
  kernel.setFloats("x", {kTokens, 2, 64}, ramp(kTokens * 128));
  kernel.setFloats("k", {kTokens, 64}, ramp(kTokens * 64));
  kernel.setFloats("gate", {kTokens, 2}, ramp(kTokens * 2));
  kernel.setFloats("gamma", {64}, ramp(64));
  kernel.setFloats("cosine", {4, 16}, ramp(64));
  kernel.setFloats("sine", {4, 16}, ramp(64, 0.0625f));
  kernel.setInts("pos", {kTokens}, {3, 0, 1});
  kernel.setInts("slot", {kTokens}, {6, -1, 0});
  kernel.fill("y", {kTokens, 2, 64}, 0xA5);
  kernel.fill("w", {kTokens, 2}, 0xA5);
  kernel.fill("codes", {kTokens, 2, 64}, 0xA5);
  kernel.fill("kept", {2, 4 * 2 * 64 * 2}, 0xA5);
  kernel.run();
}

INSTANTIATE_TEST_SUITE_P(Targets, InOut, testing::Values("gfx942", "gfx950", "sm_90"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace braid::test
