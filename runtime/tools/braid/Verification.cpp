// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/Verification.h"

#include "codegen/reference/Compare.h"
#include "codegen/reference/PageMap.h"
#include "codegen/reference/RandomInputs.h"

#include <fmt/format.h>

using namespace mlir;

namespace braid::tool {

using reference::OperandRole;

// Rows of the tables that random positions point into, and spare pages of a random cache.
constexpr int64_t kTableRows = 61;
constexpr int64_t kSparePages = 2;

LogicalResult Verifier::prepare(ModuleOp module, const CompileRequest &compileRequest,
                                Status &status) {
  program = module;
  request = compileRequest;
  FailureOr<OwningOpRef<ModuleOp>> checked = runPipeline(program, request, Stage::Program);
  if (failed(checked))
    return failure();
  resolved = std::move(*checked);
  FailureOr<GeneratedProgram> generated = generateHip(program, request);
  if (failed(generated))
    return failure();
  texts = std::move(*generated);
  status = prepareOn("emu", texts, prepared, api);
  return success();
}

// What an operand is for, from the ops that use it.
static OperandRole roleOf(const OperandMeta &operand, OperandOp declared) {
  if ((operand.written() && operand.kind != OperandKind::InOut) || operand.kind == OperandKind::Cache)
    return OperandRole::Poison;
  if (operand.tableAxis)
    return OperandRole::AngleTable;
  if (operand.dtype == DType::I32 || operand.dtype == DType::I64) {
    // An index of a cache is a slot, one of a table a position.
    for (Operation *load : declared->getUsers())
      for (Operation *user : load->getUsers())
        for (Value other : user->getOperands())
          if (isa<CacheType>(other.getType()))
            return OperandRole::Slot;
    return OperandRole::Position;
  }
  bool numbers =
      operand.dtype == DType::F32 || operand.dtype == DType::BF16 || operand.dtype == DType::F16;
  if (!numbers)
    return OperandRole::Poison; // every code of a format
  bool runtime = std::any_of(operand.axes.begin(), operand.axes.end(),
                             [](const AxisMeta &axis) { return !axis.extent; });
  return runtime ? OperandRole::Activation : OperandRole::Weight;
}

// Slots of the caches that an operand indexes: the largest, so that the value that lies just past
// it is stored in none of them, however often it is drawn. 0 for an operand that indexes none.
static int64_t slotCapacity(OperandOp operand, const llvm::StringMap<int64_t> &capacities) {
  int64_t capacity = 0;
  if (!operand)
    return capacity;
  for (Operation *load : operand->getUsers())
    for (Operation *user : load->getUsers())
      for (Value other : user->getOperands())
        if (isa<CacheType>(other.getType()))
          capacity =
              std::max(capacity, capacities.lookup(other.getDefiningOp<OperandOp>().getName()));
  return capacity;
}

Status Verifier::randomOperands(const VerifyOptions &options, OperandSet &set) {
  const KernelMeta &meta = texts.signature();
  KernelOp kernelOp = *resolved->getOps<KernelOp>().begin();
  llvm::StringMap<OperandOp> declared;
  for (OperandOp operand : kernelOp.getBody().getOps<OperandOp>())
    declared[operand.getName()] = operand;

  llvm::StringMap<int64_t> capacities; // by cache
  for (const OperandMeta &operand : meta.operands) {
    std::vector<int64_t> extents;
    std::optional<DType> dtype = operand.dtype;
    if (operand.kind == OperandKind::Cache) {
      const LayoutMeta &layout = meta.layouts[operand.layout];
      int64_t size = layout.pageSize;
      int64_t pages = (2 * options.tokens + size - 1) / size + kSparePages;
      capacities[operand.cache] = pages * size;
      extents = {pages, static_cast<int64_t>(layout.pageBytes[operand.buffer])};
      dtype = std::nullopt;
    }
    for (size_t i = 0; i < operand.axes.size(); ++i)
      extents.push_back(operand.axes[i].extent ? static_cast<int64_t>(*operand.axes[i].extent)
                        : operand.tableAxis && i == 0 ? kTableRows
                                                      : options.tokens);
    HostArray array;
    if (Status status = HostArray::zeros(dtype, extents, array); !status.ok())
      return status;
    set.arrays.push_back(std::move(array));
  }
  for (size_t i = 0; i < set.arrays.size(); ++i) {
    const OperandMeta &operand = meta.operands[i];
    reference::RandomOptions random;
    random.seed = reference::seedFor(options.seed, operand.name);
    random.nonfinite = options.nonfinite;
    random.tableRows = kTableRows;
    random.capacity = slotCapacity(declared.lookup(operand.name), capacities);
    if (Status status = reference::fillRandom(
            set.arrays[i], roleOf(operand, declared.lookup(operand.name)), random);
        !status.ok())
      return status;
  }
  return {};
}

void Verifier::compare(const OperandSet &found, const OperandSet &expected, VerifyResult &result) {
  KernelOp kernelOp = *resolved->getOps<KernelOp>().begin();
  for (size_t i = 0; i < found.arrays.size(); ++i) {
    const OperandMeta &operand = texts.signature().operands[i];
    reference::Comparison comparison;
    if (operand.kind == OperandKind::Cache) {
      for (OperandOp declared : kernelOp.getBody().getOps<OperandOp>())
        if (declared.getName() == operand.cache)
          comparison = reference::comparePages(
              found.arrays[i], expected.arrays[i],
              reference::pageMap(cast<CacheType>(declared.getHandle().getType()).getLayout(),
                                 operand.buffer));
    } else {
      // Inputs too: a kernel must not write them.
      comparison = reference::compare(found.arrays[i], expected.arrays[i]);
    }
    result.compared += comparison.compared;
    result.differing += comparison.refused.empty() ? comparison.differing : 1;
    if (!comparison.equal())
      result.differences += operand.name + ": " + comparison.text() + "\n";
  }
}

// Both of a fast build are empty.
static void compareFaults(const std::vector<Fault> &found, const std::vector<Fault> &expected,
                          VerifyResult &result) {
  auto texts = [](const std::vector<Fault> &faults) {
    std::string text;
    for (const Fault &fault : faults)
      text += "  " + fault.text() + "\n";
    return text.empty() ? std::string("  none\n") : text;
  };
  result.compared += expected.size();
  if (texts(found) == texts(expected))
    return;
  ++result.differing;
  result.differences += "faults:\n" + texts(found) + "reference:\n" + texts(expected);
}

VerifyResult Verifier::verify(const VerifyOptions &options) {
  VerifyResult result;
  OperandSet onDevice, onReference;
  llvm::StringMap<int64_t> counts;
  std::vector<Fault> found;
  std::vector<FaultCount> expected;
  const KernelMeta &meta = texts.signature();
  if (result.status = randomOperands(options, onDevice); !result.status.ok())
    return result;
  if (result.status = onDevice.clone(onReference); !result.status.ok())
    return result;
  if (result.status = resolveCounts(meta, onReference, options.requested, counts);
      !result.status.ok())
    return result;
  result.status = options.sanitize
                      ? runSanitized(texts, onDevice, options.requested, result.finding, &found)
                      : runOnce(*api, *prepared, onDevice, options.requested, &found);
  if (!result.status.ok())
    return result;
  if (failed(interpret(program, request, onReference.byName(meta), counts, &expected))) {
    result.status =
        makeError(Error::InterpreterFailed, "the reference interpreter failed",
                  "the program passed every check before", "report it with the program");
    return result;
  }
  compare(onDevice, onReference, result);
  compareFaults(found, runtime::namedFaults(meta, expected), result);
  return result;
}

} // namespace braid::tool
