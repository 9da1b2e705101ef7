// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row to scalar: one table gives each op its reference meaning and its device function.

#include "codegen/ops/OpRegistration.h"
#include "codegen/reference/Numerics.h"

using namespace mlir;

namespace braid {

template <typename OpTy>
static void add(OpTable &table, const char *name, const char *summary) {
  table.add({name,
             summary,
             std::string(name) + "(x)",
             {{"x", ParamKind::Value, true, "rows"}},
             [](OpBuilder &builder, Location loc, const Call &call) -> Results {
               Value x = call.value("x");
               return createChecked<OpTy>(builder, loc, scalarOfRow(x), x);
             }});
}

void registerReduce(OpTable &table) {
  add<SumOp>(table, "sum", "the sum of each row");
  add<AmaxOp>(table, "amax", "the largest magnitude of each row, at most the largest finite f32");
}

static LogicalResult verifyReduction(Operation *op, StringRef name) {
  Value row = op->getOperand(0);
  if (failed(verifyRow(op, name, row)))
    return failure();
  return op->getResult(0).getType() == scalarOfRow(row)
             ? success()
             : op->emitOpError("result is f32 over the row's axes less the last");
}

static LogicalResult evaluateReduction(Operation *op, Evaluation &evaluation,
                                       float (*meaning)(std::span<const float>)) {
  const std::vector<float> &x = evaluation.get(op->getOperand(0)).numbers;
  size_t n = rowLength(op->getOperand(0));
  HostValue &result = evaluation.define(op->getResult(0));
  for (size_t i = 0; i < result.numbers.size(); ++i)
    result.numbers[i] = meaning({&x[i * n], n});
  return success();
}

static LogicalResult emitReduction(Operation *op, Emitter &e, StringRef function) {
  Value row = op->getOperand(0), result = op->getResult(0);
  e.require("reduce.h");
  e.setHeldDtype(result, Float32Type::get(op->getContext()));
  e.bind(result, e.call(function, {e.rowsName(row)}, {e.get(row)}, "f32"));
  return success();
}

#define BRAID_REDUCTION(Op, name, function, meaning, ...)                                          \
  LogicalResult Op::verify() { return verifyReduction(*this, name); }                              \
  void Op::getRowValues(SmallVectorImpl<Value> &rows) { rows.push_back(getRow()); }                \
  OpCost Op::getCost() { return __VA_ARGS__; }                                                     \
  LogicalResult Op::evaluate(Evaluation &evaluation) {                                             \
    return evaluateReduction(*this, evaluation, meaning);                                          \
  }                                                                                                \
  LogicalResult Op::emit(Emitter &e) { return emitReduction(*this, e, function); }

BRAID_REDUCTION(SumOp, "sum", "reduceSum", reference::treeSum, {1, 6})
BRAID_REDUCTION(AmaxOp, "amax", "reduceAmax", reference::rowAmax, {1, 6})
#undef BRAID_REDUCTION

} // namespace braid
