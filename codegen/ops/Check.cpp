// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"

using namespace mlir;

namespace braid {

// AddChecks makes it; no statement calls it.
void registerCheck(OpTable &) {}

LogicalResult CheckOp::verify() {
  auto index = valueType(getIndex());
  if (!index.getDtype().isInteger(32) && !index.getDtype().isInteger(64))
    return emitDiag(getLoc(), Diag::indexDtype, dtypeName(index.getDtype()));
  if (failed(verifyOperand(*this, getChosenFrom(), {OperandRole::input, OperandRole::cache})) ||
      failed(verifyMask(*this, getMask(), index.getAxes())))
    return failure();
  auto table = dyn_cast<TensorType>(getChosenFrom().getType());
  if (table && (table.getAxes().size() < 2 || !table.getAxes().front().isRuntime()))
    return emitOpError("needs a table whose leading axis is a run-time axis");
  auto kernel = (*this)->getParentOfType<KernelOp>();
  size_t known = kernel && kernel.getChecks() ? kernel.getChecks()->size() : 0;
  return uint64_t(getNumber()) < known ? success()
                                       : emitOpError("has no place in the kernel's checks");
}

void CheckOp::getRowValues(SmallVectorImpl<Value> &) {}
OpCost CheckOp::getCost() { return {0, 4}; }

static bool isSlot(CheckOp op) { return isa<CacheType>(op.getChosenFrom().getType()); }

LogicalResult CheckOp::evaluate(Evaluation &evaluation) {
  const uint64_t limit = isSlot(*this) ? evaluation.capacity(getChosenFrom())
                                       : evaluation.operand(getChosenFrom()).extents[0];
  const HostValue &index = evaluation.get(getIndex());
  std::vector<int64_t> live(index.indices.size(), 1);
  if (getMask())
    live = evaluation.broadcastMask(getMask(), valueType(getIndex()));
  for (size_t i = 0; i < index.indices.size(); ++i) {
    bool padding = isSlot(*this) && index.indices[i] == -1;
    if (live[i] && !padding && uint64_t(index.indices[i]) >= limit)
      evaluation.countFault(getNumber(), i, index.indices[i], limit);
  }
  return success();
}

LogicalResult CheckOp::emit(Emitter &e) {
  e.require("check.h");
  Value limit =
      isSlot(*this) ? e.capacity(getChosenFrom()) : e.arguments().tableRows.lookup(getChosenFrom());
  // The number of the index in row-major order: a token, or a row where tokens have several.
  Value flat;
  ArrayRef<AxisAttr> axes = valueType(getIndex()).getAxes();
  for (auto [axis, index] : llvm::zip(axes, e.indices(axes)))
    flat = flat ? e.binary('+',
                           e.binary('*', flat, e.literal(std::to_string(axis.getExtent()), "u32"),
                                    "u32"),
                           index, "u32")
                : index;
  Value mask = getMask() ? e.get(getMask()) : Value();
  e.ifThen(e.logicalAnd(mask, e.logicalAnd(e.live(), e.onceAnIndex(getIndex()))), [&] {
    e.call(isSlot(*this) ? "checkSlot" : "checkPosition", {},
           {e.arguments().faults, e.literal(std::to_string(getNumber()), "u32"), flat,
            e.get(getIndex()), limit},
           "");
  });
  return success();
}

} // namespace braid
