// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/dialect/Diag.h"
#include "codegen/grouping/Sections.h"
#include "codegen/passes/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_FORMSECTIONS
#include "codegen/passes/Passes.h.inc"

using Axes = SmallVector<AxisAttr>;

static LogicalResult checkAxes(Axes axes, ArrayRef<Operation *> ops, const RowAnalysis &rows) {
  int64_t runtime = llvm::count_if(axes, [](AxisAttr axis) { return axis.isRuntime(); });
  if (runtime != 1 || !axes.front().isRuntime())
    return emitDiag(ops.back()->getLoc(), Diag::runtimeAxes, axesStr(axes), runtime);
  // Kernels count rows in 32 bits.
  constexpr int64_t kMostRows = std::numeric_limits<int32_t>::max();
  int64_t count = 1;
  for (AxisAttr axis : llvm::drop_begin(axes))
    if (llvm::MulOverflow(count, axis.getExtent(), count) || count > kMostRows)
      return emitDiag(ops.back()->getLoc(), Diag::manyRows, axesStr(axes), kMostRows);
  for (Operation *op : ops) {
    for (Value value : op->getResults()) {
      bool ambiguous = false;
      if (!matchAxes(rows.leadingAxes(value), axes, ambiguous))
        return emitDiag(op->getLoc(), Diag::mixedAxes, axesStr(rows.leadingAxes(value)),
                        axesStr(axes));
    }
  }
  return success();
}

// Rows of an inout are read and written by the same lanes: in one section, whose rows they are.
// Elsewhere the rows would run beside the store, which may come first.
static LogicalResult checkReads(OperandOp operand) {
  for (Operation *store : operand->getUsers()) {
    if (!hasEffect<MemoryEffects::Write>(store))
      continue;
    Axes written = store->getParentOfType<SectionOp>().getLeadingAxes();
    for (Operation *load : operand->getUsers()) {
      if (load->getNumResults() == 0) // the store itself
        continue;
      auto section = load->getParentOfType<SectionOp>();
      RowAnalysis rows(section.getBody().front());
      ArrayRef<AxisAttr> read = rows.leadingAxes(load->getResult(0));
      if (section == store->getParentOp() &&
          llvm::equal(written, read, [](AxisAttr a, AxisAttr b) { return a.matches(b); }))
        continue;
      return emitDiag(load->getLoc(), Diag::inoutShared, operand.getName().str(), axesStr(written),
                      axesStr(section == store->getParentOp() ? read : section.getLeadingAxes()));
    }
  }
  return success();
}

namespace {
struct FormSectionsPass : impl::FormSectionsBase<FormSectionsPass> {
  // What gives nothing and stores nothing observes values that others need. It goes once, to the
  // section with the fewest rows a token that has them all.
  LogicalResult placeObservers(Block &body, ArrayRef<SectionOp> sections,
                               llvm::DenseMap<Operation *, IRMapping> &mappings) {
    for (Operation &op : body) {
      if (!isa<RowOpInterface>(op) || op.getNumResults() || hasEffect<MemoryEffects::Write>(&op))
        continue;
      auto hasAll = [&](SectionOp section) {
        return llvm::all_of(op.getOperands(), [&](Value value) {
          return !isa<ValueType>(value.getType()) || mappings[section].contains(value);
        });
      };
      const SectionOp *place = llvm::find_if(sections, hasAll);
      if (place == sections.end())
        return op.emitOpError("observes values that no store needs together");
      OpBuilder::atBlockEnd(&SectionOp(*place).getBody().front()).clone(op, mappings[*place]);
    }
    return success();
  }

  LogicalResult form(KernelOp kernel) {
    Block &body = kernel.getBody().front();
    RowAnalysis rows(body);
    OpBuilder b = OpBuilder::atBlockEnd(&body);
    SmallVector<SectionOp> sections;
    llvm::DenseMap<Operation *, IRMapping> mappings; // from the program's values to a section's
    for (const SectionPlan &plan : planSections(body, rows)) {
      if (failed(checkAxes(plan.axes, plan.ops, rows)))
        return failure();
      SmallVector<Attribute> axes(plan.axes.begin(), plan.axes.end());
      auto section = SectionOp::create(b, plan.location, b.getArrayAttr(axes), ScheduleAttr());
      OpBuilder inner = OpBuilder::atBlockBegin(&section.getBody().emplaceBlock());
      for (Operation *op : plan.ops)
        inner.clone(*op, mappings[section]);
      sections.push_back(section);
    }
    llvm::stable_sort(sections, [](SectionOp a, SectionOp b) {
      return a.getRowsPerToken() < b.getRowsPerToken();
    });
    if (failed(placeObservers(body, sections, mappings)))
      return failure();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (!isa<OperandOp, SectionOp>(op))
        op.erase();

    for (SectionOp section : sections)
      section->moveBefore(&body, body.end());
    for (OperandOp operand : body.getOps<OperandOp>())
      if (operand.getRole() == OperandRole::inout && failed(checkReads(operand)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(form(kernel)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace braid
