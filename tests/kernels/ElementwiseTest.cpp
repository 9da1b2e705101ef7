// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every element-wise op on rows and on scalars of rows, on the values where definitions differ: NaN,
// infinities, both zeros, subnormals. Expected bits come from C++ on the host, not from the reference.

#include "KernelCase.h"

#include <bit>
#include <cmath>
#include <limits>

namespace braid::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();
const std::vector<float> kEdges = {0.0f, -0.0f, 1.0f, -1.5f, kInf, -kInf, kNan, 1e-42f,
                                   -3e-41f, 3.4e38f, 1e-38f, 0.1f, -7.0f, 2e-38f, 1e30f, -1e30f};

// All pairs of edges, one row of 16 against each edge.
struct Pairs {
  std::vector<float> a, b;
  Pairs() {
    for (float x : kEdges)
      for (float y : kEdges)
        a.push_back(x), b.push_back(y);
  }
};

bool sameBits(float found, float expected) {
  return (std::isnan(found) && std::isnan(expected)) ||
         std::bit_cast<uint32_t>(found) == std::bit_cast<uint32_t>(expected);
}

float larger(float x, float y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? y : x;
  return x == y ? (std::signbit(x) ? y : x) : std::max(x, y);
}

float smaller(float x, float y) { return -larger(-x, -y); }

struct Op {
  const char *name, *expression;
  float (*expected)(float, float);
};

void PrintTo(const Op &op, std::ostream *os) { *os << op.name; }

using Parameter = std::tuple<Op, const char *>;

class Elementwise : public testing::TestWithParam<Parameter> {
protected:
  void check(const std::string &axes, std::vector<int64_t> extents) {
    const auto &[op, target] = GetParam();
    KernelCase kernel;
    std::string text = "kernel k() {\n  axis token\n  input a : f32[" + axes + "]\n  input b : f32[" +
                       axes + "]\n  output y : f32[" + axes + "]\n  y = " + op.expression + "\n}\n";
    ASSERT_TRUE(kernel.prepare(text, "", {}, target));
    Pairs pairs;
    kernel.setFloats("a", extents, pairs.a);
    kernel.setFloats("b", extents, pairs.b);
    kernel.fill("y", extents, 0xA5);
    kernel.run();
    std::vector<float> y = kernel.floats("y");
    for (size_t i = 0; i < y.size(); ++i)
      EXPECT_TRUE(sameBits(y[i], op.expected(pairs.a[i], pairs.b[i])))
          << pairs.a[i] << ", " << pairs.b[i] << " gives " << y[i];
  }
};

// S-ELEM-1.
TEST_P(Elementwise, OnRows) { check("token, 16", {16, 16}); }
TEST_P(Elementwise, OnScalars) { check("token", {256}); }

INSTANTIATE_TEST_SUITE_P(
    Ops, Elementwise,
    testing::Combine(
        testing::Values(
            Op{"add", "a + b", [](float x, float y) { return x + y; }},
            Op{"sub", "a - b", [](float x, float y) { return x - y; }},
            Op{"mul", "a * b", [](float x, float y) { return x * y; }},
            Op{"div", "a / b", [](float x, float y) { return x / y; }},
            Op{"neg", "-a + b * 0", [](float x, float y) { return -x + y * 0; }},
            Op{"abs", "abs(a) + b * 0", [](float x, float y) { return std::fabs(x) + y * 0; }},
            Op{"max", "max(a, b)", larger}, Op{"min", "min(a, b)", smaller},
            Op{"fma", "fma(a, b, 1.25)", [](float x, float y) { return std::fma(x, y, 1.25f); }},
            Op{"nested", "(a - (b - 2)) / (3 - a) - -b",
               [](float x, float y) { return (x - (y - 2.0f)) / (3.0f - x) - -y; }}),
        testing::Values("gfx942", "gfx950", "sm_90")),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param);
    });

} // namespace
} // namespace braid::test
