// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the structure ops.

#include "codegen/dialect/Braid.h"
#include "codegen/dialect/Diag.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace braid {

LogicalResult KernelOp::verify() {
  llvm::StringSet<> names;
  for (OperandOp operand : getBody().getOps<OperandOp>())
    if (!names.insert(operand.getName()).second)
      return operand.emitOpError("declares `") << operand.getName() << "` twice";
  return success();
}

LogicalResult SectionOp::verify() {
  for (Attribute axis : getAxes())
    if (!isa<AxisAttr>(axis))
      return emitOpError("axes must be #braid.axis attributes");
  if (std::optional<ScheduleAttr> schedule = getSchedule()) {
    SmallVector<StringAttr> all(schedule->getSides());
    all.push_back(schedule->getBits());
    for (StringAttr bits : all)
      if (bits.getValue().find_first_not_of("rl") != StringRef::npos ||
          RowBits{bits}.lanes() > schedule->getLanes())
        return emitOpError("schedule needs letters r and l only, and no more lanes than the main row");
    if (RowBits{schedule->getBits()}.length() != schedule->getRow())
      return emitOpError("schedule needs one letter, r or l, for each bit of the element index");
    int64_t groups = schedule->getWorkgroup() / schedule->getLanes();
    if (schedule->getTokenGroups() * schedule->getRowGroups() != groups)
      return emitOpError("schedule's groups do not fill the workgroup");
  }
  return success();
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
