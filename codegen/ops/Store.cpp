// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace braid {

// Assigning to an output's name stores.
void registerStore(OpTable &) {}

LogicalResult StoreOp::verify() {
  if (failed(verifyOperand(*this, getTensor(),
                           {OperandRole::output, OperandRole::inout, OperandRole::workspace})))
    return failure();
  auto value = valueType(getValue());
  auto tensor = cast<TensorType>(getTensor().getType());
  StringRef name = getTensor().getDefiningOp<OperandOp>().getName();
  if (!storableAs(getValue(), tensor.getDtype()))
    return emitDiag(getLoc(), Diag::storeDtype, dtypeName(value.getDtype()), name.str(),
                    dtypeName(tensor.getDtype()));
  if (getBegin())
    return verifyPart(*this, value, tensor, *getBegin());
  bool same = value.getAxes().size() == tensor.getAxes().size() &&
              llvm::all_of(llvm::zip(value.getAxes(), tensor.getAxes()),
                           [](auto pair) { return std::get<0>(pair).matches(std::get<1>(pair)); });
  if (!same)
    return emitDiag(getLoc(), Diag::storeAxes, axesStr(value.getAxes()), name.str(),
                    axesStr(tensor.getAxes()));
  return verifyMask(*this, getMask(), value.getAxes());
}

// A part of a row is one.
void StoreOp::getRowValues(SmallVectorImpl<Value> &rows) {
  if (getBegin())
    rows.push_back(getValue());
}

std::optional<int64_t> StoreOp::getRowBegin() { return getBegin(); }
bool StoreOp::isElementwise() { return true; }
OpCost StoreOp::getCost() { return {0.125, 3}; }

LogicalResult StoreOp::evaluate(Evaluation &evaluation) {
  const HostValue &value = evaluation.get(getValue());
  HostArray array = evaluation.operand(getTensor());
  DType dtype = *array.dtype;
  array.extents.assign(value.extents.begin(), value.extents.end());
  if (getBegin())
    array.first += *getBegin() * array.strides.back();
  std::vector<int64_t> live;
  if (getMask())
    live = evaluation.broadcastMask(getMask(), valueType(getValue()));
  forEachElement(array, [&](int64_t i, int64_t offset) {
    if (live.empty() || live[i])
      array.storeBits(offset, numberBits(value.numbers[i], dtype));
  });
  return success();
}

LogicalResult StoreOp::emit(Emitter &e) {
  bool row = e.isRow(getValue());
  Type dtype = cast<TensorType>(getTensor().getType()).getDtype();
  auto operand = getTensor().getDefiningOp<OperandOp>();
  if (!row && isPackedDtype(dtype))
    return emitDiag(getLoc(), Diag::packedScalar, operand.getName().str(), dtypeName(dtype));
  if (operand.getRole() == OperandRole::inout)
    e.finishReads();
  Value value = e.getStored(getValue(), dtype);
  Value live = e.logicalAnd(e.live(), getMask() ? e.get(getMask()) : Value());
  e.ifThen(e.logicalAnd(live, row ? e.holdsRow(getValue()) : e.oneLane()), [&] {
    Value address = e.address(getTensor(), row, getBegin().value_or(0));
    if (row)
      e.call("storeRow", e.rowArguments(getValue(), getTensor(), getBegin()),
             {address, value, e.lane(getValue())}, "");
    else
      e.call("storeScalar", {}, {address, value}, "");
  });
  return success();
}

} // namespace braid
