// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Acceptance cases 1, 2, 3 and 6: codes and scales of both flavours on both targets, so that the
// target's own conversion and the one in integer arithmetic are both seen.

#include "IndexerCase.h"

#include "codegen/reference/FloatFormat.h"

#include <cmath>
#include <limits>

namespace braid::test {
namespace {

const char *const kQuantize = R"(
kernel encode(fp: dtype, io: dtype) {
  axis   token
  input  x      : io[token, 64]
  output codes  : fp[token, 64]
  output scales : f32[token]
  codes, scales = quantize(x, fp, scale = ue8m0, floor = 1e-10)
})";

constexpr int64_t kRow = 64;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Flavour {
  const char *name;
  DType dtype;
  float max;
  bool fnuz;
};
constexpr Flavour kFlavours[] = {{"f8e4m3fn", DType::F8E4M3FN, 448, false},
                                 {"f8e4m3fnuz", DType::F8E4M3FNUZ, 240, true}};

class Encoding : public OnTargets {
protected:
  /// The scales of rows that are 0 but for one element, at another place and of another sign in
  /// each.
  static std::vector<float> scales(KernelCase &kernel, const std::vector<float> &amax) {
    std::vector<float> x(amax.size() * kRow);
    for (size_t row = 0; row < amax.size(); ++row)
      x[row * kRow + row * 5 % kRow] = row % 2 ? -amax[row] : amax[row];
    int64_t rows = amax.size();
    kernel.setFloats("x", {rows, kRow}, x);
    kernel.fill("codes", {rows, kRow}, 0xA5);
    kernel.fill("scales", {rows}, 0xA5);
    kernel.run();
    for (uint64_t bits : kernel.bits("scales"))
      EXPECT_EQ(bits & 0x807FFFFF, 0u) << "sign and mantissa of a scale";
    return kernel.floats("scales");
  }
};

BRAID_ON_TARGETS(Encoding);

TEST_P(Encoding, AC1_CodesAtAGivenScaleOfOne) {
  struct Fact {
    float x;
    unsigned fn, fnuz;
  };
  const std::vector<Fact> facts = {{0, 0x00, 0x00},   {0.3f, 0x2A, 0x32}, {1, 0x38, 0x40},
                                   {-1, 0xB8, 0xC0},  {17, 0x58, 0x60},   {18, 0x59, 0x61},
                                   {240, 0x77, 0x7F}, {448, 0x7E, 0x7F},  {500, 0x7E, 0x7F}};
  for (const Flavour &flavour : kFlavours) {
    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(R"(
kernel encode(fp: dtype) {
  axis   token
  input  x     : f32[token, 64]
  output codes : fp[token, 64]
  codes, scales = quantize(x, fp, scale = given(1))
})",
                               "", {std::string("fp=") + flavour.name}, target()));
    std::vector<float> x(kRow);
    for (size_t i = 0; i < facts.size(); ++i)
      x[i * 5] = facts[i].x;
    x[63] = kNan;
    kernel.setFloats("x", {1, kRow}, x);
    kernel.fill("codes", {1, kRow}, 0xA5);
    kernel.run();
    for (size_t i = 0; i < facts.size(); ++i)
      EXPECT_EQ(kernel.bitsAt("codes", {0, int64_t(i * 5)}),
                flavour.fnuz ? facts[i].fnuz : facts[i].fn)
          << facts[i].x;
    const uint64_t nan = kernel.bitsAt("codes", {0, 63});
    EXPECT_TRUE(flavour.fnuz ? nan == 0x80 : (nan & 0x7F) == 0x7F) << nan;
  }
}

// With the scale of the row's own amax. 500, and 448 in fnuz, cannot stand beside a scale of 1
// then.
TEST_P(Encoding, AC1_CodesAtScaleOne) {
  struct Fact {
    float x;
    unsigned fn, fnuz;
  };
  const std::vector<Fact> facts = {{0, 0x00, 0x00},   {0.3f, 0x2A, 0x32}, {1, 0x38, 0x40},
                                   {-1, 0xB8, 0xC0},  {17, 0x58, 0x60},   {18, 0x59, 0x61},
                                   {240, 0x77, 0x7F}, {-0.f, 0x80, 0x00}, {448, 0x7E, 0x7F}};
  for (const Flavour &flavour : kFlavours) {
    SCOPED_TRACE(flavour.name);
    size_t used = facts.size() - flavour.fnuz;
    KernelCase kernel;
    ASSERT_TRUE(
        kernel.prepare(kQuantize, "", {std::string("fp=") + flavour.name, "io=f32"}, target()));
    // Row r has the facts from place r on, so each meets each lane and byte of a word.
    std::vector<float> x(kRow * kRow);
    auto at = [](int64_t row, size_t fact) { return row * kRow + (row + fact) % kRow; };
    for (int64_t row = 0; row < kRow; ++row) {
      for (size_t i = 0; i < used; ++i)
        x[at(row, i)] = facts[i].x;
      x[at(row, used)] = flavour.max; // the scale is 1
    }
    kernel.setFloats("x", {kRow, kRow}, x);
    kernel.fill("codes", {kRow, kRow}, 0xA5);
    kernel.fill("scales", {kRow}, 0xA5);
    kernel.run();
    EXPECT_EQ(kernel.floats("scales"), std::vector<float>(kRow, 1.f));
    std::vector<uint64_t> codes = kernel.bits("codes");
    for (int64_t row = 0; row < kRow; ++row) {
      for (size_t i = 0; i < used; ++i)
        EXPECT_EQ(codes[at(row, i)], flavour.fnuz ? facts[i].fnuz : facts[i].fn)
            << facts[i].x << " in row " << row;
      EXPECT_EQ(codes[at(row, used)], flavour.fnuz ? 0x7Fu : 0x7Eu);
    }
  }
}

// S-FP8-2.
TEST_P(Encoding, AC1_NaNAndInfinityGiveTheNaNCode) {
  for (const Flavour &flavour : kFlavours) {
    SCOPED_TRACE(flavour.name);
    KernelCase kernel;
    ASSERT_TRUE(
        kernel.prepare(kQuantize, "", {std::string("fp=") + flavour.name, "io=f32"}, target()));
    std::vector<float> x(4 * kRow, 1.f);
    x[0 * kRow + 5] = kNan;
    x[1 * kRow + 62] = -kInfinity;
    x[2 * kRow + 7] = flavour.max; // between rows with NaN: not touched by them
    x[3 * kRow + 0] = -kNan;
    kernel.setFloats("x", {4, kRow}, x);
    kernel.fill("codes", {4, kRow}, 0xA5);
    kernel.fill("scales", {4}, 0xA5);
    kernel.run();
    // Such a row takes the scale of the largest f32, and 1 becomes 0.
    float large = flavour.fnuz ? 0x1p121f : 0x1p120f;
    EXPECT_EQ(kernel.floats("scales"), (std::vector<float>{large, large, 1, large}));
    std::vector<uint64_t> codes = kernel.bits("codes");
    for (int64_t row : {0, 1, 3})
      for (int64_t i = 0; i < kRow; ++i) {
        uint64_t code = codes[row * kRow + i];
        if (std::isfinite(x[row * kRow + i]))
          EXPECT_EQ(code, 0u) << row << ", " << i;
        else
          EXPECT_TRUE(flavour.fnuz ? code == 0x80 : code == 0x7F || code == 0xFF) << code;
      }
    for (int64_t i = 0; i < kRow; ++i)
      EXPECT_EQ(codes[2 * kRow + i],
                i == 7 ? (flavour.fnuz ? 0x7Fu : 0x7Eu) : (flavour.fnuz ? 0x40u : 0x38u));
  }
}

TEST_P(Encoding, AC2_DecodesEveryCode) {
  std::vector<std::vector<uint64_t>> values;
  for (const Flavour &flavour : kFlavours) {
    SCOPED_TRACE(flavour.name);
    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(R"(
kernel decode(fp: dtype) {
  axis   token
  input  x : fp[token, 256]
  output y : f32[token, 256]
  y = x
})",
                               "", {std::string("fp=") + flavour.name}, target()));
    // The second row is turned by one, so that each code stands at two places of a word.
    kernel.array("x", {2, 256});
    for (int64_t code = 0; code < 256; ++code) {
      kernel.putInt("x", {0, code}, code);
      kernel.putInt("x", {1, (code + 1) % 256}, code);
    }
    kernel.fill("y", {2, 256}, 0xA5);
    kernel.run();
    std::vector<uint64_t> &bits = values.emplace_back();
    for (int64_t code = 0; code < 256; ++code) {
      SCOPED_TRACE(code);
      float y = kernel.floatAt("y", {0, code});
      bits.push_back(kernel.bitsAt("y", {0, code}));
      bool nan = flavour.fnuz ? code == 0x80 : (code & 0x7F) == 0x7F;
      EXPECT_EQ(std::isnan(y), nan);
      if (nan) {
        EXPECT_TRUE(std::isnan(kernel.floatAt("y", {1, (code + 1) % 256})));
        continue;
      }
      EXPECT_EQ(kernel.bitsAt("y", {1, (code + 1) % 256}), bits.back());
      float meaning = reference::decode(flavour.dtype, code);
      EXPECT_EQ(bits.back(), std::bit_cast<uint32_t>(meaning));
    }
    auto value = [&](int code) { return kernel.floatAt("y", {0, code}); };
    if (flavour.fnuz) {
      EXPECT_EQ(value(0x7F), 240);
      EXPECT_EQ(value(0xFF), -240);
      EXPECT_EQ(value(0x38), 0.5f);
    } else {
      EXPECT_EQ(value(0x7E), 448);
      EXPECT_EQ(bits[0x80], 0x80000000u); // -0
      EXPECT_EQ(value(0x38), 1);
    }
  }
  // A code that both flavours count as a number is worth half in fnuz.
  for (int code = 0; code < 256; ++code)
    if ((code & 0x7F) != 0x7F && code != 0x80)
      EXPECT_EQ(std::bit_cast<float>(uint32_t(values[1][code])),
                std::bit_cast<float>(uint32_t(values[0][code])) / 2)
          << code;
}

TEST_P(Encoding, AC3_ScaleAtBinadeEdges) {
  for (const Flavour &flavour : kFlavours) {
    SCOPED_TRACE(flavour.name);
    KernelCase kernel;
    ASSERT_TRUE(
        kernel.prepare(kQuantize, "", {std::string("fp=") + flavour.name, "io=f32"}, target()));
    std::vector<float> amax, expected;
    for (int k = -12; k <= 8; ++k) {
      float edge = std::ldexp(flavour.max, k);
      amax.insert(amax.end(), {edge, std::nextafter(edge, kInfinity), std::nextafter(edge, 0.f)});
      expected.insert(expected.end(),
                      {std::ldexp(1.f, k), std::ldexp(1.f, k + 1), std::ldexp(1.f, k)});
    }
    EXPECT_EQ(scales(kernel, amax), expected);
  }
}

TEST_P(Encoding, AC3_ScaleAtBinadeEdgesOfBf16Rows) {
  for (const Flavour &flavour : kFlavours) {
    SCOPED_TRACE(flavour.name);
    KernelCase kernel;
    ASSERT_TRUE(
        kernel.prepare(kQuantize, "", {std::string("fp=") + flavour.name, "io=bf16"}, target()));
    std::vector<float> amax = flavour.fnuz ? std::vector<float>{240, 241, 240, 241}
                                           : std::vector<float>{448, 450, 448, 450};
    EXPECT_EQ(scales(kernel, amax), (std::vector<float>{1, 2, 1, 2}));
  }
}

// The cache keys of the two builds belong to the cache's own tests.
TEST_P(Encoding, AC6_CeilingBelowTheFormats) {
  for (int ceiling : {240, 224}) {
    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(R"(
kernel encode(ceiling: int) {
  axis   token
  input  x      : f32[token, 64]
  output codes  : f8e4m3fnuz[token, 64]
  output scales : f32[token]
  codes, scales = quantize(x, f8e4m3fnuz, scale = ue8m0, floor = 1e-10, max = ceiling)
})",
                               "", {"ceiling=" + std::to_string(ceiling)}, target()));
    EXPECT_EQ(scales(kernel, {236}), std::vector<float>{ceiling == 240 ? 1.f : 2.f});
    EXPECT_EQ(kernel.bitsAt("codes", {0, 0}), ceiling == 240 ? 0x7Fu : 0x77u);
  }
}

} // namespace
} // namespace braid::test
