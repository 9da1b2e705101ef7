// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/emit/ProgramLocation.h"
#include "codegen/ops/OpRegistration.h"
#include "codegen/reference/FloatFormat.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace braid {

static bool isRoundTarget(Type dtype) { return dtype.isF32() || dtype.isBF16() || dtype.isF16(); }

void registerRound(OpTable &table) {
  table.add({"round",
             "to the nearest value of a dtype, ties to even",
             "round(x, dtype)",
             {{"x", ParamKind::Value, true, "any value"},
              {"dtype", ParamKind::Dtype, true, "f32 (identity), bf16 or f16"}},
             [](OpBuilder &builder, Location loc, const Call &call) -> Results {
               Value x = call.value("x");
               return createChecked<RoundOp>(builder, loc, withDtype(x, call.dtype("dtype")), x);
             }});
}

LogicalResult RoundOp::verify() {
  if (failed(verifyNumbers(*this, getValue())))
    return failure();
  Type dtype = valueType(getResult()).getDtype();
  if (!isRoundTarget(dtype))
    return emitArgumentDiag(getLoc(), "dtype", Diag::roundDtype, dtypeName(dtype));
  if (valueType(getResult()).getAxes() != valueType(getValue()).getAxes())
    return emitOpError("keeps the axes of its operand");
  return success();
}

// Rounding to the dtype that the value already has changes nothing, also where it was f32 in
// between. A value that had no name takes the rounding point's.
LogicalResult RoundOp::canonicalize(RoundOp op, PatternRewriter &rewriter) {
  Value same = op.getValue();
  auto inner = same.getDefiningOp<RoundOp>();
  if (inner && valueType(same).getDtype().isF32() &&
      inner.getValue().getType() == op.getResult().getType())
    same = inner.getValue();
  if (same.getType() != op.getResult().getType())
    return failure();
  Operation *maker = same.getDefiningOp();
  if (maker->getNumResults() == 1 && !hasSingleEffect<MemoryEffects::Read>(maker) &&
      programName(same).empty())
    rewriter.modifyOpInPlace(maker, [&] { maker->setLoc(op.getLoc()); });
  rewriter.replaceOp(op, same);
  return success();
}

void RoundOp::getRowValues(SmallVectorImpl<Value> &) {}
bool RoundOp::isElementwise() { return true; }
bool RoundOp::isRoundingPoint() { return true; }
OpCost RoundOp::getCost() { return {3, 0}; }

LogicalResult RoundOp::evaluate(Evaluation &evaluation) {
  const std::vector<float> numbers = evaluation.get(getValue()).numbers;
  HostValue &result = evaluation.define(getResult());
  DType dtype = *dtypeOf(valueType(getResult()).getDtype());
  for (size_t i = 0; i < numbers.size(); ++i)
    result.numbers[i] = reference::roundTo(dtype, numbers[i]);
  return success();
}

LogicalResult RoundOp::emit(Emitter &e) {
  Type dtype = valueType(getResult()).getDtype();
  Value value = e.getNumber(getValue());
  std::string c = Emitter::cType(dtype);
  e.setHeldDtype(getResult(), dtype);
  e.require("row.h");
  if (e.isRow(getResult()))
    e.bind(getResult(), e.call("roundTo", {c}, {value}, e.fragType(getResult(), dtype)));
  else
    e.bind(getResult(), e.call("roundTo", {c}, {value}, c));
  return success();
}

} // namespace braid
