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
  using AssignScheduleBase::AssignScheduleBase;

  // A section, what its ops want, and where its rows lie.
  struct Assigned {
    SectionOp section;
    ScheduleWishes wishes;
    SmallVector<SideRowAttr> rows;
  };

  LogicalResult assignRowsOf(SectionOp section, const Target &target, Assigned &assigned) {
    Block &body = section.getBody().front();
    RowAnalysis rows(body);
    ScheduleWishes &wishes = assigned.wishes;
    for (Value row : rows.computedRows(body))
      wishes.of(row);
    for (const auto &[length, row] : wishes.rows)
      if (length < 1 || length > kLongestRow)
        return emitDiag(section.getLoc(), Diag::rowLength, length, kLongestRow);
    for (Operation &op : body) {
      cast<RowOpInterface>(op).constrainSchedule(wishes);
      if (!isPlainLoad(&op) || !rows.isRow(op.getResult(0)))
        continue;
      Value row = op.getResult(0);
      RowWishes &ofLength = wishes.of(row);
      (rows.isPerRow(row) ? ofLength.rowBytes : ofLength.sharedBytes) +=
          dtypeBytes(*dtypeOf(exactDtype(row)));
    }
    assigned.section = section;
    assigned.rows = assignRows(&getContext(), wishes, givenBits, target);
    return success();
  }

  // `LENGTH=LETTERS` each.
  LogicalResult readGiven() {
    givenBits.clear();
    for (const std::string &text : bits) {
      auto [length, letters] = StringRef(text).split('=');
      int64_t number = 0;
      if (length.getAsInteger(10, number) || letters.size() > 14)
        return getOperation().emitError("bits are given as LENGTH=LETTERS, not as ") << text;
      givenBits[number] = letters.str();
    }
    return success();
  }

  GivenBits givenBits;

  void runOnOperation() override {
    const Target *target = getTarget(getOperation());
    if (!target) {
      getOperation().emitError(
          "run --braid-resolve-target first: a schedule depends on the wave size");
      return signalPassFailure();
    }
    if (failed(readGiven()))
      return signalPassFailure();
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<Assigned> sections;
      int64_t workgroup = 0; // the sections of a launch share its size
      for (SectionOp section : kernel.getBody().getOps<SectionOp>()) {
        if (failed(assignRowsOf(section, *target, sections.emplace_back())))
          return signalPassFailure();
        workgroup = std::max(workgroup, leastWorkgroup(sections.back().rows));
      }
      for (Assigned &assigned : sections)
        assigned.section.setScheduleAttr(fillWorkgroup(&getContext(),
                                                       assigned.section.getRowsPerToken(),
                                                       assigned.wishes, assigned.rows, workgroup));
    }
  }
};
} // namespace

} // namespace braid
