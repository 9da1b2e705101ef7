// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IndexerCase.h"

#include "codegen/reference/RandomInputs.h"

#include <algorithm>
#include <cstring>

namespace braid::test {

bool IndexerCase::build() {
  std::string page =
      layout + "(page_size=" + std::to_string(pageSize) + ", dim=" + std::to_string(headDim) + ")";
  return prepare(dsaIndexer(), "",
                 {"heads=" + std::to_string(heads), "head_dim=" + std::to_string(headDim),
                  "rope_dim=" + std::to_string(ropeDim), "style=" + style, "eps=" + eps,
                  "page=" + page, "io=" + io, "ids=" + ids, "padding=" + padding},
                 target, kept);
}

std::vector<int64_t> IndexerCase::extentsOf(const OperandMeta &operand, int64_t tokens,
                                            int64_t pages) const {
  if (operand.kind == OperandKind::Cache)
    return {pages, pageBytes()};
  std::vector<int64_t> extents;
  for (size_t i = 0; i < operand.axes.size(); ++i)
    extents.push_back(operand.axes[i].extent        ? static_cast<int64_t>(*operand.axes[i].extent)
                      : operand.tableAxis && i == 0 ? kTableRows
                                                    : tokens);
  return extents;
}

void IndexerCase::plain(int64_t tokens, int64_t pages, uint8_t prefill) {
  for (const OperandMeta &operand : generated.signature().operands) {
    const std::string &name = operand.name;
    std::vector<int64_t> extents = extentsOf(operand, tokens, pages);
    fill(name, extents, operand.written() ? prefill : 0);
    for (int64_t i = 0; i < headDim && name == "gamma"; ++i)
      put(name, {i}, 1);
    for (int64_t i = 0; i < kTableRows * ropeDim / 2 && name == "angle"; ++i)
      put(name, {i / (ropeDim / 2), i % (ropeDim / 2)}, 1);
    for (int64_t i = 0; i < tokens && (name == "pos" || name == "slot"); ++i)
      putInt(name, {i}, i);
  }
}

void IndexerCase::random(int64_t tokens, int64_t pages, uint64_t seed, uint8_t prefill) {
  using reference::OperandRole;
  const std::map<std::string, OperandRole> roles = {
      {"q", OperandRole::Activation},    {"k", OperandRole::Activation},
      {"gate", OperandRole::Activation}, {"gamma", OperandRole::Weight},
      {"beta", OperandRole::Weight},     {"angle", OperandRole::AngleTable},
      {"pos", OperandRole::Position},    {"slot", OperandRole::Slot}};
  for (const OperandMeta &operand : generated.signature().operands) {
    fill(operand.name, extentsOf(operand, tokens, pages), prefill);
    if (operand.written() || operand.kind == OperandKind::Cache)
      continue;
    reference::RandomOptions options;
    options.seed = reference::seedFor(seed, operand.name);
    options.tableRows = kTableRows;
    options.capacity = pages * pageSize;
    Status status = reference::fillRandom(operands[operand.name], roles.at(operand.name), options);
    ASSERT_TRUE(status.ok()) << status.text();
  }
}

float IndexerCase::cacheFloat(int64_t byte) const {
  float value;
  std::memcpy(&value, &bytes("index_k").at(byte), sizeof(value));
  return value;
}

float leastScale(float amax, float floor, float max) {
  double scale = 0x1p-126;
  while (max * scale < std::max(amax, floor))
    scale *= 2;
  return scale;
}

} // namespace braid::test
