// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelCase.h"

#include "codegen/reference/Compare.h"
#include "codegen/reference/Evaluation.h"
#include "codegen/reference/FloatFormat.h"
#include "codegen/reference/PageMap.h"

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
  request = {target, outputs, grouping, checked};
  FailureOr<GeneratedProgram> result = generateHip(*module, request);
  EXPECT_TRUE(succeeded(result));
  if (failed(result))
    return false;
  generated = std::move(*result);
  Status status = tool::prepareOn("emu", generated, kernel, api);
  EXPECT_TRUE(status.ok()) << status.text();
  return status.ok();
}

const OperandMeta &KernelCase::meta(const std::string &name) const {
  for (const OperandMeta &operand : generated.signature().operands)
    if (operand.name == name)
      return operand;
  ADD_FAILURE() << "no operand " << name;
  return generated.signature().operands.front();
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
  for (const OperandMeta &operand : generated.signature().operands) {
    auto found = operands.find(operand.name);
    EXPECT_NE(found, operands.end()) << operand.name << " is not set";
    set.arrays.push_back(found->second);
  }
  return set;
}

Status KernelCase::launchStatus() {
  tool::OperandSet set = operandSet();
  if (Status status = reserve(set); !status.ok())
    return status;
  // Slices keep their strides: the emulator's device memory is host memory.
  return kernel->launch(tool::launchOperands(set), tool::rowCounts(generated.signature(), counts),
                        nullptr, workspace);
}

Status KernelCase::reserve(const tool::OperandSet &set) {
  if (generated.meta.workspaces.empty())
    return {};
  llvm::StringMap<int64_t> resolved;
  if (Status status = tool::resolveCounts(generated.signature(), set, counts, resolved);
      !status.ok())
    return status;
  std::vector<runtime::RowCount> rows;
  for (const std::string &axis : generated.signature().axes)
    rows.push_back({axis, resolved.lookup(axis)});
  uint64_t bytes = 0;
  if (Status status = kernel->workspaceBytes(rows, bytes); !status.ok())
    return status;
  if (bytes > workspace.bytes) {
    workspace.bytes = bytes;
    if (Status status = api->check(api->hipMalloc(&workspace.data, bytes), "hipMalloc");
        !status.ok())
      return status;
  }
  // NaN in every float type: what no kernel has stored must reach no result.
  if (bytes)
    std::memset(workspace.data, 0xFF, bytes);
  return {};
}

void KernelCase::run() {
  tool::OperandSet set = operandSet(), expected;
  ASSERT_TRUE(set.clone(expected).ok());
  llvm::StringMap<int64_t> resolved;
  Status status = tool::resolveCounts(generated.signature(), expected, counts, resolved);
  ASSERT_TRUE(status.ok()) << status.text();
  std::vector<FaultCount> counted;
  ASSERT_TRUE(succeeded(
      interpret(*module, request, expected.byName(generated.signature()), resolved, &counted)));
  status = launchStatus();
  ASSERT_TRUE(status.ok()) << status.text();
  status = kernel->faults(faults);
  ASSERT_TRUE(status.ok()) << status.text();
  auto texts = [](const std::vector<Fault> &list) {
    std::string text;
    for (const Fault &fault : list)
      text += fault.text() + "\n";
    return text;
  };
  EXPECT_EQ(texts(faults), texts(runtime::namedFaults(generated.signature(), counted)));
  FailureOr<OwningOpRef<ModuleOp>> program = runPipeline(*module, request, Stage::Program);
  ASSERT_TRUE(succeeded(program));
  KernelOp op = *(*program)->getOps<KernelOp>().begin();
  for (size_t i = 0; i < set.arrays.size(); ++i) {
    const OperandMeta &operand = generated.signature().operands[i];
    reference::Comparison comparison;
    if (operand.kind == OperandKind::Cache) {
      for (OperandOp declared : op.getBody().getOps<OperandOp>())
        if (declared.getName() == operand.cache)
          comparison = reference::comparePages(
              set.arrays[i], expected.arrays[i],
              reference::pageMap(cast<CacheType>(declared.getHandle().getType()).getLayout(),
                                 operand.buffer));
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
    values.push_back(readNumber(source, source.offsetOf(i)));
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

} // namespace braid::test
