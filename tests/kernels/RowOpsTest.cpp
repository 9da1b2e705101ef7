// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rms_norm, rms_rstd, sum, amax, hadamard, exp, sigmoid and silu in programs: rows of edge values
// and random rows, for all input types and several lengths. Expected bits come from plain formulas
// here, not from the reference, which every run is compared with as well.

#include "KernelCase.h"

#include "codegen/reference/FloatFormat.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace braid::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
const float kNan = std::numeric_limits<float>::quiet_NaN();

using Row = std::vector<float>;

bool same(float found, float expected) {
  return (std::isnan(found) && std::isnan(expected)) ||
         std::bit_cast<uint32_t>(found) == std::bit_cast<uint32_t>(expected);
}

// Neighbours first, level by level.
float treeSum(Row row) {
  for (; row.size() > 1; row.resize(row.size() / 2))
    for (size_t i = 0; i < row.size() / 2; ++i)
      row[i] = row[2 * i] + row[2 * i + 1];
  return row[0];
}

float amaxOf(const Row &row) {
  float amax = 0;
  for (float x : row)
    amax = std::isnan(x) || std::isinf(x) ? kLargest : std::max(amax, std::fabs(x));
  return amax;
}

float rstdOf(Row row, float eps) {
  float n = row.size();
  for (float &x : row)
    x *= x;
  return 1.0f / std::sqrt(treeSum(row) / n + eps);
}

Row hadamardOf(Row x, float scale) {
  for (size_t stride = 1; stride < x.size(); stride *= 2)
    for (size_t i = 0; i < x.size(); ++i)
      if ((i & stride) == 0) {
        float a = x[i], b = x[i + stride];
        x[i] = a + b, x[i + stride] = a - b;
      }
  for (float &value : x)
    value *= scale;
  return x;
}

// Rows that only the right rule gets right, then random ones.
std::vector<Row> rowsOf(size_t length, DType dtype) {
  auto with = [&](float fill, std::vector<float> first) {
    Row row(length, fill);
    std::copy_n(first.begin(), std::min(first.size(), length), row.begin());
    return row;
  };
  std::vector<Row> rows = {
      with(0, {}),           with(-0.0f, {}),         with(1, {kNan}),
      with(1, {0, kInf}),    with(-2, {-kInf, kInf}), with(1e-42f, {-1e-45f}),
      with(3e38f, {-3e38f}), with(0, {kLargest}),     with(1e-20f, {1e20f, -1e20f})};
  std::minstd_rand random(static_cast<unsigned>(length));
  for (int i = 0; i < 6; ++i) {
    Row row(length);
    for (float &x : row)
      x = static_cast<float>((static_cast<double>(random()) / (1u << 30) - 1) *
                             std::ldexp(1.0, static_cast<int>(random() % 9) - 4));
    rows.push_back(row);
  }
  for (Row &row : rows)
    for (float &x : row)
      x = reference::roundTo(dtype, x);
  return rows;
}

struct Case {
  DType dtype;
  int64_t length, heads;
};

class RowOps : public testing::TestWithParam<std::tuple<Case, const char *>> {
protected:
  KernelCase kernel;
  Case c = std::get<0>(GetParam());
  std::vector<Row> rows;
  int64_t tokens = 0;

  // x over [token, heads, dim]; `body` stores y, s over it.
  void run(const std::string &declarations, const std::string &body, bool rowOutput) {
    std::string text =
        fmt::format("kernel k(dim: int, heads: int) {{\n  axis token\n  input x : {}[token, heads, "
                    "dim]\n{}  output y "
                    ": f32[token, heads{}]\n{}\n}}\n",
                    dtypeName(c.dtype), declarations, rowOutput ? ", dim" : "", body);
    ASSERT_TRUE(kernel.prepare(text, "",
                               {fmt::format("dim={}", c.length), fmt::format("heads={}", c.heads)},
                               std::get<1>(GetParam())));
    rows = rowsOf(static_cast<size_t>(c.length), c.dtype);
    tokens = (static_cast<int64_t>(rows.size()) + c.heads - 1) / c.heads;
    rows.resize(static_cast<size_t>(tokens * c.heads), rows.back());
    Row flat;
    for (const Row &row : rows)
      flat.insert(flat.end(), row.begin(), row.end());
    kernel.setFloats("x", {tokens, c.heads, c.length}, flat);
    kernel.fill("y",
                rowOutput ? std::vector<int64_t>{tokens, c.heads, c.length}
                          : std::vector<int64_t>{tokens, c.heads},
                0xA5);
  }

  void expectRows(const std::vector<Row> &expected) {
    std::vector<float> y = kernel.floats("y");
    size_t width = y.size() / expected.size();
    for (size_t i = 0; i < expected.size(); ++i)
      for (size_t j = 0; j < width; ++j)
        ASSERT_TRUE(same(y[i * width + j], expected[i][j]))
            << "row " << i << " element " << j << ": " << y[i * width + j] << " for "
            << expected[i][j];
  }

  template <typename Meaning>
  void expectEach(Meaning meaning) {
    std::vector<Row> expected;
    for (const Row &row : rows)
      expected.push_back(meaning(row));
    expectRows(expected);
  }
};

TEST_P(RowOps, Sum) {
  run("", "  y = sum(x)", false);
  kernel.run();
  expectEach([](const Row &row) { return Row{treeSum(row)}; });
}

// S-AMAX-1.
TEST_P(RowOps, Amax) {
  run("", "  y = amax(x)", false);
  kernel.run();
  expectEach([](const Row &row) { return Row{amaxOf(row)}; });
}

// S-RMS-1.
TEST_P(RowOps, RmsRstdAndCastThenMultiply) {
  run("", "  y = round(x * rms_rstd(x, 1e-5), bf16) * 3", true);
  kernel.run();
  expectEach([](const Row &row) {
    Row y = row;
    for (float &x : y)
      x = reference::roundTo(DType::BF16, x * rstdOf(row, 1e-5f)) * 3;
    return y;
  });
}

// S-RMS-2.
TEST_P(RowOps, RmsNorm) {
  for (bool onePlus : {false, true})
    for (DType weight : {DType::F32, DType::BF16, DType::F16}) {
      run(fmt::format("  input g : {}[dim]\n", dtypeName(weight)),
          fmt::format("  y = rms_norm(x, g, 1e-6, weight = {})", onePlus ? "one_plus" : "plain"),
          true);
      Row gamma;
      for (int64_t i = 0; i < c.length; ++i)
        gamma.push_back(reference::roundTo(weight, 0.37f * static_cast<float>(i % 7) - 1));
      kernel.setFloats("g", {c.length}, gamma);
      kernel.run();
      expectEach([&](const Row &row) {
        Row y = row;
        for (size_t i = 0; i < y.size(); ++i) {
          float factor = onePlus ? 1.0f + gamma[i] : gamma[i];
          y[i] = (row[i] * rstdOf(row, 1e-6f)) * factor;
        }
        return y;
      });
    }
}

// S-HAD-1, S-ARITH-3.
TEST_P(RowOps, Hadamard) {
  run("", "  y = hadamard(x, 1 / sqrt(dim))", true);
  kernel.run();
  float scale = static_cast<float>(1 / std::sqrt(static_cast<double>(c.length)));
  expectEach([&](const Row &row) { return hadamardOf(row, scale); });
}

// exp by its error against double; sigmoid and silu by what they make of the program's own exp.
TEST_P(RowOps, Activations) {
  run("  output e : f32[token, heads, dim]\n  output s : f32[token, heads, dim]\n  output l : "
      "f32[token, "
      "heads, dim]\n  output r : f32[token, heads]\n",
      "  y = exp(x)\n  e = exp(-x)\n  s = sigmoid(x)\n  l = silu(x)\n  r = silu(sum(x))", true);
  for (const char *name : {"e", "s", "l"})
    kernel.fill(name, {tokens, c.heads, c.length}, 0xA5);
  kernel.fill("r", {tokens, c.heads}, 0xA5);
  kernel.run();
  std::vector<float> y = kernel.floats("y"), e = kernel.floats("e"), s = kernel.floats("s"),
                     l = kernel.floats("l");
  for (size_t i = 0; i < y.size(); ++i) {
    float x = rows[i / c.length][i % c.length];
    auto nearest = static_cast<float>(std::exp(static_cast<double>(x)));
    if (std::isnan(x))
      EXPECT_TRUE(std::isnan(y[i]));
    else
      EXPECT_TRUE(y[i] == nearest || y[i] == std::nextafter(nearest, 0.0f) ||
                  y[i] == std::nextafter(nearest, kInf))
          << x << ": " << y[i];
    EXPECT_TRUE(same(s[i], 1.0f / (1.0f + e[i]))) << x;
    EXPECT_TRUE(same(l[i], x / (1.0f + e[i]))) << x;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RowOps,
    testing::Combine(testing::Values(Case{DType::F32, 128, 1}, Case{DType::BF16, 128, 4},
                                     Case{DType::F16, 64, 3}, Case{DType::F32, 2, 5},
                                     Case{DType::BF16, 1024, 2}, Case{DType::F32, 16, 33}),
                     testing::Values("gfx942", "gfx950", "sm_90")),
    [](const auto &info) {
      const Case &c = std::get<0>(info.param);
      return fmt::format("{}_{}x{}_{}", dtypeName(c.dtype), c.heads, c.length,
                         std::get<1>(info.param));
    });

} // namespace
} // namespace braid::test
