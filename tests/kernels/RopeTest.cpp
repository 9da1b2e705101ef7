// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Acceptance cases 10 and 11: which dims make a pair, and that all dims are written.

#include "IndexerCase.h"

#include "codegen/reference/FloatFormat.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace braid::test {
namespace {

class Rope : public OnTargets {};
BRAID_ON_TARGETS(Rope);

// S-ROPE-2.
TEST_P(Rope, AC10_ThePairOfADim) {
  struct Fact {
    const char *style;
    int64_t dim, partner;
    bool negative;
  };
  for (const Fact &fact : {Fact{"neox", 0, 32, false}, Fact{"gptj", 0, 1, false},
                           Fact{"neox", 33, 1, true}, Fact{"gptj", 33, 32, true}}) {
    SCOPED_TRACE(fmt::format("{} dim {}", fact.style, fact.dim));
    IndexerCase kernel(target());
    kernel.style = fact.style;
    ASSERT_TRUE(kernel.build());
    kernel.plain(1, 1);
    kernel.putInt("pos", {0}, 3);
    for (int64_t i = 0; i < 32; ++i) {
      kernel.put("angle", {3, i}, 0);
      kernel.put("angle", {3, 32 + i}, 1);
    }
    for (int64_t head = 0; head < kernel.heads; ++head) {
      kernel.put("q", {0, head, fact.dim}, 1);
      kernel.put("gate", {0, head}, 1);
    }
    kernel.put("beta", {fact.dim}, 1); // the key's row
    kernel.run();
    std::vector<uint8_t> cache = kernel.bytes("index_k");
    for (int64_t i = 0; i < kernel.headDim; ++i) {
      unsigned code = i != fact.partner ? 0 : fact.negative ? 0xF8 : 0x78;
      for (int64_t head = 0; head < kernel.heads; ++head)
        EXPECT_EQ(kernel.bitsAt("q8", {0, head, i}), code) << head << ", " << i;
      EXPECT_EQ(cache[i], code) << i;
    }
    for (float weight : kernel.floats("w"))
      EXPECT_EQ(weight, pick(0x1p-8f, 0x1p-7f) * 0x1p-6f);
    EXPECT_EQ(kernel.cacheFloat(64 * 128), pick(0x1p-8f, 0x1p-7f));
  }
}

TEST_P(Rope, AC10_OneRadian) {
  for (const char *style : {"neox", "gptj"}) {
    SCOPED_TRACE(style);
    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(R"(
kernel turn(style: rope_style) {
  axis   token
  input  x     : bf16[token, 128]
  input  angle : f32[position, 64]
  input  pos   : i64[token]
  output wide  : f32[token, 128]
  output slim  : bf16[token, 128]
  y    = rope(x, angle[pos], style, dims = 0..64, table = joined)
  wide = y
  slim = round(y, bf16)
})",
                               "", {std::string("style=") + style}, target()));
    kernel.array("x", {1, 128});
    kernel.setInts("pos", {1}, {0});
    kernel.array("angle", {1, 64});
    kernel.fill("wide", {1, 128}, 0xA5);
    kernel.fill("slim", {1, 128}, 0xA5);
    for (int64_t i = 0; i < 32; ++i) {
      kernel.put("angle", {0, i}, std::cos(1.));
      kernel.put("angle", {0, 32 + i}, std::sin(1.));
    }
    int64_t first = std::string(style) == "neox" ? 5 : 10, second = first == 5 ? 37 : 11;
    kernel.put("x", {0, first}, 3);
    kernel.put("x", {0, second}, 4);
    kernel.run();
    EXPECT_EQ(fmt::format("{:.6f}", kernel.floatAt("wide", {0, first})), "-1.744977");
    EXPECT_EQ(fmt::format("{:.6f}", kernel.floatAt("wide", {0, second})), "4.685622");
    EXPECT_EQ(kernel.floatAt("slim", {0, first}), -1.7421875f);
    EXPECT_EQ(kernel.floatAt("slim", {0, second}), 4.6875f);
  }
}

// A program with the rotated dims as parameters, and the scales as an output of their own.
const char *const kTurnAndQuantize = R"(
kernel turn(style: rope_style, first: int, last: int) {
  axis   token
  input  q      : bf16[token, 3, 128]
  input  angle  : f32[position, last - first]
  input  pos    : i64[token]
  output codes  : fp8[token, 3, 128]
  output scales : f32[token, 3]
  qr = round(rope(q, angle[pos], style, dims = first..last, table = joined), bf16)
  codes, scales = quantize(qr, fp8, scale = ue8m0, floor = 1e-10)
})";

struct Range {
  int64_t first, last;
};

constexpr int64_t kTokens = 5, kHeads = 3, kDim = 128, kTableRows = 7;

// What a row becomes, from the definition in semantics.md.
std::vector<float> turned(const std::vector<float> &x, const std::vector<float> &angles, Range dims,
                          bool neox) {
  std::vector<float> y = x;
  int64_t half = (dims.last - dims.first) / 2;
  for (int64_t i = 0; i < half; ++i) {
    int64_t a = dims.first + (neox ? i : 2 * i), b = a + (neox ? half : 1);
    float c = angles[i], s = angles[half + i];
    y[a] = reference::roundTo(DType::BF16, std::fma(x[a], c, -(x[b] * s)));
    y[b] = reference::roundTo(DType::BF16, std::fma(x[b], c, x[a] * s));
  }
  return y;
}

// S-ROPE-4.
TEST_P(Rope, AC11_PassThroughAndFullWrite) {
  for (const char *style : {"neox", "gptj"})
    for (Range dims : {Range{0, 64}, {0, 2}, {0, 32}, {0, 128}, {64, 128}, {126, 128}, {96, 128}}) {
      SCOPED_TRACE(fmt::format("{} dims {}..{}", style, dims.first, dims.last));
      KernelCase kernel;
      ASSERT_TRUE(
          kernel.prepare(kTurnAndQuantize, "",
                         {std::string("style=") + style, "first=" + std::to_string(dims.first),
                          "last=" + std::to_string(dims.last)},
                         target()));
      std::minstd_rand random(1);
      auto number = [&] { return (static_cast<double>(random()) / (1u << 30) - 1) * 3; };
      int64_t width = dims.last - dims.first;
      std::vector<float> q(kTokens * kHeads * kDim), angle(kTableRows * width);
      for (float &x : q)
        x = reference::roundTo(DType::BF16, number());
      for (int64_t i = 0; i < kTableRows * width / 2; ++i) {
        double turn = number();
        int64_t row = i / (width / 2), pair = i % (width / 2);
        angle[row * width + pair] = std::cos(turn);
        angle[row * width + width / 2 + pair] = std::sin(turn);
      }
      kernel.setFloats("q", {kTokens, kHeads, kDim}, q);
      kernel.setFloats("angle", {kTableRows, width}, angle);
      kernel.setInts("pos", {kTokens}, {6, 0, 3, 2, 5});
      std::vector<uint64_t> codes, scales;
      for (uint8_t prefill : {0xA5, 0x5A}) { // a byte left out would differ
        kernel.fill("codes", {kTokens, kHeads, kDim}, prefill);
        kernel.fill("scales", {kTokens, kHeads}, prefill);
        kernel.run();
        if (prefill == 0x5A) {
          EXPECT_EQ(kernel.bits("codes"), codes);
          EXPECT_EQ(kernel.bits("scales"), scales);
        }
        codes = kernel.bits("codes");
        scales = kernel.bits("scales");
      }
      for (int64_t row = 0; row < kTokens * kHeads; ++row) {
        int64_t position = std::vector<int64_t>{6, 0, 3, 2, 5}[row / kHeads];
        std::vector<float> x(q.begin() + row * kDim, q.begin() + (row + 1) * kDim);
        std::vector<float> angles(angle.begin() + position * width,
                                  angle.begin() + (position + 1) * width);
        std::vector<float> y = turned(x, angles, dims, std::string(style) == "neox");
        float amax = 0;
        for (float value : y)
          amax = std::max(amax, std::fabs(value));
        float scale = leastScale(amax, 1e-10f, largest());
        EXPECT_EQ(kernel.floatAt("scales", {row / kHeads, row % kHeads}), scale);
        for (int64_t i = 0; i < kDim; ++i)
          EXPECT_EQ(codes[row * kDim + i], reference::encode(fp(), y[i] / scale))
              << "row " << row << " dim " << i << (y[i] == x[i] ? " (passed through)" : "");
      }
    }
}

// The indexer itself: nothing of what it should write keeps an earlier byte.
TEST_P(Rope, AC11_TheIndexerWritesEveryByte) {
  for (int64_t ropeDim : {64, 2, 32, 128}) {
    SCOPED_TRACE(ropeDim);
    IndexerCase kernel(target());
    kernel.ropeDim = ropeDim;
    kernel.heads = 8;
    ASSERT_TRUE(kernel.build());
    std::map<std::string, std::vector<uint8_t>> written;
    for (uint8_t prefill : {0xA5, 0x5A}) {
      kernel.random(5, 1, /*seed=*/3, prefill);
      for (int64_t token = 0; token < 5; ++token)
        kernel.putInt("slot", {token}, token * 12);
      kernel.run();
      if (prefill == 0xA5) {
        for (const char *name : {"q8", "w", "index_k"})
          written[name] = kernel.bytes(name);
        continue;
      }
      EXPECT_EQ(kernel.bytes("q8"), written["q8"]);
      EXPECT_EQ(kernel.bytes("w"), written["w"]);
      std::vector<uint8_t> cache = kernel.bytes("index_k");
      for (int64_t byte = 0; byte < kernel.pageBytes(); ++byte) {
        int64_t token = byte < 64 * 128 ? byte / 128 : (byte - 64 * 128) / 4;
        if (token % 12 == 0 && token < 60)
          EXPECT_EQ(cache[byte], written["index_k"][byte]) << byte;
        else
          EXPECT_EQ(cache[byte], 0x5A) << byte;
      }
    }
  }
}

} // namespace
} // namespace braid::test
