// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"
#include "codegen/reference/FloatFormat.h"
#include "codegen/reference/Numerics.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace braid {

void registerRope(OpTable &table) {
  table.add({"rope",
             "rotary embedding of some dims of each row",
             "rope(x, table[pos], neox | gptj, dims = a..b, table = joined)",
             {{"x", ParamKind::Value, true, "rows"},
              {"angles", ParamKind::Value, true, "rows of cosines and sines"},
              {"style", ParamKind::Word, true, "which dims make a pair", {"neox", "gptj"}},
              {"dims", ParamKind::Range, true, "rotated dims, half-open"},
              {"table", ParamKind::Word, true, "form of a table row", {"joined"}}},
             [](OpBuilder &builder, Location loc, const Call &call) -> Results {
               Value x = call.value("x");
               IntRange dims = call.range("dims");
               return createChecked<RopeOp>(builder, loc, asF32(x), x, call.value("angles"),
                                            *symbolizeRopeStyle(call.word("style").name),
                                            dims.begin, dims.end,
                                            *symbolizeTableForm(call.word("table").name));
             }});
}

LogicalResult RopeOp::verify() {
  if (failed(verifyRow(*this, "rope", getRow())) || failed(verifyRow(*this, "rope", getTable())))
    return failure();
  int64_t begin = getBegin(), end = getEnd(), rotated = end - begin, row = rowLength(getRow());
  if (begin < 0 || end < begin || end > row)
    return emitArgumentDiag(getLoc(), "dims", Diag::ropeRange, begin, end, row);
  if (rotated % 2)
    return emitArgumentDiag(getLoc(), "dims", Diag::ropeOddRange, begin, end, rotated);
  if (rowLength(getTable()) != rotated)
    return emitArgumentDiag(getLoc(), "angles", Diag::ropeTableWidth, rowLength(getTable()),
                            rotated);
  if (failed(verifyLeadingAxes(*this, getTable(), getRow())))
    return failure();
  Type dtype = valueType(getResult()).getDtype();
  if (valueType(getResult()).getAxes() != valueType(getRow()).getAxes() ||
      (!dtype.isF32() && !canRoundResult(dtype)))
    return emitOpError("result has the row's axes and f32, or a dtype that holds the row exactly");
  return success();
}

// Rotating nothing is the identity; at most the dtype widens, which is a rounding point that is
// exact.
LogicalResult RopeOp::canonicalize(RopeOp op, PatternRewriter &rewriter) {
  if (op.getBegin() != op.getEnd())
    return failure();
  rewriter.replaceOpWithNewOp<RoundOp>(op, op.getResult().getType(), op.getRow());
  return success();
}

void RopeOp::getRowValues(SmallVectorImpl<Value> &rows) { rows.append({getRow(), getResult()}); }

// Rounding at the end touches rotated elements only where the others are exact already.
bool RopeOp::canRoundResult(Type dtype) { return exactDtype(getRow()) == dtype; }

// Partners whose distance is one index bit stay in one lane if that bit is a register bit.
void RopeOp::constrainSchedule(ScheduleWishes &wishes) {
  int64_t distance = getStyle() == RopeStyle::neox ? (getEnd() - getBegin()) / 2 : 1;
  if (distance > 0 && llvm::isPowerOf2_64(distance) && getBegin() % (2 * distance) == 0)
    wishes.of(getRow()).registerBits |= distance;
}

bool RopeOp::standsAlone() { return true; }

OpCost RopeOp::getCost() { return {2, 4}; }

LogicalResult RopeOp::evaluate(Evaluation &evaluation) {
  ValueType type = valueType(getRow());
  const std::vector<float> x = evaluation.get(getRow()).numbers;
  int64_t row = rowLength(getRow()), begin = getBegin(), rotated = getEnd() - begin,
          half = rotated / 2;
  SmallVector<AxisAttr> tableAxes(type.getAxes().drop_back());
  tableAxes.push_back(valueType(getTable()).getAxes().back());
  const std::vector<float> table = evaluation.broadcastRows(
      getTable(), ValueType::get(getContext(), tableAxes, Float32Type::get(getContext())));

  HostValue &result = evaluation.define(getResult());
  DType dtype = *dtypeOf(valueType(getResult()).getDtype());
  result.numbers = x;
  for (int64_t r = 0, rows = row ? int64_t(x.size()) / row : 0; r < rows; ++r) {
    for (int64_t i = 0; i < half; ++i) {
      bool neox = getStyle() == RopeStyle::neox;
      int64_t first = r * row + begin + (neox ? i : 2 * i);
      int64_t second = first + (neox ? half : 1);
      float c = table[r * rotated + i], s = table[r * rotated + half + i];
      float turned = reference::fma(x[first], c, -(x[second] * s));
      float partner = reference::fma(x[second], c, x[first] * s);
      result.numbers[first] = reference::roundTo(dtype, turned);
      result.numbers[second] = reference::roundTo(dtype, partner);
    }
  }
  return success();
}

static std::vector<std::string> rangeArguments(RopeOp op, Emitter &e) {
  return {e.rowsName(op.getRow()), "RopeStyle::" + stringifyRopeStyle(op.getStyle()).str(),
          std::to_string(op.getBegin()), std::to_string(op.getEnd())};
}

static Value emitAngles(RopeOp op, Emitter &e) {
  e.require("rope.h");
  std::vector<std::string> templateArguments = rangeArguments(op, e);
  templateArguments.push_back(std::to_string(e.pointerAlignment(op.getTable())));
  return e.call("loadAnglesJoined", templateArguments,
                {e.pointer(op.getTable()), e.lane(op.getRow())}, "auto", "angles");
}

// A table row that all rows of a token share is loaded once, before the loop over them.
LogicalResult RopeOp::emitInvariant(Emitter &e) {
  if (!e.isPerRow(getTable()))
    e.setInvariant(*this, emitAngles(*this, e));
  return success();
}

LogicalResult RopeOp::emit(Emitter &e) {
  Type dtype = valueType(getResult()).getDtype();
  e.setHeldDtype(getResult(), dtype);
  Value angles = e.invariant(*this);
  if (!angles)
    angles = emitAngles(*this, e);
  std::vector<std::string> templateArguments = rangeArguments(*this, e);
  templateArguments.push_back(Emitter::cType(dtype));
  e.bind(getResult(), e.call("rope", templateArguments, {e.get(getRow()), angles, e.lane(getRow())},
                             e.fragType(getResult(), dtype)));
  return success();
}

} // namespace braid
