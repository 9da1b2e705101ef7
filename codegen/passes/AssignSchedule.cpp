// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/dialect/Diag.h"
#include "codegen/grouping/Schedule.h"
#include "codegen/passes/Passes.h"
#include "codegen/passes/TargetAttribute.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_ASSIGNSCHEDULE
#include "codegen/passes/Passes.h.inc"

namespace {
struct AssignSchedulePass : impl::AssignScheduleBase<AssignSchedulePass> {
  static void addLoad(Value row, const RowAnalysis &rows, ScheduleWishes &wishes) {
    int64_t bytes = dtypeBytes(*dtypeOf(exactDtype(row)));
    (rows.isPerRow(row) ? wishes.rowBytes : wishes.sharedBytes) += bytes;
  }

  LogicalResult assign(SectionOp section, const Target &target) {
    Block &body = section.getBody().front();
    RowAnalysis rows(body);
    FailureOr<int64_t> length = rows.rowLength(body, section.getLoc());
    if (failed(length))
      return failure();
    bool scalars = *length == 1;
    if (!scalars && (!llvm::isPowerOf2_64(*length) || *length < kMinRow || *length > kMaxRow))
      return emitDiag(section.getLoc(), Diag::rowLength, *length, kMinRow, kMaxRow);
    ScheduleWishes wishes;
    for (Operation &op : body) {
      cast<RowOpInterface>(op).constrainSchedule(wishes);
      if (isPlainLoad(&op) && rows.isRow(op.getResult(0)))
        addLoad(op.getResult(0), rows, wishes);
    }
    section.setScheduleAttr(
        chooseSchedule(&getContext(), *length, section.getRowsPerToken(), wishes, target));
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
