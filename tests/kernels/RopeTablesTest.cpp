// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms of an angle table (joined, split, pairs), its types, and axes between its first and its
// last: one set of angles gives one result, which is that of the definition.

#include "KernelCase.h"

#include "codegen/reference/FloatFormat.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace braid::test {
namespace {

constexpr int64_t kTokens = 6, kHeads = 3, kDim = 64, kTableRows = 5;
const std::vector<int64_t> kPositions = {4, 0, 2, -3, 1, 99}; // clamped to the table

struct Range {
  int64_t begin, end;
};

using Parameter = std::tuple<const char *, DType, const char *, const char *>;

class RopeTables : public testing::TestWithParam<Parameter> {
protected:
  std::string form = std::get<0>(GetParam()), style = std::get<2>(GetParam());
  DType dtype = std::get<1>(GetParam());
  std::vector<float> x, cosines, sines; // angles by table row and pair

  void draw(Range dims) {
    std::minstd_rand random(7);
    auto number = [&](DType type) {
      return reference::roundTo(type,
                                static_cast<float>(static_cast<double>(random()) / (1u << 30) - 1));
    };
    x.resize(kTokens * kHeads * kDim);
    for (float &value : x)
      value = number(DType::BF16);
    size_t count = kTableRows * (dims.end - dims.begin) / 2;
    cosines.resize(count), sines.resize(count);
    for (size_t i = 0; i < count; ++i)
      cosines[i] = number(dtype), sines[i] = number(dtype);
    x[5] = std::nanf("");
    cosines[1] = INFINITY;
  }

  void setTables(KernelCase &kernel, int64_t half, std::vector<int64_t> middle) {
    std::vector<int64_t> extents = {kTableRows};
    extents.insert(extents.end(), middle.begin(), middle.end());
    std::vector<float> table;
    if (form == "split") {
      extents.push_back(half);
      kernel.setFloats("angle", extents, cosines);
      kernel.setFloats("sine", extents, sines);
      return;
    }
    for (int64_t row = 0; row < kTableRows; ++row)
      for (int64_t i = 0; i < 2 * half; ++i) {
        bool cosine = form == "joined" ? i < half : i % 2 == 0;
        int64_t pair = form == "joined" ? i % half : i / 2;
        table.push_back((cosine ? cosines : sines)[row * half + pair]);
      }
    extents.push_back(2 * half);
    kernel.setFloats("angle", extents, table);
  }

  std::vector<float> turned(Range dims) const {
    std::vector<float> y = x;
    int64_t half = (dims.end - dims.begin) / 2;
    for (int64_t row = 0; row < kTokens * kHeads; ++row) {
      int64_t position = std::clamp<int64_t>(kPositions[row / kHeads], 0, kTableRows - 1);
      for (int64_t i = 0; i < half; ++i) {
        int64_t a = row * kDim + dims.begin + (style == "neox" ? i : 2 * i);
        int64_t b = a + (style == "neox" ? half : 1);
        float c = cosines[position * half + i], s = sines[position * half + i];
        y[a] = std::fma(x[a], c, -(x[b] * s));
        y[b] = std::fma(x[b], c, x[a] * s);
      }
    }
    return y;
  }
};

// S-ROPE-1, S-ROPE-3.
TEST_P(RopeTables, GiveTheDefinition) {
  for (Range dims : {Range{0, 64}, {32, 64}, {10, 16}})
    for (const char *axes : {"", "1, ", "1, 1, "}) {
      if (*axes && dims.begin != 10) // once is enough
        continue;
      SCOPED_TRACE(fmt::format("dims {}..{} axes {}", dims.begin, dims.end, axes));
      int64_t half = (dims.end - dims.begin) / 2;
      bool split = form == "split";
      std::string text = fmt::format(
          "kernel k() {{\n  axis token\n  input x : bf16[token, {0}, {1}]\n  input pos : "
          "i32[token]\n  "
          "input angle : {2}[position, {3}{4}]\n{5}  output y : f32[token, {0}, {1}]\n  output z : "
          "bf16[token, {0}, {1}]\n  r = rope(x, angle[pos], {6}, dims = {7}..{8}, table = "
          "{9}{10})\n  y "
          "= r\n  z = round(r, bf16)\n}}\n",
          kHeads, kDim, dtypeName(dtype), axes, split ? half : 2 * half,
          split ? fmt::format("  input sine : {}[position, {}{}]\n", dtypeName(dtype), axes, half)
                : "",
          style, dims.begin, dims.end, form, split ? ", sines = sine[pos]" : "");
      KernelCase kernel;
      ASSERT_TRUE(kernel.prepare(text, "", {}, std::get<3>(GetParam())));
      draw(dims);
      kernel.setFloats("x", {kTokens, kHeads, kDim}, x);
      kernel.setInts("pos", {kTokens}, kPositions);
      setTables(kernel, half, std::vector<int64_t>(std::string(axes).size() / 3, 1));
      kernel.fill("y", {kTokens, kHeads, kDim}, 0xA5);
      kernel.fill("z", {kTokens, kHeads, kDim}, 0xA5);
      kernel.run();
      std::vector<float> y = kernel.floats("y"), z = kernel.floats("z"), expected = turned(dims);
      for (size_t i = 0; i < y.size(); ++i) {
        float rounded = reference::roundTo(DType::BF16, expected[i]);
        ASSERT_TRUE(y[i] == expected[i] || (std::isnan(y[i]) && std::isnan(expected[i]))) << i;
        ASSERT_TRUE(z[i] == rounded || (std::isnan(z[i]) && std::isnan(rounded))) << i;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, RopeTables,
                         testing::Combine(testing::Values("joined", "split", "pairs"),
                                          testing::Values(DType::F32, DType::BF16, DType::F16),
                                          testing::Values("neox", "gptj"),
                                          testing::Values("gfx942", "gfx950", "sm_90")),
                         [](const auto &info) {
                           return fmt::format("{}_{}_{}_{}", std::get<0>(info.param),
                                              dtypeName(std::get<1>(info.param)),
                                              std::get<2>(info.param), std::get<3>(info.param));
                         });

// A table with a row for each head and position: its axes behind the first are the rows' own.
TEST(RopeTablesAxes, ATableRowForEachHead) {
  for (const char *target : {"gfx942", "sm_90"}) {
    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(R"(
kernel k(heads: int = 3) {
  axis   token
  input  x     : f32[token, heads, 4]
  input  t     : f32[position, heads, 4]
  input  pos   : i64[token]
  output y     : f32[token, heads, 4]
  output z     : f32[token, heads, 4]
  y = rope(x, t[pos], neox, dims = 0..4, table = joined)
  z = t[pos] + x
})",
                               "", {}, target));
    std::vector<float> x(2 * 3 * 4, 0.0f), t(5 * 3 * 4);
    for (size_t i = 0; i < x.size(); i += 4)
      x[i] = x[i + 1] = 1; // first elements are the cosines, second ones the sines
    for (size_t i = 0; i < t.size(); ++i)
      t[i] = static_cast<float>(i + 1);
    kernel.setFloats("x", {2, 3, 4}, x);
    kernel.setFloats("t", {5, 3, 4}, t);
    kernel.setInts("pos", {2}, {3, 1});
    kernel.fill("y", {2, 3, 4}, 0xA5);
    kernel.fill("z", {2, 3, 4}, 0xA5);
    kernel.run();
    for (int64_t token = 0; token < 2; ++token)
      for (int64_t head = 0; head < 3; ++head)
        for (int64_t i = 0; i < 4; ++i) {
          float angle = t[((token == 0 ? 3 : 1) * 3 + head) * 4 + i];
          EXPECT_EQ(kernel.floatAt("y", {token, head, i}), angle);
          EXPECT_EQ(kernel.floatAt("z", {token, head, i}), angle + x[(token * 3 + head) * 4 + i]);
        }
  }
}

} // namespace
} // namespace braid::test
