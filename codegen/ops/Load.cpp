// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"

using namespace mlir;

namespace braid {

// A load is not called by name: a tensor used as a value is its load.
void registerLoad(OpTable &) {}

// Float dtypes are read as f32; indices keep their type.
static Type loadedDtype(Type dtype) {
  return isa<IntegerType>(dtype) ? dtype : Float32Type::get(dtype.getContext());
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value tensor) {
  auto type = cast<TensorType>(tensor.getType());
  build(builder, state,
        ValueType::get(builder.getContext(), type.getAxes(), loadedDtype(type.getDtype())), tensor);
}

LogicalResult LoadOp::verify() {
  auto tensor = cast<TensorType>(getTensor().getType());
  auto result = valueType(getResult());
  if (failed(verifyOperand(*this, getTensor(), {OperandRole::input, OperandRole::inout})) ||
      failed(verifyReadable(*this, getTensor())))
    return failure();
  if (result.getAxes() != tensor.getAxes() || result.getDtype() != loadedDtype(tensor.getDtype()))
    return emitOpError("result must have the tensor's axes, and f32 unless it holds indices");
  return success();
}

void LoadOp::getRowValues(SmallVectorImpl<Value> &) {}
bool LoadOp::isElementwise() { return true; }
OpCost LoadOp::getCost() { return {0.125, 1}; }

Type exactDtype(Value value) {
  if (auto load = value.getDefiningOp<LoadOp>())
    return cast<TensorType>(load.getTensor().getType()).getDtype();
  return valueType(value).getDtype();
}

LogicalResult LoadOp::evaluate(Evaluation &evaluation) {
  const HostArray &array = evaluation.operand(getTensor());
  HostValue &result = evaluation.define(getResult());
  // The bound tensor may be longer than the count: read by index, not by position.
  HostArray used = array;
  used.extents.assign(result.extents.begin(), result.extents.end());
  forEachElement(used, [&](int64_t i, int64_t offset) {
    if (result.indices.empty())
      result.numbers[i] = readNumber(used, offset);
    else
      result.indices[i] = readIndex(used, offset);
  });
  return success();
}

LogicalResult LoadOp::emit(Emitter &e) {
  Type dtype = cast<TensorType>(getTensor().getType()).getDtype();
  StringRef name = getTensor().getDefiningOp<OperandOp>().getName();
  bool row = e.isRow(getResult());
  Value address = e.address(getTensor(), row);
  e.setHeldDtype(getResult(), row ? dtype : valueType(getResult()).getDtype());
  if (row)
    e.bind(getResult(), e.call("loadRow", {e.rowsName(getResult())},
                               {address, e.lane(getResult())}, e.fragType(getResult(), dtype),
                               (name + "_row").str()));
  else
    e.bind(getResult(), e.call("loadScalar", {}, {address},
                               Emitter::cType(valueType(getResult()).getDtype()),
                               (name + "_value").str()));
  return success();
}

} // namespace braid
