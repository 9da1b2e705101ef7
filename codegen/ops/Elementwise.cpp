// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on rows and on scalars of rows. One table gives each op its reference meaning and the
// name of its device function; results are f32.

#include "codegen/ops/OpRegistration.h"
#include "codegen/reference/Numerics.h"

#include <cmath>

using namespace mlir;

namespace braid {

// --- registration -----------------------------------------------------------------------------

template <typename OpTy>
static void add(OpTable &table, const char *name, const char *summary,
                std::vector<std::string> operands) {
  std::string signature = std::string(name) + "(";
  std::vector<ParamSpec> params;
  for (const std::string &operand : operands) {
    signature += (params.empty() ? "" : ", ") + operand;
    params.push_back({operand, ParamKind::Value, true, "a value or a constant"});
  }
  table.add({name, summary, signature + ")", params,
             [operands](OpBuilder &builder, Location loc, const Call &call) -> Results {
               SmallVector<Value> values;
               SmallVector<ValueType> types;
               for (const std::string &operand : operands) {
                 values.push_back(call.value(operand));
                 types.push_back(valueType(values.back()));
               }
               FailureOr<ValueType> type = inferElementwise(loc, types);
               if (failed(type))
                 return failure();
               return createChecked<OpTy>(builder, loc, TypeRange(*type), ValueRange(values));
             }});
}

void registerElementwise(OpTable &table) {
  add<AddOp>(table, "add", "a + b", {"a", "b"});
  add<SubOp>(table, "sub", "a - b", {"a", "b"});
  add<MulOp>(table, "mul", "a * b", {"a", "b"});
  add<DivOp>(table, "div", "a / b, correctly rounded", {"a", "b"});
  add<NegOp>(table, "neg", "-a", {"a"});
  add<AbsOp>(table, "abs", "|a|", {"a"});
  add<MaxOp>(table, "max", "the larger; the one that is not NaN", {"a", "b"});
  add<MinOp>(table, "min", "the smaller; the one that is not NaN", {"a", "b"});
  add<FmaOp>(table, "fma", "a * b + c with one rounding", {"a", "b", "c"});
}

// --- what all of them share -------------------------------------------------------------------

static LogicalResult verifyElementwise(Operation *op) {
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

static LogicalResult evaluateElementwise(Operation *op, Evaluation &evaluation,
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

// `symbol`: a C++ operator (before the operand if there is one, else between the two), or 0 for a call
// of `function`.
static LogicalResult emitElementwise(Operation *op, Emitter &e, char symbol, StringRef function) {
  Value result = op->getResult(0);
  Type f32 = Float32Type::get(op->getContext());
  std::string type = e.isRow(result) ? e.fragType(result, f32) : "f32";
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(e.getNumber(operand));
  e.require("elementwise.h");
  e.setHeldDtype(result, f32);
  if (!symbol)
    e.bind(result, e.call(function, {}, operands, type));
  else if (operands.size() == 1)
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
