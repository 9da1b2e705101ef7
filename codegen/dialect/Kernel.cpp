// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the structure ops.

#include "codegen/dialect/Braid.h"
#include "codegen/dialect/Diag.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace braid {

// Each output and cache is written by one op (of a section, once there are sections), or each part
// of an output's rows by one.
static LogicalResult verifyWriters(OperandOp operand) {
  struct Written {
    Block *block;
    int64_t begin, end;
  };
  SmallVector<Written> written;
  for (Operation *user : operand->getUsers()) {
    if (!hasEffect<MemoryEffects::Write>(user))
      continue;
    Written own = {user->getBlock(), 0, std::numeric_limits<int64_t>::max()};
    auto row = dyn_cast<RowOpInterface>(user);
    std::optional<int64_t> begin = row ? row.getRowBegin() : std::nullopt;
    auto value = dyn_cast<ValueType>(user->getOperand(0).getType());
    if (begin && value && !value.getAxes().empty())
      own = {own.block, *begin, *begin + value.getAxes().back().getExtent()};
    for (const Written &other : written)
      if (other.block == own.block && other.begin < own.end && own.begin < other.end)
        return user->emitOpError("writes `")
               << operand.getName() << "`, which another operation writes already";
    written.push_back(own);
  }
  return success();
}

// An inout is read at its value at entry: its loads come before its store.
static LogicalResult verifyReads(OperandOp operand) {
  for (Operation *store : operand->getUsers())
    for (Operation *load : operand->getUsers())
      if (hasEffect<MemoryEffects::Write>(store) && hasSingleEffect<MemoryEffects::Read>(load) &&
          store->getBlock() == load->getBlock() && store->isBeforeInBlock(load))
        return load->emitOpError("reads `") << operand.getName() << "` after it is written";
  return success();
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments())
    return emitOpError("declares operands by braid.operand, not as block arguments");
  for (NamedAttribute parameter : getParameters())
    if (!isa<StringAttr>(parameter.getValue()))
      return emitOpError("parameter ") << parameter.getName() << " must be canonical text";
  for (Attribute check : getChecks().value_or(ArrayAttr::get(getContext(), {}))) {
    auto pair = dyn_cast<ArrayAttr>(check);
    if (!pair || pair.size() != 2 || !llvm::all_of(pair, llvm::IsaPred<StringAttr>))
      return emitOpError(
          "checks are pairs of names: an index, and the table or cache it chooses in");
  }
  llvm::StringSet<> names;
  for (Operation &op : body) {
    auto operand = dyn_cast<OperandOp>(op);
    if (operand && !names.insert(operand.getName()).second)
      return operand.emitOpError("declares `") << operand.getName() << "` twice";
    if (operand && (failed(verifyWriters(operand)) || failed(verifyReads(operand))))
      return failure();
    if (!operand && !isa<SectionOp, RowOpInterface>(op))
      return op.emitOpError("is no operation of a kernel");
  }
  return success();
}

static LogicalResult verifyBits(SectionOp section, ScheduleAttr schedule, RowBits bits) {
  StringRef letters = bits.letters;
  if (letters.find_first_not_of("rlw") != StringRef::npos ||
      (letters.contains('w') && letters.rfind('l') != StringRef::npos &&
       letters.rfind('l') > letters.find('w')))
    return section.emitOpError("schedule needs letters r, l and w only, no l after a w");
  if (bits.length < 1 || bits.length > kLongestRow ||
      letters.size() != llvm::Log2_64_Ceil(bits.length))
    return section.emitOpError(
               "schedule needs one letter for each bit of the element index, and rows of at most ")
           << kLongestRow;
  if (letters.find_first_not_of('r', kStripBits) != StringRef::npos)
    return section.emitOpError("schedule needs registers for the bits above a strip");
  if (bits.lanes() > schedule.getLanes())
    return section.emitOpError("schedule needs no more lanes for a side than for the main row");
  if (bits.spansWaves() && schedule.getLds() == 0)
    return section.emitOpError("schedule needs LDS for rows over several waves");
  return success();
}

static LogicalResult verifySchedule(SectionOp section, ScheduleAttr schedule) {
  for (RowBits bits : schedule.allBits())
    if (failed(verifyBits(section, schedule, bits)))
      return failure();
  int64_t groups = schedule.getWorkgroup() / schedule.getLanes();
  if (groups < 1 || schedule.getTokenGroups() < 1 || schedule.getRowGroups() < 1 ||
      schedule.getInFlight() < 1 || schedule.getTokenGroups() * schedule.getRowGroups() != groups)
    return section.emitOpError("schedule's groups do not fill the workgroup");
  if (schedule.getWorkgroup() > kMostThreads)
    return section.emitOpError("schedule's workgroup has at most ") << kMostThreads << " threads";
  if (schedule.getLds() < 0 || schedule.getLds() % (4 * schedule.getWorkgroup()) != 0)
    return section.emitOpError("schedule's LDS is a number of words for each thread");
  return success();
}

LogicalResult SectionOp::verify() {
  if (getAxes().empty())
    return emitOpError("needs at least its run-time axis");
  for (Attribute axis : getAxes())
    if (!isa<AxisAttr>(axis))
      return emitOpError("axes must be #braid.axis attributes");
  if (!getLeadingAxes().front().isRuntime())
    return emitOpError("has its run-time axis first");
  for (Operation &op : getBody().front())
    if (!isa<RowOpInterface>(op))
      return op.emitOpError("is no operation of a section");
  std::optional<ScheduleAttr> schedule = getSchedule();
  return schedule ? verifySchedule(*this, *schedule) : success();
}

SmallVector<AxisAttr> SectionOp::getLeadingAxes() {
  return llvm::map_to_vector(getAxes(), [](Attribute axis) { return cast<AxisAttr>(axis); });
}

int64_t SectionOp::getRowsPerToken() {
  int64_t rows = 1;
  for (AxisAttr axis : getLeadingAxes())
    if (!axis.isRuntime())
      rows *= axis.getExtent();
  return rows;
}

LogicalResult OperandOp::verify() {
  // The exhaustive check of a layout costs a page's worth of work, so ResolveTarget runs it once.
  if (isa<CacheType>(getHandle().getType()) != (getRole() == OperandRole::cache))
    return emitOpError("the role cache and a !braid.cache type go together");
  auto tensor = dyn_cast<TensorType>(getHandle().getType());
  if (!tensor || !isPackedDtype(tensor.getDtype()))
    return success();
  const int64_t perByte = 8 / dtypeBits(*dtypeOf(tensor.getDtype()));
  if (tensor.getAxes().empty() || tensor.getAxes().back().isRuntime() ||
      tensor.getAxes().back().getExtent() % perByte)
    return emitDiag(getLoc(), Diag::packedRow, getName().str(), dtypeName(tensor.getDtype()),
                    axesStr(tensor.getAxes()), perByte);
  return success();
}

} // namespace braid
