// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/dialect/Diag.h"
#include "codegen/grouping/Schedule.h"
#include "codegen/passes/Passes.h"
#include "codegen/passes/TargetAttribute.h"

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_ASSIGNSCHEDULE
#include "codegen/passes/Passes.h.inc"

namespace {
struct AssignSchedulePass : impl::AssignScheduleBase<AssignSchedulePass> {
  LogicalResult assign(SectionOp section, const Target &target) {
    Block &body = section.getBody().front();
    RowAnalysis rows(body);
    ScheduleWishes wishes;
    for (Value row : rows.computedRows(body))
      wishes.of(row);
    for (const auto &[length, row] : wishes.rows)
      if (length != 1 && !isRowLength(length)) // the scales of a row in one group are one
        return emitDiag(section.getLoc(), Diag::rowLength, length, kMinRow, kMaxRow);
    for (Operation &op : body) {
      cast<RowOpInterface>(op).constrainSchedule(wishes);
      if (!isPlainLoad(&op) || !rows.isRow(op.getResult(0)))
        continue;
      Value row = op.getResult(0);
      RowWishes &ofLength = wishes.of(row);
      (rows.isPerRow(row) ? ofLength.rowBytes : ofLength.sharedBytes) +=
          dtypeBytes(*dtypeOf(exactDtype(row)));
    }
    section.setScheduleAttr(chooseSchedule(&getContext(), section.getRowsPerToken(), wishes, target));
    return success();
  }

  void runOnOperation() override {
    const Target *target = getTarget(getOperation());
    if (!target) {
      getOperation().emitError("run --braid-resolve-target first: a schedule depends on the wave size");
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](SectionOp section) {
      return failed(assign(section, *target)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

} // namespace braid
