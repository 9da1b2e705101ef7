// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every narrow float format in generated code of every target, against ml_dtypes: all codes are
// decoded, all bf16 values and all midpoints with their neighbours are encoded.

#include "IndexerCase.h"

#include "tests/data/FormatTables.h"

#include <fmt/format.h>

namespace braid::test {
namespace {

constexpr int64_t kRow = 256;

struct Case {
  std::string target;
  FormatTable table;
};

class Formats : public testing::TestWithParam<Case> {
protected:
  const FormatTable &table() const { return GetParam().table; }
  std::vector<std::string> settings() const {
    return {fmt::format("fp={}", dtypeName(table().dtype))};
  }

  /// Codes of the values at scale 1. A given scale is 1 for all; f4e2m1 has the scale 1 of a group
  /// whose amax is 6, so that only values up to 6 can be had.
  void expectCodes(std::vector<float> values) {
    const bool byGroup = table().dtype == DType::F4E2M1;
    std::vector<float> x;
    std::vector<size_t> places;
    for (float value : values) {
      if (byGroup && !(std::fabs(value) <= 6))
        continue;
      if (byGroup && x.size() % 32 == 13)
        x.push_back(x.size() % 64 < 32 ? 6.0f : -6.0f);
      places.push_back(x.size());
      x.push_back(value);
    }
    const auto rows = static_cast<int64_t>((x.size() + kRow - 1) / kRow);
    for (size_t i = x.size(); i < static_cast<size_t>(rows * kRow); ++i)
      x.push_back(i % 32 == 13 ? 6.0f : 0.0f);

    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(
        fmt::format(R"(
kernel encode(fp: dtype) {{
  axis   token
  input  x     : f32[token, 256]
  output codes : fp[token, 256]
  codes, scales = quantize(x, fp, {})
}})",
                    byGroup ? "scale = ue8m0, floor = 1e-10, group = 32" : "scale = given(1)"),
        "", settings(), GetParam().target));
    kernel.setFloats("x", {rows, kRow}, x);
    kernel.fill("codes", {rows, kRow}, 0xA5);
    kernel.run();
    const std::vector<uint64_t> codes = kernel.bits("codes");
    for (size_t place : places)
      ASSERT_TRUE(table().isCodeOf(codes[place], x[place])) << x[place] << ": " << codes[place];
  }
};

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const char *target : {"gfx942", "gfx950", "sm_90"})
    for (const FormatTable &table : kFormatTables)
      cases.push_back({target, table});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, Formats, testing::ValuesIn(allCases()), [](const auto &info) {
  return info.param.target + "_" + std::string(dtypeName(info.param.table.dtype));
});

// S-FP8-4.
TEST_P(Formats, EncodesAllBf16) { expectCodes(allBf16()); }

// S-FP8-4.
TEST_P(Formats, EncodesMidpointsAndTheirNeighbours) { expectCodes(table().edges()); }

TEST_P(Formats, DecodesAllCodes) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel decode(fp: dtype) {
  axis   token
  input  x : fp[token, 256]
  output y : f32[token, 256]
  y = x
})",
                             "", settings(), GetParam().target));
  // The second row is turned by one, so that each code stands at two places of a word.
  kernel.array("x", {2, kRow});
  const auto count = static_cast<int64_t>(table().codes.size());
  for (int64_t i = 0; i < kRow; ++i) {
    kernel.putInt("x", {0, i}, i % count);
    kernel.putInt("x", {1, i}, (i + 1) % count);
  }
  kernel.fill("y", {2, kRow}, 0xA5);
  kernel.run();
  for (int64_t row : {0, 1})
    for (int64_t i = 0; i < kRow; ++i) {
      const auto code = static_cast<uint32_t>((i + row) % count);
      if (table().isNan(code))
        EXPECT_TRUE(std::isnan(kernel.floatAt("y", {row, i}))) << code;
      else
        EXPECT_EQ(kernel.bitsAt("y", {row, i}), table().codes[code]) << code;
    }
}

} // namespace
} // namespace braid::test
