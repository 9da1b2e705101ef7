// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs around what is a row and in which dtype it is stored: faults that the acceptance
// cases brought to light (AC2, AC19).

#include "IndexerCase.h"

#include <cstring>

namespace braid::test {
namespace {

class StoredRows : public OnTargets {};
BRAID_ON_TARGETS(StoredRows);

// Scalars of rows: without a row op the stored value's last axis is the row, and no other
// operand's; beside a row op a tensor without that row has none, so its last axis has any extent
// and stride.
TEST_P(StoredRows, ScalarsOfRows) {
  KernelCase product, beside;
  ASSERT_TRUE(product.prepare(R"(
kernel scaled() {
  axis   token
  input  x : bf16[token, 4, 64]
  input  s : f32[token, 4]
  output y : f32[token, 4, 64]
  y = x * s
})",
                              "", {}, target()));
  product.setFloats("x", {2, 4, 64}, std::vector<float>(512, 3));
  product.setFloats("s", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  product.fill("y", {2, 4, 64}, 0xA5);
  product.run();
  for (int64_t row = 0; row < 8; ++row)
    EXPECT_EQ(product.floatAt("y", {row / 4, row % 4, 63}), 3 * (row + 1));

  ASSERT_TRUE(beside.prepare(R"(
kernel beside() {
  axis   token
  input  x : bf16[token, 64]
  input  g : bf16[token, 5]
  output c : fp8[token, 64]
  output s : f32[token]
  output w : f32[token, 5]
  c, s = quantize(x, fp8, scale = ue8m0, floor = 1e-4)
  w = g * 2
})",
                             "", {}, target()));
  EXPECT_FALSE(beside.meta("g").row || beside.meta("w").row);
  beside.setFloats("x", {2, 64}, std::vector<float>(128, 3));
  beside.setFloats("g", {2, 10}, {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0, 10, 0});
  beside.operands["g"].extents = {2, 5};
  beside.operands["g"].strides = {10, 2};
  beside.fill("c", {2, 64}, 0xA5);
  beside.fill("s", {2}, 0xA5);
  beside.fill("w", {2, 5}, 0xA5);
  beside.run();
  EXPECT_EQ(beside.floats("w"), (std::vector<float>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}));
}

// A loaded row is f32 to the program, whatever its tensor holds: so are the bytes that are stored.
TEST_P(StoredRows, LoadedRowsAreStoredAsF32) {
  for (const char *io : {"bf16", "f16", "f8e4m3fn", "f8e4m3fnuz", "f32"}) {
    SCOPED_TRACE(io);
    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(R"(
kernel copy(io: dtype) {
  axis   token
  input  x : io[token, 64]
  output y : f32[token, 64]
  y = x
})",
                               "", {std::string("io=") + io}, target()));
    std::vector<float> numbers(3 * 64);
    for (int64_t i = 0; i < 3 * 64; ++i)
      numbers[i] = (i % 16 - 8) * 0.5f; // exact in all of them
    kernel.setFloats("x", {3, 64}, numbers);
    kernel.fill("y", {3, 64}, 0xA5);
    kernel.run();
    EXPECT_EQ(kernel.floats("y"), numbers);
  }
}

TEST_P(StoredRows, LoadedRowsAreStoredAsF32InPages) {
  for (const char *io : {"bf16", "f8e4m3fn", "f32"}) {
    SCOPED_TRACE(io);
    KernelCase kernel;
    ASSERT_TRUE(kernel.prepare(R"(
kernel keep(io: dtype) {
  axis   token
  input  x    : io[token, 64]
  input  s    : io[token]
  input  slot : i64[token]
  cache  rows : linear(page_size = 4, dim = 64, value = f32)
  rows[slot] = value: x, scale: s
})",
                               "", {std::string("io=") + io}, target()));
    std::vector<float> numbers(3 * 64);
    for (int64_t i = 0; i < 3 * 64; ++i)
      numbers[i] = (i % 16 - 8) * 0.5f;
    kernel.setFloats("x", {3, 64}, numbers);
    kernel.setFloats("s", {3}, {0.5f, 2, -1});
    kernel.setInts("slot", {3}, {2, 0, 1});
    kernel.fill("rows", {1, 4 * 65 * 4}, 0xA5);
    kernel.run();
    std::vector<uint8_t> page = kernel.bytes("rows");
    std::vector<float> stored(4 * 65);
    std::memcpy(stored.data(), page.data(), page.size());
    for (int64_t token = 0; token < 3; ++token) {
      int64_t t = std::vector<int64_t>{2, 0, 1}[token];
      EXPECT_EQ(std::vector<float>(&stored[t * 64], &stored[t * 64] + 64),
                std::vector<float>(&numbers[token * 64], &numbers[token * 64] + 64));
      EXPECT_EQ(stored[4 * 64 + t], std::vector<float>({0.5f, 2, -1})[token]);
    }
  }
}

} // namespace
} // namespace braid::test
