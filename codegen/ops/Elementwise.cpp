// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on rows and on scalars of rows. One table gives each op its reference meaning and the
// name of its device function; results are f32.

#include "codegen/ops/ElementwiseOp.h"
#include "codegen/reference/Numerics.h"

#include <cmath>

using namespace mlir;

namespace braid {

void registerElementwise(OpTable &table) {
  addElementwise<AddOp>(table, "add", "a + b", {"a", "b"});
  addElementwise<SubOp>(table, "sub", "a - b", {"a", "b"});
  addElementwise<MulOp>(table, "mul", "a * b", {"a", "b"});
  addElementwise<DivOp>(table, "div", "a / b, correctly rounded", {"a", "b"});
  addElementwise<NegOp>(table, "neg", "-a", {"a"});
  addElementwise<AbsOp>(table, "abs", "|a|", {"a"});
  addElementwise<MaxOp>(table, "max", "the larger; the one that is not NaN", {"a", "b"});
  addElementwise<MinOp>(table, "min", "the smaller; the one that is not NaN", {"a", "b"});
  addElementwise<FmaOp>(table, "fma", "a * b + c with one rounding", {"a", "b", "c"});
}

// `symbol`: a C++ operator (before the operand if there is one, else between the two), or 0 for a call
// of `function`.
static LogicalResult emitElementwise(Operation *op, Emitter &e, char symbol, StringRef function) {
  if (!symbol)
    return emitElementwiseCall(op, e, "elementwise.h", function);
  Value result = op->getResult(0);
  std::string type = elementwiseType(op, e);
  SmallVector<Value> operands = elementwiseOperands(op, e);
  e.require("elementwise.h");
  e.setHeldDtype(result, Float32Type::get(op->getContext()));
  if (operands.size() == 1)
    e.bind(result, e.negate(operands[0], type));
  else
    e.bind(result, e.binary(symbol, operands[0], operands[1], type));
  return success();
}

#define BRAID_ELEMENTWISE(Op, symbol, function, meaning)                                           \
  LogicalResult Op::verify() { return verifyElementwise(*this); }                                  \
  void Op::getRowValues(SmallVectorImpl<Value> &) {}                                               \
  bool Op::isElementwise() { return true; }                                                        \
  OpCost Op::getCost() { return {1, 0}; }                                                          \
  LogicalResult Op::evaluate(Evaluation &evaluation) {                                             \
    return evaluateElementwise(*this, evaluation, [](ArrayRef<float> x) -> float { return meaning; }); \
  }                                                                                                \
  LogicalResult Op::emit(Emitter &e) { return emitElementwise(*this, e, symbol, function); }

BRAID_ELEMENTWISE(AddOp, '+', "", x[0] + x[1])
BRAID_ELEMENTWISE(SubOp, '-', "", x[0] - x[1])
BRAID_ELEMENTWISE(MulOp, '*', "", x[0] * x[1])
BRAID_ELEMENTWISE(DivOp, '/', "", x[0] / x[1])
BRAID_ELEMENTWISE(NegOp, '-', "", -x[0])
BRAID_ELEMENTWISE(AbsOp, 0, "absOf", std::fabs(x[0]))
BRAID_ELEMENTWISE(MaxOp, 0, "maxOf", reference::maximum(x[0], x[1]))
BRAID_ELEMENTWISE(MinOp, 0, "minOf", reference::minimum(x[0], x[1]))
BRAID_ELEMENTWISE(FmaOp, 0, "fmaOf", reference::fma(x[0], x[1], x[2]))
#undef BRAID_ELEMENTWISE

// --- constants --------------------------------------------------------------------------------

void ConstantOp::build(OpBuilder &builder, OperationState &state, double value) {
  build(builder, state, ValueType::get(builder.getContext(), {}, builder.getF32Type()),
        builder.getF32FloatAttr(static_cast<float>(value)));
}

LogicalResult ConstantOp::verify() {
  return valueType(getResult()).getAxes().empty() ? success() : emitOpError("has no axes");
}

void ConstantOp::getRowValues(SmallVectorImpl<Value> &) {}
OpCost ConstantOp::getCost() { return {}; }

LogicalResult ConstantOp::evaluate(Evaluation &evaluation) {
  evaluation.define(getResult()).numbers[0] = getValue().convertToFloat();
  return success();
}

LogicalResult ConstantOp::emit(Emitter &e) {
  e.setHeldDtype(getResult(), Float32Type::get(getContext()));
  e.bind(getResult(), e.number(getValue().convertToFloat()));
  return success();
}

} // namespace braid
