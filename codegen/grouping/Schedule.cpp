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

bool isRowLength(int64_t length) { return length >= 2 && length <= kLongestRow; }

bool isPlainLoad(Operation *op) {
  return hasSingleEffect<MemoryEffects::Read>(op) &&
         llvm::none_of(op->getOperands(),
                       [](Value operand) { return isa<ValueType>(operand.getType()); });
}

// --- the assignment of index bits -------------------------------------------------------------

// Threads of a workgroup unless a row needs more: small ones start quickly and leave the choice of
// rows in flight free.
constexpr int64_t kWorkgroup = 64;
// Contiguous elements that one lane takes if the length allows: 16 bytes of a 16-bit dtype.
constexpr int64_t kChunkBits = 3;
// Lanes of a row at most, while a lane holds few elements: exchanges among 16 lanes cost one
// instruction each, and fewer lanes leave fewer scalars of a row to compute again.
constexpr int64_t kLaneBits = 4;
// Elements that a lane holds at most while more lanes can be had.
constexpr int64_t kMostPerLane = 32;
// Rows loaded before the first is used, at most.
constexpr int64_t kInFlight = 4;
// VGPRs that loaded rows may take: half of what leaves eight waves on a SIMD.
constexpr int64_t kLoadRegisters = 32;
// LDS that each thread brings where rows pass through it; at most 32 KiB a workgroup.
constexpr int64_t kLdsWords = 8;

namespace {
// The bits of one row while they are given away.
struct Assignment {
  int64_t length;
  int64_t bitCount = llvm::Log2_64_Ceil(length);
  uint64_t registers = 0;

  std::string letters(unsigned waveSize) const {
    std::string bits;
    int64_t lanes = 1;
    for (int64_t bit = 0; bit < bitCount; ++bit) {
      bool isRegister = registers >> bit & 1;
      bits += isRegister ? 'r' : lanes < waveSize ? 'l' : 'w';
      lanes <<= isRegister ? 0 : 1;
    }
    return bits;
  }
  int64_t laneBits() const { return bitCount - llvm::popcount(registers); }
  int64_t perLane() const {
    std::string bits = letters(kMostThreads);
    return RowBits{bits, length}.perLane();
  }
  // A lane bit becomes a register bit: the lowest; or the highest, whose registers may vanish,
  // where the length is no power of two.
  Assignment withFewerLanes() const {
    Assignment next = *this;
    uint64_t strip = (uint64_t(1) << std::min(bitCount, kStripBits)) - 1;
    next.registers |=
        llvm::isPowerOf2_64(length) ? registers + 1 : llvm::bit_floor(strip & ~registers);
    return next;
  }
};
} // namespace

// Register bits of a row: those above a strip, a chunk, what is wished for if that costs no spills,
// and what keeps the number of lanes small.
static Assignment chooseRegisters(int64_t length, const RowWishes &wishes, int64_t mostLaneBits) {
  Assignment row{length};
  int64_t chunkBits =
      std::min({row.bitCount, kChunkBits, int64_t(llvm::countr_zero<uint64_t>(length))});
  const uint64_t strips = ((uint64_t(1) << row.bitCount) - 1) >> kStripBits << kStripBits;
  uint64_t chunk = (uint64_t(1) << chunkBits) - 1;
  row.registers = wishes.registerBits | chunk | strips;
  // A wish is not worth spilled registers: partners are then exchanged.
  if (row.perLane() * (wishes.sharedBytes + wishes.rowBytes) / 4 > kLoadRegisters)
    row.registers = chunk | strips;
  while (row.laneBits() > kLaneBits && row.withFewerLanes().perLane() <= kMostPerLane)
    row = row.withFewerLanes();
  // Long rows: smaller chunks leave more lanes.
  while (row.perLane() > kMostPerLane && row.laneBits() < mostLaneBits && chunk > 1) {
    row.registers &= ~llvm::bit_floor(chunk);
    chunk >>= 1;
  }
  while (row.laneBits() > mostLaneBits)
    row = row.withFewerLanes();
  return row;
}

SmallVector<SideRowAttr> assignRows(MLIRContext *context, const ScheduleWishes &wishes,
                                    const GivenBits &given, const Target &target) {
  SmallVector<SideRowAttr> rows;
  // The longest row takes most lanes; the others make do with at most as many.
  int64_t mostLaneBits = llvm::Log2_64(kMostThreads);
  for (const auto &[length, row] : llvm::reverse(wishes.rows)) {
    auto fixed = given.find(length);
    std::string bits = fixed != given.end()
                           ? fixed->second
                           : chooseRegisters(length, row, mostLaneBits).letters(target.waveSize);
    if (rows.empty())
      mostLaneBits = llvm::Log2_64(RowBits{bits, length}.lanes());
    rows.push_back(SideRowAttr::get(context, length, StringAttr::get(context, bits)));
  }
  if (rows.empty()) // scalars alone
    rows.push_back(SideRowAttr::get(context, 1, StringAttr::get(context, "")));
  return rows;
}

static RowBits bitsOf(SideRowAttr row) { return {row.getBits().getValue(), row.getRow()}; }

int64_t leastWorkgroup(ArrayRef<SideRowAttr> rows) {
  return std::max(kWorkgroup, bitsOf(rows.front()).lanes());
}

ScheduleAttr fillWorkgroup(MLIRContext *context, int64_t rowsPerToken, const ScheduleWishes &wishes,
                           ArrayRef<SideRowAttr> rows, int64_t workgroup) {
  int64_t sharedRegisters = 0, rowRegisters = 0;
  bool needsLds = wishes.needsLds;
  for (SideRowAttr row : rows) {
    needsLds |= bitsOf(row).spansWaves();
    auto found = wishes.rows.find(row.getRow());
    if (found == wishes.rows.end())
      continue;
    sharedRegisters += llvm::divideCeil(bitsOf(row).perLane() * found->second.sharedBytes, 4);
    rowRegisters += llvm::divideCeil(bitsOf(row).perLane() * found->second.rowBytes, 4);
  }
  int64_t groups = workgroup / bitsOf(rows.front()).lanes();
  int64_t rowGroups = std::min<int64_t>(groups, llvm::PowerOf2Ceil(rowsPerToken));
  int64_t most = kInFlight;
  while (most > 1 && sharedRegisters + rowRegisters * most > kLoadRegisters)
    most /= 2;
  // As many steps as that makes necessary, then as few rows as fill them evenly.
  int64_t steps = llvm::divideCeil(rowsPerToken, rowGroups * most);
  int64_t inFlight = llvm::divideCeil(rowsPerToken, rowGroups * steps);
  return ScheduleAttr::get(context, rows.front().getRow(), rows.front().getBits(), workgroup,
                           groups / rowGroups, rowGroups, inFlight,
                           needsLds ? 4 * kLdsWords * workgroup : 0, rows.drop_front());
}

std::vector<std::string> legalBits(int64_t length, unsigned waveSize, int64_t mostPerLane) {
  std::vector<std::string> all;
  Assignment row{length};
  const uint64_t span = uint64_t(1) << row.bitCount;
  const uint64_t strip = uint64_t(1) << std::min(row.bitCount, kStripBits);
  for (uint64_t lanes = 0; lanes < strip; ++lanes) {
    row.registers = (span - 1) & ~lanes;
    if (int64_t(1) << row.laneBits() <= kMostThreads && row.perLane() <= mostPerLane)
      all.push_back(row.letters(waveSize));
  }
  return all;
}

} // namespace braid
