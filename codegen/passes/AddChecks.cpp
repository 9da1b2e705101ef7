// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/passes/Passes.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_ADDCHECKS
#include "codegen/passes/Passes.h.inc"

// The operand that an index was loaded from.
static OperandOp loadedOperand(Value index) {
  Operation *load = index.getDefiningOp();
  return load && load->getNumOperands() == 1 ? load->getOperand(0).getDefiningOp<OperandOp>()
                                             : OperandOp();
}

// The mask that says for which of the indices a kernel stores anything; null where there is none,
// or where it stems from these indices themselves.
static Value maskOf(Value index, Block &body) {
  for (Operation &op : body)
    for (Value result : op.getResults())
      if (isMask(result) && !llvm::is_contained(op.getOperands(), index) &&
          llvm::all_of(cast<ValueType>(result.getType()).getAxes(), [&](AxisAttr axis) {
            return llvm::is_contained(cast<ValueType>(index.getType()).getAxes(), axis);
          }))
        return result;
  return {};
}

namespace {
struct AddChecksPass : impl::AddChecksBase<AddChecksPass> {
  using AddChecksBase::AddChecksBase;

  LogicalResult add(KernelOp kernel) {
    Block &body = kernel.getBody().front();
    for (CheckOp earlier : llvm::make_early_inc_range(body.getOps<CheckOp>()))
      earlier.erase();
    SmallVector<IndexUse> uses;
    for (Operation &op : body)
      if (auto row = dyn_cast<RowOpInterface>(op))
        row.getIndices(uses);
    OpBuilder b = OpBuilder::atBlockEnd(&body);
    SmallVector<Attribute> checks;
    SmallVector<Value> masks;
    llvm::DenseSet<std::pair<Value, Value>> known;
    llvm::erase_if(uses,
                   [&](IndexUse use) { return !known.insert({use.index, use.chosenFrom}).second; });
    for (IndexUse use : uses) {
      OperandOp index = loadedOperand(use.index),
                chosenFrom = use.chosenFrom.getDefiningOp<OperandOp>();
      if (!index || !chosenFrom)
        return kernel.emitError("a checked build needs indices that are loaded from operands");
      checks.push_back(b.getStrArrayAttr({index.getName(), chosenFrom.getName()}));
      masks.push_back(maskOf(use.index, body));
    }
    kernel.setChecksAttr(b.getArrayAttr(checks)); // before the checks, whose verifier asks for it
    for (auto [number, use] : llvm::enumerate(uses))
      CheckOp::create(b, kernel.getLoc(), number, use.index, use.chosenFrom, masks[number]);
    return success();
  }

  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if ((checked || kernel.getChecks()) && failed(add(kernel)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace braid
