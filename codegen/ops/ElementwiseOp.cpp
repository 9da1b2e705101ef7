// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/ElementwiseOp.h"

using namespace mlir;

namespace braid {

FailureOr<ValueType> bindElementwise(Location loc, const Call &call, ArrayRef<std::string> operands,
                                     SmallVectorImpl<Value> &values) {
  SmallVector<ValueType> types;
  for (const std::string &operand : operands) {
    values.push_back(call.value(operand));
    types.push_back(valueType(values.back()));
  }
  return inferElementwise(loc, types);
}

LogicalResult verifyElementwise(Operation *op) {
  SmallVector<ValueType> types;
  for (Value operand : op->getOperands())
    types.push_back(valueType(operand));
  FailureOr<ValueType> type = inferElementwise(op->getLoc(), types);
  if (failed(type))
    return failure();
  if (op->getResult(0).getType() != *type)
    return op->emitOpError("result is f32 over the axes of the operand that has them all");
  return success();
}

LogicalResult evaluateElementwise(Operation *op, Evaluation &evaluation,
                                  function_ref<float(ArrayRef<float>)> meaning) {
  auto type = cast<ValueType>(op->getResult(0).getType());
  std::vector<std::vector<float>> inputs;
  for (Value operand : op->getOperands())
    inputs.push_back(evaluation.broadcast(operand, type));
  HostValue &result = evaluation.define(op->getResult(0));
  SmallVector<float> at(inputs.size());
  for (size_t i = 0; i < result.numbers.size(); ++i) {
    for (size_t j = 0; j < inputs.size(); ++j)
      at[j] = inputs[j][i];
    result.numbers[i] = meaning(at);
  }
  return success();
}

std::string elementwiseType(Operation *op, Emitter &e) {
  Value result = op->getResult(0);
  return e.isRow(result) ? e.fragType(result, Float32Type::get(op->getContext())) : "f32";
}

SmallVector<Value> elementwiseOperands(Operation *op, Emitter &e) {
  return llvm::map_to_vector(op->getOperands(),
                             [&](Value operand) { return e.getNumber(operand); });
}

LogicalResult emitElementwiseCall(Operation *op, Emitter &e, StringRef header, StringRef function) {
  Value result = op->getResult(0);
  SmallVector<Value> operands = elementwiseOperands(op, e);
  e.require(header);
  e.setHeldDtype(result, Float32Type::get(op->getContext()));
  e.bind(result, e.call(function, {}, operands, elementwiseType(op, e)));
  return success();
}

} // namespace braid
