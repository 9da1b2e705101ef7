// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/grouping/Schedule.h"

#include "codegen/targets/Targets.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace braid {

// --- rows -------------------------------------------------------------------------------------

static ArrayRef<AxisAttr> axesOf(Value value) {
  auto type = dyn_cast<ValueType>(value.getType());
  return type ? type.getAxes() : ArrayRef<AxisAttr>();
}

static SmallVector<Operation *> opsOf(Block &block) {
  return llvm::map_to_vector(block, [](Operation &op) { return &op; });
}

RowAnalysis::RowAnalysis(Block &block) {
  auto section = dyn_cast<SectionOp>(block.getParentOp());
  analyse(opsOf(block), section ? std::optional(section.getLeadingAxes().size()) : std::nullopt);
}

RowAnalysis::RowAnalysis(ArrayRef<Operation *> section, size_t counted) {
  analyse(section, counted);
}

void RowAnalysis::analyse(ArrayRef<Operation *> ops, std::optional<size_t> counted) {
  SmallVector<Value> stated, possible;
  for (Operation *op : ops)
    if (auto row = dyn_cast<RowOpInterface>(op)) {
      row.getRowValues(stated);
      row.getPossibleRows(possible);
    }
  rows.insert(stated.begin(), stated.end());
  bool isKnown = false;
  // Part of a program: loads know what the whole of it makes of them.
  for (Operation *op : ops)
    if (auto load = dyn_cast<LoadOp>(op); load && load.getIsRow()) {
      isKnown = true;
      if (*load.getIsRow())
        rows.insert(load.getResult());
    }
  propagate(ops, rows);
  if (isKnown)
    return;
  if (!possible.empty()) {
    const llvm::DenseSet<Value> scalars = findScalars(ops);
    for (Value value : possible)
      if (!scalars.contains(value))
        rows.insert(value);
    propagate(ops, rows);
  }
  if (!stated.empty() || !possible.empty())
    return;
  // No op makes a row: the last constant axis of what is stored is one, unless the section counts
  // it or rows cannot have that length.
  for (Operation *op : ops) {
    if (!hasEffect<MemoryEffects::Write>(op))
      continue;
    for (Value value : op->getOperands())
      if (axesOf(value).size() > counted.value_or(0) && !axesOf(value).back().isRuntime() &&
          (counted || isRowLength(axesOf(value).back().getExtent())))
        rows.insert(value);
  }
  propagate(ops, rows);
}

// Values that ops make or take as scalars of their rows, one a row.
llvm::DenseSet<Value> RowAnalysis::findScalars(ArrayRef<Operation *> ops) const {
  llvm::DenseSet<Value> scalars;
  for (Operation *op : ops) {
    auto row = dyn_cast<RowOpInterface>(op);
    if (!row || hasSingleEffect<MemoryEffects::Read>(op))
      continue;
    SmallVector<Value> values(op->getResults());
    if (row.isElementwise())
      llvm::append_range(values, op->getOperands());
    const bool hasRow = llvm::any_of(values, [&](Value value) { return isRow(value); });
    for (Value value : values)
      if (!axesOf(value).empty() && !isRow(value) && (hasRow || !row.isElementwise()))
        scalars.insert(value);
  }
  propagate(ops, scalars);
  return scalars;
}

// Where one value of an element-wise op is in `values`, all that have its last axis are.
void RowAnalysis::propagate(ArrayRef<Operation *> ops, llvm::DenseSet<Value> &members) const {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : ops) {
      auto row = dyn_cast<RowOpInterface>(op);
      if (!row || !row.isElementwise())
        continue;
      SmallVector<Value> values(op->getOperands());
      llvm::append_range(values, op->getResults());
      for (Value from : values) {
        if (!members.contains(from))
          continue;
        for (Value to : values)
          if (!axesOf(to).empty() && axesOf(to).back().matches(axesOf(from).back()))
            changed |= members.insert(to).second;
      }
    }
  }
}

SmallVector<Value> RowAnalysis::computedRows(Block &block) const {
  SmallVector<Value> computed;
  for (Operation *op : opsOf(block)) {
    auto row = dyn_cast<RowOpInterface>(op);
    if (!row || hasSingleEffect<MemoryEffects::Read>(op))
      continue;
    SmallVector<Value> used;
    row.getRowValues(used);
    row.getPossibleRows(used);
    if (row.isElementwise()) {
      llvm::append_range(used, op->getOperands());
      llvm::append_range(used, op->getResults());
    }
    llvm::copy_if(used, std::back_inserter(computed), [&](Value value) { return isRow(value); });
  }
  return computed;
}

ArrayRef<AxisAttr> RowAnalysis::leadingAxes(Value value) const {
  return axesOf(value).drop_back(isRow(value) ? 1 : 0);
}

bool RowAnalysis::isPerRow(Value value) const {
  return llvm::any_of(leadingAxes(value), [](AxisAttr axis) { return !axis.isRuntime(); });
}

bool isRowLength(int64_t length) {
  return llvm::isPowerOf2_64(length) && length >= kMinRow && length <= kMaxRow;
}

bool isPlainLoad(Operation *op) {
  return hasSingleEffect<MemoryEffects::Read>(op) &&
         llvm::none_of(op->getOperands(),
                       [](Value operand) { return isa<ValueType>(operand.getType()); });
}

// --- the assignment of index bits -------------------------------------------------------------

// Threads of a workgroup: small ones start quickly and leave the choice of rows in flight free.
constexpr int64_t kWorkgroup = 64;
// Contiguous elements that one lane takes at least: 16 bytes of a 16-bit dtype.
constexpr int64_t kChunkBits = 3;
// Lanes of a row at most, while a lane holds few elements: exchanges among 16 lanes cost one
// instruction each, and fewer lanes leave fewer scalars of a row to compute again.
constexpr int64_t kLaneBits = 4;
constexpr int64_t kRegisterBits = 5;
// Rows loaded before the first is used, at most.
constexpr int64_t kInFlight = 4;
// VGPRs that loaded rows may take: half of what leaves eight waves on a SIMD.
constexpr int64_t kLoadRegisters = 32;

// Bits of the element index that the lanes of a row of `bitCount` bits leave to registers.
static std::string letters(int64_t bitCount, uint64_t registers) {
  std::string bits;
  for (int64_t bit = 0; bit < bitCount; ++bit)
    bits += registers >> bit & 1 ? 'r' : 'l';
  return bits;
}

// Register bits of a row: a chunk, what is wished for if that costs no spills, and what keeps the
// number of lanes small.
static uint64_t chooseRegisters(int64_t bitCount, const RowWishes &wishes, int64_t mostLaneBits) {
  const uint64_t chunk = (uint64_t(1) << std::min(bitCount, kChunkBits)) - 1;
  uint64_t registers = wishes.registerBits | chunk;
  // A wish is not worth spilled registers: partners are then exchanged.
  int64_t loaded =
      (int64_t(1) << llvm::popcount(registers)) * (wishes.sharedBytes + wishes.rowBytes) / 4;
  if (loaded > kLoadRegisters)
    registers = chunk;
  auto laneBits = [&] { return bitCount - llvm::popcount(registers); };
  auto takeLowest = [&] {
    registers |= registers + 1;
  }; // the lowest lane bit becomes a register bit
  while (laneBits() > kLaneBits && llvm::popcount(registers) < kRegisterBits)
    takeLowest();
  while (laneBits() > mostLaneBits)
    takeLowest();
  return registers;
}

ScheduleAttr chooseSchedule(MLIRContext *context, int64_t rowsPerToken,
                            const ScheduleWishes &wishes, const Target &target) {
  int64_t waveBits = llvm::Log2_32(std::min<unsigned>(target.waveSize, kWorkgroup));
  // The longest row takes most lanes; the others make do with at most as many.
  std::string mainBits;
  SmallVector<StringAttr> sides;
  int64_t laneBits = 0, rowLength = 1, sharedRegisters = 0, rowRegisters = 0;
  for (const auto &[length, row] : llvm::reverse(wishes.rows)) {
    int64_t bitCount = llvm::Log2_64(length);
    bool isMain = mainBits.empty();
    uint64_t registers = chooseRegisters(bitCount, row, isMain ? waveBits : laneBits);
    std::string bits = letters(bitCount, registers);
    int64_t perLane = RowBits{bits}.perLane();
    sharedRegisters += llvm::divideCeil(perLane * row.sharedBytes, 4);
    rowRegisters += llvm::divideCeil(perLane * row.rowBytes, 4);
    if (isMain) {
      mainBits = bits;
      rowLength = length;
      laneBits = bitCount - llvm::popcount(registers);
    } else {
      sides.push_back(StringAttr::get(context, bits));
    }
  }

  int64_t groups = kWorkgroup >> laneBits;
  int64_t rowGroups = std::min<int64_t>(groups, llvm::PowerOf2Ceil(rowsPerToken));
  int64_t most = kInFlight;
  while (most > 1 && sharedRegisters + rowRegisters * most > kLoadRegisters)
    most /= 2;
  // As many steps as that makes necessary, then as few rows as fill them evenly.
  int64_t steps = llvm::divideCeil(rowsPerToken, rowGroups * most);
  int64_t inFlight = llvm::divideCeil(rowsPerToken, rowGroups * steps);
  return ScheduleAttr::get(context, rowLength, StringAttr::get(context, mainBits), kWorkgroup,
                           groups / rowGroups, rowGroups, inFlight, sides);
}

} // namespace braid
