// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"

using namespace mlir;

namespace braid {

// `padding = skip_all(slot)` makes it; no statement calls it.
void registerInCache(OpTable &) {}

LogicalResult InCacheOp::verify() {
  auto slot = valueType(getSlot());
  if (!slot.getDtype().isInteger(32) && !slot.getDtype().isInteger(64))
    return emitDiag(getLoc(), Diag::indexDtype, dtypeName(slot.getDtype()));
  if (getCaches().empty())
    return emitOpError("needs at least one cache");
  for (Value cache : getCaches())
    if (failed(verifyOperand(*this, cache, {OperandRole::cache})))
      return failure();
  if (getResult().getType() != withDtype(getSlot(), IntegerType::get(getContext(), 1)))
    return emitOpError("result is i1 over the axes of the slots");
  return success();
}

void InCacheOp::getRowValues(SmallVectorImpl<Value> &) {}
OpCost InCacheOp::getCost() { return {0, 3}; }

void InCacheOp::getIndices(SmallVectorImpl<IndexUse> &indices) {
  for (Value cache : getCaches())
    indices.push_back({getSlot(), cache});
}

LogicalResult InCacheOp::evaluate(Evaluation &evaluation) {
  HostValue &result = evaluation.define(getResult());
  const HostValue &slots = evaluation.get(getSlot());
  for (int64_t i = 0, e = result.count(); i < e; ++i)
    result.indices[i] = llvm::all_of(getCaches(), [&](Value cache) {
      return uint64_t(slots.indices[i]) < evaluation.capacity(cache);
    });
  return success();
}

LogicalResult InCacheOp::emit(Emitter &e) {
  Value inside;
  for (Value cache : getCaches())
    inside =
        e.logicalAnd(inside, e.compareLess(e.cast("u64", e.get(getSlot())), e.capacity(cache)));
  std::string name = "slot";
  if (auto load = getSlot().getDefiningOp(); load && load->getNumOperands() == 1)
    if (auto operand = load->getOperand(0).getDefiningOp<OperandOp>())
      name = operand.getName().str();
  e.bind(getResult(), e.named(inside, name + "_inside"));
  return success();
}

LogicalResult verifyMask(Operation *op, Value mask, ArrayRef<AxisAttr> axes) {
  if (!mask)
    return success();
  auto type = valueType(mask);
  if (type.getDtype().isInteger(1) && type.getAxes().size() == 1 &&
      type.getAxes().front().isRuntime() && llvm::is_contained(axes, type.getAxes().front()))
    return success();
  return op->emitOpError("a mask is i1 over one run-time axis of what it masks");
}

} // namespace braid
