// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/dialect/Diag.h"
#include "codegen/passes/Passes.h"
#include "runtime/NearestName.h"

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_SELECTOUTPUTS
#include "codegen/passes/Passes.h.inc"

// The operand that a store writes.
static OperandOp writtenOperand(Operation *op) {
  for (Value operand : op->getOperands())
    if (auto declared = operand.getDefiningOp<OperandOp>())
      if (declared.getRole() != OperandRole::input)
        return declared;
  return {};
}

namespace {
struct SelectOutputsPass : impl::SelectOutputsBase<SelectOutputsPass> {
  using SelectOutputsBase::SelectOutputsBase;

  LogicalResult checkNames(KernelOp kernel) {
    SmallVector<std::string> known;
    for (OperandOp operand : kernel.getBody().getOps<OperandOp>())
      if (operand.getRole() != OperandRole::input)
        known.push_back(operand.getName().str());
    for (const std::string &name : outputs)
      if (!llvm::is_contained(known, name))
        return emitDiag(kernel.getLoc(), Diag::outputUnknown, name, joinNames(known),
                        suggest(name, known, "use some of these"));
    return success();
  }

  LogicalResult select(KernelOp kernel) {
    if (failed(checkNames(kernel)))
      return failure();
    Block &body = kernel.getBody().front();
    bool stores = false;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
      bool writes = hasEffect<MemoryEffects::Write>(&op);
      if (writes && (outputs.empty() ||
                     llvm::is_contained(outputs, writtenOperand(&op).getName().str())))
        stores = true;
      else if (writes || op.use_empty())
        op.erase(); // in reverse order, so what only this op used goes next
    }
    return stores ? success() : emitDiag(kernel.getLoc(), Diag::nothingStored, kernel.getSymName().str());
  }

  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(select(kernel)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace braid
