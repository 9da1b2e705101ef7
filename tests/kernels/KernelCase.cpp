// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelCase.h"

#include "codegen/reference/Compare.h"
#include "codegen/reference/Evaluation.h"
#include "codegen/reference/FloatFormat.h"
#include "codegen/reference/PageMap.h"
#include "codegen/reference/RandomInputs.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace mlir;

namespace braid::test {

const std::string &dsaIndexer() {
  static const std::string text = [] {
    std::ifstream file(BRAID_SOURCE_DIR "/examples/dsa_indexer.braid");
    std::stringstream content;
    content << file.rdbuf();
    return content.str();
  }();
  return text;
}

bool KernelCase::prepare(const std::string &text, const std::string &preset,
                         const std::vector<std::string> &sets, const std::string &target,
                         const std::vector<std::string> &outputs) {
  loadBraidDialects(context);
  dsl::Program program = dsl::parseProgram(context, {text, "test.braid", "", preset, sets});
  std::string problems;
  for (const dsl::Diagnostic &diagnostic : program.diagnostics)
    problems += dsl::renderText(diagnostic);
  EXPECT_TRUE(program.module) << problems;
  if (!program.module)
    return false;
  module = std::move(program.module);
  request = {target, outputs};
  FailureOr<GeneratedKernel> result = generateHip(*module, request);
  EXPECT_TRUE(succeeded(result));
  if (failed(result))
    return false;
  generated = std::move(*result);
  Status status = tool::prepareOn("emu", generated, kernel, api);
  EXPECT_TRUE(status.ok()) << status.text();
  return status.ok();
}

const OperandMeta &KernelCase::meta(const std::string &name) const {
  for (const OperandMeta &operand : generated.meta.operands)
    if (operand.name == name)
      return operand;
  ADD_FAILURE() << "no operand " << name;
  return generated.meta.operands.front();
}

HostArray &KernelCase::array(const std::string &name, std::vector<int64_t> extents) {
  bool cache = meta(name).kind == OperandKind::Cache;
  guarded.erase(name);
  HostArray fresh;
  Status status = HostArray::zeros(cache ? std::nullopt : std::optional(meta(name).dtype),
                                   std::move(extents), fresh);
  EXPECT_TRUE(status.ok()) << status.text();
  return operands[name] = fresh;
}

void KernelCase::setFloats(const std::string &name, std::vector<int64_t> extents,
                           const std::vector<float> &values) {
  HostArray &target = array(name, std::move(extents));
  ASSERT_EQ(target.elementCount(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    target.storeBits(target.offsetOf(i), numberBits(values[i], *target.dtype));
}

void KernelCase::setInts(const std::string &name, std::vector<int64_t> extents,
                         const std::vector<int64_t> &values) {
  HostArray &target = array(name, std::move(extents));
  ASSERT_EQ(target.elementCount(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i)
    target.storeBits(target.offsetOf(i), static_cast<uint64_t>(values[i]));
}

void KernelCase::fill(const std::string &name, std::vector<int64_t> extents, uint8_t byte) {
  HostArray &target = array(name, std::move(extents));
  std::memset(target.data(), byte, target.byteCount());
}

tool::OperandSet KernelCase::operandSet() const {
  tool::OperandSet set;
  for (const OperandMeta &operand : generated.meta.operands) {
    auto found = operands.find(operand.name);
    EXPECT_NE(found, operands.end()) << operand.name << " is not set";
    set.arrays.push_back(found->second);
  }
  return set;
}

Status KernelCase::launchStatus() {
  // Slices keep their strides: the emulator's device memory is host memory.
  return kernel->launch(tool::launchOperands(operandSet()), tool::rowCounts(generated.meta, counts));
}

void KernelCase::run() {
  tool::OperandSet set = operandSet(), expected;
  ASSERT_TRUE(set.clone(expected).ok());
  llvm::StringMap<int64_t> resolved;
  Status status = tool::resolveCounts(generated.meta, expected, counts, resolved);
  ASSERT_TRUE(status.ok()) << status.text();
  ASSERT_TRUE(succeeded(interpret(*module, request, expected.byName(generated.meta), resolved)));
  status = launchStatus();
  ASSERT_TRUE(status.ok()) << status.text();
  FailureOr<OwningOpRef<ModuleOp>> program = runPipeline(*module, request, Stage::Program);
  ASSERT_TRUE(succeeded(program));
  KernelOp op = *(*program)->getOps<KernelOp>().begin();
  for (size_t i = 0; i < set.arrays.size(); ++i) {
    const OperandMeta &operand = generated.meta.operands[i];
    reference::Comparison comparison;
    if (operand.kind == OperandKind::Cache) {
      for (OperandOp declared : op.getBody().getOps<OperandOp>())
        if (declared.getName() == operand.name)
          comparison = reference::comparePages(
              set.arrays[i], expected.arrays[i],
              reference::pageMap(cast<CacheType>(declared.getHandle().getType()).getLayout()));
    } else {
      comparison = reference::compare(set.arrays[i], expected.arrays[i]);
    }
    EXPECT_TRUE(comparison.equal()) << operand.name << ": " << comparison.text();
  }
}

std::vector<uint64_t> KernelCase::bits(const std::string &name) const {
  const HostArray &source = operands.at(name);
  std::vector<uint64_t> values;
  for (int64_t i = 0; i < source.elementCount(); ++i)
    values.push_back(source.loadBits(source.offsetOf(i)));
  return values;
}

std::vector<float> KernelCase::floats(const std::string &name) const {
  const HostArray &source = operands.at(name);
  std::vector<float> values;
  for (int64_t i = 0; i < source.elementCount(); ++i)
    values.push_back(readNumber(source, i));
  return values;
}

std::vector<uint8_t> KernelCase::bytes(const std::string &name) const {
  HostArray packed;
  EXPECT_TRUE(operands.at(name).contiguous(packed).ok());
  const auto *first = reinterpret_cast<const uint8_t *>(packed.data());
  return {first, first + packed.byteCount()};
}

static int64_t offsetOf(const HostArray &array, const std::vector<int64_t> &index) {
  EXPECT_EQ(index.size(), array.rank());
  int64_t offset = array.first;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    EXPECT_LT(index[axis], array.extents[axis]);
    offset += index[axis] * array.strides[axis];
  }
  return offset;
}

void KernelCase::put(const std::string &name, std::vector<int64_t> index, float value) {
  const HostArray &array = operands.at(name);
  array.storeBits(offsetOf(array, index),
                  numberBits(reference::roundTo(*array.dtype, value), *array.dtype));
}

void KernelCase::putInt(const std::string &name, std::vector<int64_t> index, int64_t value) {
  const HostArray &array = operands.at(name);
  array.storeBits(offsetOf(array, index), static_cast<uint64_t>(value));
}

uint64_t KernelCase::bitsAt(const std::string &name, std::vector<int64_t> index) const {
  const HostArray &array = operands.at(name);
  return array.loadBits(offsetOf(array, index));
}

float KernelCase::floatAt(const std::string &name, std::vector<int64_t> index) const {
  return reference::decode(*operands.at(name).dtype, bitsAt(name, index));
}

// A multiple of every alignment that a kernel asks for.
constexpr uint64_t kGuardBytes = 4096;

void KernelCase::guard(const std::string &name) {
  HostArray &array = operands.at(name);
  ASSERT_TRUE(array.isContiguous());
  uint64_t size = array.byteCount();
  std::shared_ptr<std::byte[]> storage = allocateBytes(size + 2 * kGuardBytes);
  std::memset(storage.get(), 0xA5, size + 2 * kGuardBytes);
  std::memcpy(storage.get() + kGuardBytes, array.data(), size);
  array.bytes = std::move(storage);
  array.first = kGuardBytes * 8 / array.elementBits();
  guarded[name] = size;
}

void KernelCase::expectGuardsIntact() const {
  for (const auto &[name, size] : guarded) {
    const std::byte *begin = operands.at(name).bytes.get();
    auto intact = [](std::byte byte) { return byte == std::byte{0xA5}; };
    const std::byte *behind = begin + kGuardBytes + size;
    EXPECT_TRUE(std::all_of(begin, begin + kGuardBytes, intact)) << "before " << name;
    EXPECT_TRUE(std::all_of(behind, behind + kGuardBytes, intact)) << "behind " << name;
  }
}

// --- dsa_indexer ------------------------------------------------------------------------------

bool IndexerCase::build() {
  std::string page = layout + "(page_size=" + std::to_string(pageSize) + ", dim=" +
                     std::to_string(headDim) + ")";
  return prepare(dsaIndexer(), "",
                 {"heads=" + std::to_string(heads), "head_dim=" + std::to_string(headDim),
                  "rope_dim=" + std::to_string(ropeDim), "style=" + style, "eps=" + eps,
                  "page=" + page, "io=" + io, "ids=" + ids},
                 target, kept);
}

std::vector<int64_t> IndexerCase::extentsOf(const OperandMeta &operand, int64_t tokens,
                                            int64_t pages) const {
  if (operand.kind == OperandKind::Cache)
    return {pages, pageBytes()};
  std::vector<int64_t> extents;
  for (size_t i = 0; i < operand.axes.size(); ++i)
    extents.push_back(operand.axes[i].extent ? static_cast<int64_t>(*operand.axes[i].extent)
                      : operand.tableAxis && i == 0 ? kTableRows
                                                    : tokens);
  return extents;
}

void IndexerCase::plain(int64_t tokens, int64_t pages, uint8_t prefill) {
  for (const OperandMeta &operand : generated.meta.operands) {
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
  for (const OperandMeta &operand : generated.meta.operands) {
    fill(operand.name, extentsOf(operand, tokens, pages), prefill);
    if (operand.written())
      continue;
    reference::RandomOptions options;
    options.seed = reference::seedFor(seed, operand.name);
    options.tableRows = kTableRows;
    options.capacity = pages * pageSize;
    Status status =
        reference::fillRandom(operands[operand.name], roles.at(operand.name), options);
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
