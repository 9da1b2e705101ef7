// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the structure ops.

#include "codegen/dialect/Braid.h"
#include "codegen/dialect/Diag.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace braid {

// Each output and cache is written by one op (of a section, once there are sections).
static LogicalResult verifyWriters(OperandOp operand) {
  llvm::SmallPtrSet<Block *, 4> writing;
  for (Operation *user : operand->getUsers())
    if (hasEffect<MemoryEffects::Write>(user) && !writing.insert(user->getBlock()).second)
      return user->emitOpError("writes `")
             << operand.getName() << "`, which another operation writes already";
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

static LogicalResult verifySchedule(SectionOp section, ScheduleAttr schedule) {
  SmallVector<StringAttr> all(schedule.getSides());
  all.push_back(schedule.getBits());
  for (StringAttr bits : all)
    if (bits.getValue().find_first_not_of("rl") != StringRef::npos || bits.size() > 16 ||
        RowBits{bits}.lanes() > schedule.getLanes())
      return section.emitOpError(
          "schedule needs letters r and l only, and no more lanes than the main row");
  if (RowBits{schedule.getBits()}.length() != schedule.getRow())
    return section.emitOpError(
        "schedule needs one letter, r or l, for each bit of the element index");
  int64_t groups = schedule.getWorkgroup() / schedule.getLanes();
  if (groups < 1 || schedule.getTokenGroups() < 1 || schedule.getRowGroups() < 1 ||
      schedule.getInFlight() < 1 || schedule.getTokenGroups() * schedule.getRowGroups() != groups)
    return section.emitOpError("schedule's groups do not fill the workgroup");
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
  return success();
}

} // namespace braid
