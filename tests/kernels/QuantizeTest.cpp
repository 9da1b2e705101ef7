// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rule of quantize on rows that are hard: NaN, infinity, zeros of either sign, subnormals,
// amax at the edges of binades. Whole kernels, equal to the reference; what is known beforehand is
// compared with that.

#include "IndexerCase.h"

#include "codegen/reference/FloatFormat.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace braid::test {
namespace {

constexpr int64_t kRow = 256;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargestF32 = std::numeric_limits<float>::max();

class Quantize : public OnTargets {
protected:
  /// Rows of one kind in each group of 32 elements, the kinds moving on from group to group.
  static std::vector<float> hardRows(float max, int64_t rows) {
    std::vector<float> x;
    for (int64_t i = 0; i < rows * kRow; ++i) {
      const int64_t group = i / 32, place = i % 32;
      const float small = std::ldexp(static_cast<float>(place * 37 % 64 - 31), -6);
      const float edge = std::ldexp(max, static_cast<int>(group % 21) - 12);
      switch (group % 9) {
      case 0: // nothing
        x.push_back(place % 2 ? -0.0f : 0.0f);
        break;
      case 1:
        x.push_back(place == group % 32 ? kNan : small);
        break;
      case 2:
        x.push_back(place == group % 31 ? -kInfinity : small);
        break;
      case 3: // subnormals
        x.push_back(std::ldexp(small, -140));
        break;
      case 4: // amax at the edge of a binade of the scale, and one f32 beside it
        x.push_back(place == 7 ? edge : small * edge / max);
        break;
      case 5:
        x.push_back(place == 30 ? -std::nextafter(edge, kInfinity) : small * edge / max);
        break;
      case 6:
        x.push_back(place == 0 ? std::nextafter(edge, 0.0f) : small * edge / max);
        break;
      case 7:
        x.push_back(place == 16 ? kLargestF32 : small * 0x1p120f);
        break;
      default:
        x.push_back(small);
      }
    }
    return x;
  }
};

BRAID_ON_TARGETS(Quantize);

TEST_P(Quantize, HardRowsByEveryRule) {
  constexpr int64_t kRows = 45;
  for (const char *format : {"fp8", "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz"})
    for (const char *rule : {"ue8m0", "f32_divide", "f32_reciprocal"})
      for (const char *group : {"row", "32", "64", "128"})
        for (const char *value : {"multiply", "divide"}) {
          if (rule == std::string("ue8m0") && value == std::string("divide"))
            continue; // one kernel with the other: SameCodesByDivisionWithPowersOfTwo
          SCOPED_TRACE(fmt::format("{} {} {} {}", format, rule, group, value));
          const bool byRow = group == std::string("row");
          const std::string axes = byRow ? "" : fmt::format(", 256 / {}", group);
          KernelCase kernel;
          ASSERT_TRUE(kernel.prepare(fmt::format(R"(
kernel k(io: dtype) {{
  axis   token
  input  x : io[token, 256]
  output c : {0}[token, 256]
  output s : f32[token{4}]
  c, s = quantize(x, {0}, scale = {1}, floor = 1e-10, group = {2}, value = {3})
}})",
                                                 format, rule, group, value, axes),
                                     "", {group == std::string("64") ? "io=bf16" : "io=f32"},
                                     target()));
          std::optional<DType> dtype = parseDType(format);
          const float max = dtype ? reference::largestFinite(*dtype) : largest();
          std::vector<float> x = hardRows(max, kRows);
          if (kernel.meta("x").dtype == DType::BF16)
            for (float &each : x)
              each = reference::roundTo(DType::BF16, each);
          kernel.setFloats("x", {kRows, kRow}, x);
          kernel.fill("c", {kRows, kRow}, 0xA5);
          const int64_t groups = byRow ? 1 : kRow / std::stoi(group);
          kernel.fill("s", byRow ? std::vector<int64_t>{kRows} : std::vector{kRows, groups}, 0xA5);
          kernel.run();
          for (float scale : kernel.floats("s"))
            EXPECT_TRUE(std::isnormal(scale) && scale > 0) << scale;
        }
}

// A bad element has its own group alone: the others are what they are without it.
TEST_P(Quantize, OneGroupDoesNotDisturbAnother) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel k() {
  axis   token
  input  x : f32[token, 256]
  output c : f8e4m3fn[token, 256]
  output s : f32[token, 4]
  c, s = quantize(x, f8e4m3fn, scale = ue8m0, floor = 1e-10, group = 64)
})",
                             "", {}, target()));
  std::vector<float> x(2 * kRow);
  const float amax[] = {448, 450, 0, 3}; // of the groups of row 0
  for (int64_t group = 0; group < 4; ++group)
    x[group * 64 + group * 17] = group % 2 ? -amax[group] : amax[group];
  std::copy_n(x.begin(), kRow, x.begin() + kRow);
  x[kRow + 2 * 64 + 63] = kNan;
  kernel.setFloats("x", {2, kRow}, x);
  kernel.fill("c", {2, kRow}, 0xA5);
  kernel.fill("s", {2, 4}, 0xA5);
  kernel.run();
  EXPECT_EQ(kernel.floats("s"),
            (std::vector<float>{1, 2, 0x1p-42f, 0x1p-7f, 1, 2, 0x1p120f, 0x1p-7f}));
  const std::vector<uint64_t> codes = kernel.bits("c");
  for (int64_t i = 0; i < kRow; ++i)
    if (i != 2 * 64 + 63)
      EXPECT_EQ(codes[i], codes[kRow + i]) << i;
  EXPECT_EQ(codes[0], 0x7Eu);
  EXPECT_EQ(codes[64 + 17] & 0x80, 0x80u);
  EXPECT_EQ(codes[kRow + 2 * 64 + 63] & 0x7F, 0x7Fu);
}

TEST_P(Quantize, SameCodesByDivisionWithPowersOfTwo) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel k() {
  axis   token
  input  x : f32[token, 256]
  output c : fp8[token, 256]
  output d : fp8[token, 256]
  c, s = quantize(x, fp8, scale = ue8m0, floor = 1e-10)
  d, t = quantize(x, fp8, scale = ue8m0, floor = 1e-10, value = divide)
})",
                             "", {}, target()));
  kernel.setFloats("x", {18, kRow}, hardRows(largest(), 18));
  kernel.fill("c", {18, kRow}, 0xA5);
  kernel.fill("d", {18, kRow}, 0x5A);
  kernel.run();
  EXPECT_EQ(kernel.bits("c"), kernel.bits("d"));
}

// A max that is no number of the format: a rounding error of the scale may not take a code past
// what max rounds to. 232 lies in the middle between 224 and 240.
// S-FP8-3.
TEST_P(Quantize, MaxBetweenTwoNumbers) {
  for (const char *rule : {"ue8m0", "f32_divide", "f32_reciprocal"})
    for (const char *value : {"multiply", "divide"}) {
      KernelCase kernel;
      ASSERT_TRUE(kernel.prepare(fmt::format(R"(
kernel k() {{
  axis   token
  input  x : f32[token, 64]
  output c : f8e4m3fnuz[token, 64]
  c, s = quantize(x, f8e4m3fnuz, scale = {}, floor = 1e-10, max = 232, value = {})
}})",
                                             rule, value),
                                 "", {}, target()));
      constexpr int64_t kRows = 500;
      std::vector<float> x(kRows * 64);
      for (int64_t row = 0; row < kRows; ++row)
        x[row * 64 + row % 64] = 1.0f + 0.0173f * static_cast<float>(row);
      kernel.setFloats("x", {kRows, 64}, x);
      kernel.fill("c", {kRows, 64}, 0xA5);
      kernel.run();
      for (uint64_t code : kernel.bits("c"))
        EXPECT_LE(code, 0x7Eu);
    }
}

TEST_P(Quantize, AC7_PlainScales) {
  struct Fact {
    const char *format, *rule;
    float amax;
    uint32_t scale;
  };
  for (const Fact &fact : {Fact{"f8e4m3fn", "f32_reciprocal", 240, 0x3F092493},
                           Fact{"f8e4m3fn", "f32_divide", 240, 0x3F092492},
                           Fact{"f8e4m3fnuz", "f32_reciprocal", 3, 0x3C4CCCCE},
                           Fact{"f8e4m3fnuz", "f32_divide", 3, 0x3C4CCCCD}})
    for (const char *group : {"row", "64"}) {
      SCOPED_TRACE(fmt::format("{} {} {}", fact.format, fact.rule, group));
      KernelCase kernel;
      ASSERT_TRUE(kernel.prepare(fmt::format(R"(
kernel k() {{
  axis   token
  input  x : f32[token, 64]
  output c : {0}[token, 64]
  output s : f32[token{3}]
  c, s = quantize(x, {0}, scale = {1}, floor = 1e-10, group = {2})
}})",
                                             fact.format, fact.rule, group,
                                             group == std::string("row") ? "" : ", 1"),
                                 "", {}, target()));
      std::vector<float> x(64, 1);
      x[41] = -fact.amax;
      kernel.setFloats("x", {1, 64}, x);
      kernel.fill("c", {1, 64}, 0xA5);
      kernel.fill(
          "s", group == std::string("row") ? std::vector<int64_t>{1} : std::vector<int64_t>{1, 1},
          0xA5);
      kernel.run();
      EXPECT_THAT(kernel.bits("s"), testing::ElementsAre(fact.scale));
    }
}

// S-QUANT-6.
TEST_P(Quantize, GivenScalesOfEveryShape) {
  for (const char *value : {"multiply", "divide"}) {
    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(fmt::format(R"(
kernel k() {{
  axis   token
  input  x       : f32[token, 3, 256]
  input  heads   : bf16[3]
  input  tokens  : f32[token]
  input  groups  : f32[4]
  input  all     : bf16[token, 3, 4]
  output c       : f8e4m3fn[token, 3, 256]
  output of_all  : f8e4m3fn[token, 3, 256]
  output by_head : f8e5m2[token, 3, 256]
  output by_both : f8e4m3fnuz[token, 3, 256]
  output by_group: f8e4m3fnuz[token, 3, 256]
  output scale   : f32[token, 3]
  output scales  : f32[token, 3, 4]
  c, cs             = quantize(x, f8e4m3fn, scale = given(2), value = {0})
  by_head, scale    = quantize(x, f8e5m2, scale = given(heads), value = {0})
  by_both, bs       = quantize(x, f8e4m3fnuz, scale = given(tokens), group = 64, value = {0}, max = 224)
  by_group, gs      = quantize(x, f8e4m3fnuz, scale = given(groups), group = 64, value = {0})
  of_all, scales    = quantize(x, f8e4m3fn, scale = given(all), group = 64, value = {0})
}})",
                                           value),
                               "", {}, target()));
    std::vector<float> x = hardRows(largest(), 6);
    kernel.setFloats("x", {2, 3, kRow}, x);
    kernel.setFloats("heads", {3}, {1, 0.5f, 3});
    kernel.setFloats("tokens", {2}, {0.01f, 7});
    kernel.setFloats("groups", {4}, {1, 2, 3, 5});
    std::vector<float> all;
    for (int i = 0; i < 24; ++i)
      all.push_back(1 + 0.25f * i);
    kernel.setFloats("all", {2, 3, 4}, all);
    for (const char *name : {"c", "of_all", "by_head", "by_both", "by_group"})
      kernel.fill(name, {2, 3, kRow}, 0xA5);
    kernel.fill("scale", {2, 3}, 0xA5);
    kernel.fill("scales", {2, 3, 4}, 0xA5);
    kernel.run();
    EXPECT_EQ(kernel.floats("scales"), all);
    EXPECT_EQ(kernel.floats("scale"), (std::vector<float>{1, 0.5f, 3, 1, 0.5f, 3}));
    // Numbers are cut at max; NaN and infinity stay NaN.
    for (size_t i = 0; i < x.size(); ++i) {
      const float code =
          kernel.floatAt("c", {int64_t(i / (3 * kRow)), int64_t(i / kRow % 3), int64_t(i % kRow)});
      EXPECT_EQ(std::isnan(code), !std::isfinite(x[i]));
      if (std::fabs(x[i]) > 1000 && std::isfinite(x[i]))
        EXPECT_EQ(std::fabs(code), 448);
    }
  }
}

// Low nibble first; the scale's exponent byte is 127 for 1.
// S-F4-2.
TEST_P(Quantize, F4PacksTwoCodesAByte) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel k() {
  axis   token
  input  x : bf16[token, 64]
  output c : f4e2m1[token, 64]
  output s : e8m0[token, 2]
  c, s = quantize(x, f4e2m1, scale = ue8m0, floor = 1e-10, group = 32)
})",
                             "", {}, target()));
  const float values[] = {0,     0.5f, 1,     1.5f, 2,    3,     4,    6,     -0.0f,
                          -0.5f, -1,   -1.5f, -2,   -3,   -4,    -6,   0.25f, 0.26f,
                          0.75f, 2.5f, 5,     -5,   3.5f, 1.25f, 1.75f};
  const unsigned codes[] = {0,  1,  2,  3, 4, 5, 6, 7, 8,  9, 10, 11, 12,
                            13, 14, 15, 0, 1, 2, 4, 6, 14, 6, 2,  4};
  std::vector<float> x(3 * 64);
  for (size_t i = 0; i < std::size(values); ++i) {
    x[i] = values[i];
    x[64 + 32 + i] = values[i] * 0x1p-3f;
  }
  x[32] = -7; // past 6: the scale is 2, and 3.5 rounds to 4
  x[2 * 64 + 1] = kNan;
  x[2 * 64 + 33] = -kInfinity;
  x[2 * 64 + 34] = 6;
  kernel.setFloats("x", {3, 64}, x);
  kernel.fill("c", {3, 64}, 0xA5);
  kernel.fill("s", {3, 2}, 0xA5);
  kernel.run();
  EXPECT_THAT(kernel.bytes("s"), testing::ElementsAre(127, 128, 92, 124, 253, 253));
  const std::vector<uint8_t> bytes = kernel.bytes("c");
  ASSERT_EQ(bytes.size(), 3u * 32);
  for (size_t i = 0; i < std::size(values); ++i) {
    EXPECT_EQ(bytes[i / 2] >> i % 2 * 4 & 15, codes[i]) << i;
    EXPECT_EQ(bytes[32 + 16 + i / 2] >> i % 2 * 4 & 15, codes[i]) << i;
  }
  EXPECT_EQ(bytes[16], 0x0E);      // -7
  EXPECT_EQ(bytes[64], 0x70);      // NaN gives 6
  EXPECT_EQ(bytes[64 + 16], 0xF0); // -infinity gives -6
  EXPECT_EQ(bytes[64 + 17], 0x00);
}

// S-F4-1.
TEST_P(Quantize, F4HardRows) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel k() {
  axis   token
  input  x : f32[token, 3, 256]
  output c : f4e2m1[token, 3, 256]
  output s : f32[token, 3, 8]
  output t : e8m0[token, 3, 8]
  c, s = quantize(x, f4e2m1, scale = ue8m0, floor = 1e-10, group = 32)
  t    = s
})",
                             "", {}, target()));
  kernel.setFloats("x", {15, 3, kRow}, hardRows(6, 45));
  kernel.fill("c", {15, 3, kRow}, 0xA5);
  kernel.fill("s", {15, 3, 8}, 0xA5);
  kernel.fill("t", {15, 3, 8}, 0xA5);
  kernel.guard("c");
  kernel.guard("t");
  kernel.run();
  kernel.expectGuardsIntact();
  const std::vector<uint64_t> scales = kernel.bits("s"), exponents = kernel.bits("t");
  for (size_t i = 0; i < scales.size(); ++i)
    EXPECT_EQ(exponents[i] << 23, scales[i]);
}

// Rows of a wider tensor: strides count elements, and the columns beside the rows stay.
// S-F4-2.
TEST_P(Quantize, F4RowsOfAWiderTensor) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel k() {
  axis   token
  input  x : f32[token, 128]
  output c : f4e2m1[token, 128]
  c, s = quantize(x, f4e2m1, scale = ue8m0, floor = 1e-10, group = 32)
})",
                             "", {}, target()));
  constexpr int64_t kRows = 10;
  kernel.setFloats("x", {kRows, 128}, hardRows(6, kRows / 2));
  kernel.fill("c", {kRows, 256}, 0xA5);
  const HostArray wide = kernel.operands.at("c");
  ASSERT_TRUE(wide.slice(1, 64, 192, kernel.operands.at("c")).ok());
  kernel.run();
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t i : {0, 1, 62, 63, 192, 193, 255})
      EXPECT_EQ(wide.loadBits(wide.offsetOf(row * 256 + i)), i % 2 ? 0xAu : 0x5u)
          << row << " " << i;
  ASSERT_TRUE(wide.slice(1, 2, 130, kernel.operands.at("c")).ok());
  const Status status = kernel.launchStatus();
  EXPECT_EQ(status.id, "BR5309") << status.text();
}

// A page with codes of 4 bits, addressed in bits, and scales of groups.
TEST_P(Quantize, F4InAPage) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
layout packed(page_size: int, dim: int) {
  index t in 0..page_size
  field value : f4e2m1 [d in 0..dim]    at bits 4*(t*dim + d)
  field scale : e8m0 [g in 0..dim/32]   at page_size*dim/2 + t*(dim/32) + g
  bytes page_size*(dim/2 + dim/32)
}
kernel k() {
  axis   token
  input  x    : bf16[token, 128]
  input  slot : i64[token]
  output c    : f4e2m1[token, 128]
  output t    : e8m0[token, 4]
  cache  page : packed(page_size = 4, dim = 128)
  c, s       = quantize(x, f4e2m1, scale = ue8m0, floor = 1e-10, group = 32)
  t          = s
  page[slot] = value: c, scale: s
})",
                             "", {}, target()));
  std::vector<float> x = hardRows(6, 2);
  for (float &each : x)
    each = reference::roundTo(DType::BF16, each);
  kernel.setFloats("x", {4, 128}, x);
  kernel.setInts("slot", {4}, {6, -1, 1, 3});
  kernel.fill("c", {4, 128}, 0);
  kernel.fill("t", {4, 4}, 0);
  kernel.fill("page", {2, 4 * 68}, 0xA5);
  kernel.run();
  const std::vector<uint8_t> page = kernel.bytes("page"), codes = kernel.bytes("c"),
                             scales = kernel.bytes("t");
  for (int64_t token : {0, 2, 3}) {
    const int64_t slot = token == 0 ? 6 : token == 2 ? 1 : 3;
    const uint8_t *base = &page[slot / 4 * 4 * 68];
    for (int64_t i = 0; i < 64; ++i)
      EXPECT_EQ(base[slot % 4 * 64 + i], codes[token * 64 + i]) << token << " " << i;
    for (int64_t g = 0; g < 4; ++g)
      EXPECT_EQ(base[4 * 64 + slot % 4 * 4 + g], scales[token * 4 + g]);
  }
  for (int64_t i = 0; i < 64; ++i)
    EXPECT_EQ(page[i], 0xA5) << "slot 0 is nobody's";
}

// Four scales of a token beside its codes.
TEST_P(Quantize, GroupScalesInTheDsMlaRow) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel k() {
  axis   token
  input  x    : bf16[token, 512]
  input  r    : bf16[token, 64]
  input  slot : i32[token]
  cache  page : ds_mla_656(page_size = 2, latent = f8e4m3fn)
  c, s       = quantize(x, f8e4m3fn, scale = f32_divide, floor = 1e-10, group = 128)
  page[slot] = latent: c, scale: s, rope: round(r, bf16)
})",
                             "", {}, target()));
  std::vector<float> x(512);
  for (int64_t group = 0; group < 4; ++group)
    x[group * 128 + 5 * group] = 448.0f * static_cast<float>(group + 1);
  kernel.setFloats("x", {1, 512}, x);
  kernel.setFloats("r", {1, 64}, std::vector<float>(64, 1));
  kernel.setInts("slot", {1}, {1});
  kernel.fill("page", {1, 2 * 656}, 0xA5);
  kernel.run();
  const std::vector<uint8_t> page = kernel.bytes("page");
  for (int64_t group = 0; group < 4; ++group) {
    EXPECT_EQ(page[656 + group * 128 + 5 * group], 0x7E);
    float scale = 0;
    std::memcpy(&scale, &page[656 + 512 + 4 * group], 4);
    EXPECT_EQ(scale, static_cast<float>(group + 1));
  }
}

// Scales are values: what is computed from them has their axes.
TEST_P(Quantize, GroupScalesAreValues) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel k() {
  axis   token
  input  x : bf16[token, 5, 1024]
  input  w : f32[token, 5]
  output c : fp8[token, 5, 1024]
  output y : f32[token, 5, 32]
  c, s = quantize(x, fp8, scale = f32_reciprocal, floor = 1e-10, group = 32)
  y    = s * w * 0.5
})",
                             "", {}, target()));
  std::vector<float> x = hardRows(largest(), 3 * 5 * 4), w;
  for (float &each : x)
    each = reference::roundTo(DType::BF16, each);
  for (int i = 0; i < 15; ++i)
    w.push_back(0.3f * static_cast<float>(i));
  kernel.setFloats("x", {3, 5, 1024}, x);
  kernel.setFloats("w", {3, 5}, w);
  kernel.fill("c", {3, 5, 1024}, 0xA5);
  kernel.fill("y", {3, 5, 32}, 0xA5);
  kernel.run();
}

} // namespace
} // namespace braid::test
