// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The indexer written out by hand with the oracle's arithmetic, on every golden file: if the rules
// are right, all bits are. No program, no interpreter; so a failure here is one of the arithmetic.

#include "codegen/reference/Compare.h"
#include "codegen/reference/FloatFormat.h"
#include "codegen/reference/Numerics.h"
#include "runtime/Npz.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

using namespace braid;
using namespace braid::reference;

namespace {

constexpr int64_t kDim = 128;
using Row = std::vector<float>;

struct Golden {
  const char *file;
  DType fp;
  bool gptj, tiled;
  int64_t pageSize;
  float eps;
};

/// What the listing of tests shows of a parameter.
void PrintTo(const Golden &golden, std::ostream *out) { *out << golden.file; }

constexpr Golden kFiles[] = {
    {"indexer_gfx942_gptj_tiled16", DType::F8E4M3FNUZ, true, true, 16, 1e-5f},
    {"indexer_gfx950_gptj_tiled16", DType::F8E4M3FN, true, true, 16, 1e-5f},
    {"indexer_gfx942_neox_linear64", DType::F8E4M3FNUZ, false, false, 64, 1e-6f},
    {"indexer_gfx950_neox_linear64", DType::F8E4M3FN, false, false, 64, 1e-6f},
    {"indexer_gfx942_neox_linear64_nonfinite", DType::F8E4M3FNUZ, false, false, 64, 1e-6f},
    {"indexer_gfx950_neox_linear64_nonfinite", DType::F8E4M3FN, false, false, 64, 1e-6f},
    {"indexer_gfx950_norope_linear1", DType::F8E4M3FN, false, false, 1, 1e-6f},
};

float valueAt(const HostArray &array, int64_t flat) {
  return static_cast<float>(decode(*array.dtype, array.loadBits(array.offsetOf(flat))));
}

Row rowAt(const HostArray &array, int64_t row, int64_t columns = kDim) {
  Row values;
  for (int64_t column = 0; column < columns; ++column)
    values.push_back(valueAt(array, row * columns + column));
  return values;
}

Row rounded(Row row) {
  for (float &x : row)
    x = roundTo(DType::BF16, x);
  return row;
}

Row rope(Row row, const Row &table, bool gptj) {
  const size_t pairs = table.size() / 2;
  for (size_t i = 0; i < pairs; ++i) {
    float &first = row[gptj ? 2 * i : i];
    float &second = row[gptj ? 2 * i + 1 : i + pairs];
    const float x1 = first, x2 = second, cosine = table[i], sine = table[pairs + i];
    first = reference::fma(x1, cosine, -(x2 * sine));
    second = reference::fma(x2, cosine, x1 * sine);
  }
  return row;
}

Row layerNorm(Row row, const Row &gamma, const Row &beta, float eps) {
  const auto count = static_cast<float>(row.size());
  const float mean = treeSum(row) / count;
  Row squares;
  for (float &x : row) {
    x -= mean;
    squares.push_back(x * x);
  }
  const float scale = reciprocalSqrt(treeSum(squares) / count + eps);
  for (size_t i = 0; i < row.size(); ++i)
    row[i] = reference::fma(row[i] * scale, gamma[i], beta[i]);
  return row;
}

struct Quantized {
  std::vector<uint32_t> codes;
  float scale;
};

Quantized quantize(const Row &row, DType fp, float floor) {
  Quantized result;
  result.scale = ue8m0Scale(std::max(rowAmax(row), floor), static_cast<float>(largestFinite(fp)));
  for (float x : row)
    result.codes.push_back(encode(fp, x * (1 / result.scale)));
  return result;
}

int64_t valueByte(const Golden &golden, int64_t t, int64_t d) {
  return golden.tiled ? t / 16 * (16 * kDim) + d / 16 * 256 + t % 16 * 16 + d % 16 : t * kDim + d;
}

std::optional<PageElement> pageElement(const Golden &golden, int64_t byte) {
  const int64_t scales = golden.pageSize * kDim;
  if (byte < scales)
    return PageElement{golden.fp, byte, "value"};
  return PageElement{DType::F32, byte - (byte - scales) % 4, "scale"};
}

class GoldenFile : public testing::TestWithParam<Golden> {
protected:
  void SetUp() override {
    const std::string path = std::string(BRAID_TEST_DATA) + "/" + GetParam().file + ".npz";
    const Status status = readNpz(path, npz);
    ASSERT_TRUE(status.ok()) << status.text();
  }

  HostArray tensor(const char *name, std::optional<DType> dtype) const {
    HostArray array;
    const Status status = npz.tensor(name, dtype, array);
    EXPECT_TRUE(status.ok()) << status.text();
    return array;
  }

  Row anglesOf(int64_t token) const {
    const HostArray angle = tensor("angle", DType::F32);
    const auto position = static_cast<int64_t>(tensor("pos", DType::I64).loadBits(token));
    return rowAt(angle, std::clamp<int64_t>(position, 0, angle.extents[0] - 1), angle.extents[1]);
  }

  Npz npz;
};

} // namespace

TEST_P(GoldenFile, QueriesAndGate) {
  const Golden &golden = GetParam();
  const HostArray q = tensor("q", DType::BF16), gate = tensor("gate", DType::BF16);
  const int64_t tokens = q.extents[0], heads = q.extents[1];
  const auto constant = static_cast<float>(1 / std::sqrt(static_cast<double>(kDim * heads)));
  HostArray codes, weights;
  ASSERT_TRUE(HostArray::zeros(golden.fp, q.extents, codes).ok());
  ASSERT_TRUE(HostArray::zeros(DType::F32, gate.extents, weights).ok());
  for (int64_t row = 0; row < tokens * heads; ++row) {
    const Row rotated = rounded(rope(rowAt(q, row), anglesOf(row / heads), golden.gptj));
    const Quantized quantized = quantize(rotated, golden.fp, 1e-10f);
    for (int64_t d = 0; d < kDim; ++d)
      codes.storeBits(row * kDim + d, quantized.codes[d]);
    weights.storeBits(row, encode(DType::F32, valueAt(gate, row) * quantized.scale * constant));
  }
  const Comparison q8 = compare(codes, tensor("expected_q8", golden.fp));
  EXPECT_TRUE(q8.equal()) << q8.text();
  const Comparison w = compare(weights, tensor("expected_w", DType::F32));
  EXPECT_TRUE(w.equal()) << w.text();
}

TEST_P(GoldenFile, KeysInTheirPages) {
  const Golden &golden = GetParam();
  const HostArray k = tensor("k", DType::BF16), slots = tensor("slot", DType::I64);
  const HostArray pages = tensor("index_k", std::nullopt);
  const Row gamma = rowAt(tensor("gamma", DType::F32), 0),
            beta = rowAt(tensor("beta", DType::F32), 0);
  const int64_t pageBytes = pages.extents[1];
  for (int64_t token = 0; token < k.extents[0]; ++token) {
    const uint64_t slot = slots.loadBits(token);
    if (slot >= static_cast<uint64_t>(pages.extents[0] * golden.pageSize))
      continue;
    const Row normed = rounded(layerNorm(rowAt(k, token), gamma, beta, golden.eps));
    const Row rotated = rounded(rope(normed, anglesOf(token), golden.gptj));
    const Quantized quantized = quantize(rotated, golden.fp, 1e-4f);
    const auto page = static_cast<int64_t>(slot) / golden.pageSize * pageBytes;
    const auto t = static_cast<int64_t>(slot) % golden.pageSize;
    for (int64_t d = 0; d < kDim; ++d)
      pages.storeBits(page + valueByte(golden, t, d), quantized.codes[d]);
    const uint32_t scale = encode(DType::F32, quantized.scale);
    for (int64_t byte = 0; byte < 4; ++byte)
      pages.storeBits(page + golden.pageSize * kDim + 4 * t + byte, scale >> (8 * byte));
  }
  const Comparison result = comparePages(pages, tensor("expected_index_k", std::nullopt),
                                         [&](int64_t byte) { return pageElement(golden, byte); });
  EXPECT_TRUE(result.equal()) << result.text();
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenFile, testing::ValuesIn(kFiles),
                         [](const auto &info) { return std::string(info.param.file); });
