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
             "rope(x, table[pos], neox | gptj, dims = a..b, table = joined | split | pairs [, sines = "
             "table[pos]])",
             {{"x", ParamKind::Value, true, "rows"},
              {"angles", ParamKind::Value, true, "rows of cosines and sines; of cosines for split"},
              {"style", ParamKind::Word, true, "which dims make a pair", {"neox", "gptj"}},
              {"dims", ParamKind::Range, true, "rotated dims, half-open"},
              {"table", ParamKind::Word, true, "form of a table row", {"joined", "split", "pairs"}},
              {"sines", ParamKind::Value, false, "rows of sines, for split"}},
             [](OpBuilder &builder, Location loc, const Call &call) -> Results {
               Value x = call.value("x");
               IntRange dims = call.range("dims");
               return createChecked<RopeOp>(builder, loc, asF32(x), x, call.value("angles"),
                                            call.has("sines") ? call.value("sines") : Value(),
                                            *symbolizeRopeStyle(call.word("style").name), dims.begin,
                                            dims.end, *symbolizeTableForm(call.word("table").name));
             }});
}

// --- verification -----------------------------------------------------------------------------

// A row of one table: as wide as the form asks, over axes that the rows have.
static LogicalResult verifyTable(RopeOp op, StringRef argument, Value table) {
  if (failed(verifyRow(op, "rope", table)))
    return failure();
  int64_t rotated = op.getEnd() - op.getBegin(), found = rowLength(table);
  int64_t parts = op.getForm() == TableForm::split ? 2 : 1;
  if (found * parts != rotated)
    return emitArgumentDiag(op.getLoc(), argument, Diag::ropeTableWidth, found, rotated,
                            stringifyTableForm(op.getForm()).str(),
                            parts == 2 ? "one number" : "one cosine and one sine", rotated / parts,
                            found * parts);
  return verifyLeadingAxes(op, table, op.getRow());
}

// Angles are read from memory as each lane needs them, so they are rows of tables.
static LogicalResult verifyTableSource(RopeOp op, StringRef argument, Value table) {
  if (table.getDefiningOp<GatherOp>())
    return success();
  return emitArgumentDiag(op.getLoc(), argument, Diag::ropeTableSource);
}

static Type tableDtype(Value table) {
  return cast<TensorType>(table.getDefiningOp<GatherOp>().getTable().getType()).getDtype();
}

LogicalResult RopeOp::verify() {
  if (failed(verifyRow(*this, "rope", getRow())))
    return failure();
  int64_t begin = getBegin(), end = getEnd(), rotated = end - begin, row = rowLength(getRow());
  if (begin < 0 || end < begin || end > row)
    return emitArgumentDiag(getLoc(), "dims", Diag::ropeRange, begin, end, row);
  if (rotated % 2)
    return emitArgumentDiag(getLoc(), "dims", Diag::ropeOddRange, begin, end, rotated);
  bool split = getForm() == TableForm::split;
  if (split != bool(getSines()))
    return emitArgumentDiag(getLoc(), split ? "table" : "sines", Diag::ropeSines,
                            stringifyTableForm(getForm()).str(), split ? "needs" : "takes no");
  if (failed(verifyTable(*this, "angles", getTable())) ||
      (split && failed(verifyTable(*this, "sines", getSines()))))
    return failure();
  Type dtype = valueType(getResult()).getDtype();
  if (valueType(getResult()).getAxes() != valueType(getRow()).getAxes() ||
      (!dtype.isF32() && !canRoundResult(dtype)))
    return emitOpError("result has the row's axes and f32, or a dtype that holds the row exactly");
  if (failed(verifyTableSource(*this, "angles", getTable())) ||
      (split && failed(verifyTableSource(*this, "sines", getSines()))))
    return failure();
  if (split && tableDtype(getTable()) != tableDtype(getSines()))
    return emitArgumentDiag(getLoc(), "sines", Diag::ropeTableDtypes, dtypeName(tableDtype(getTable())),
                            dtypeName(tableDtype(getSines())));
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

// --- reference --------------------------------------------------------------------------------

// Rows of a table for all rows of the op.
static std::vector<float> tableRows(RopeOp op, Evaluation &evaluation, Value table) {
  SmallVector<AxisAttr> axes(valueType(op.getRow()).getAxes().drop_back());
  axes.push_back(valueType(table).getAxes().back());
  return evaluation.broadcastRows(
      table, ValueType::get(op.getContext(), axes, Float32Type::get(op.getContext())));
}

LogicalResult RopeOp::evaluate(Evaluation &evaluation) {
  const std::vector<float> x = evaluation.get(getRow()).numbers;
  int64_t row = rowLength(getRow()), begin = getBegin(), rotated = getEnd() - begin,
          half = rotated / 2;
  const std::vector<float> table = tableRows(*this, evaluation, getTable());
  const std::vector<float> sines =
      getSines() ? tableRows(*this, evaluation, getSines()) : std::vector<float>();
  auto angle = [&](int64_t r, int64_t i) -> std::pair<float, float> {
    switch (getForm()) {
    case TableForm::joined: return {table[r * rotated + i], table[r * rotated + half + i]};
    case TableForm::split: return {table[r * half + i], sines[r * half + i]};
    case TableForm::pairs: return {table[r * rotated + 2 * i], table[r * rotated + 2 * i + 1]};
    }
    return {};
  };

  HostValue &result = evaluation.define(getResult());
  DType dtype = *dtypeOf(valueType(getResult()).getDtype());
  result.numbers = x;
  for (int64_t r = 0, rows = row ? int64_t(x.size()) / row : 0; r < rows; ++r) {
    for (int64_t i = 0; i < half; ++i) {
      bool neox = getStyle() == RopeStyle::neox;
      int64_t first = r * row + begin + (neox ? i : 2 * i);
      int64_t second = first + (neox ? half : 1);
      auto [c, s] = angle(r, i);
      float turned = reference::fma(x[first], c, -(x[second] * s));
      float partner = reference::fma(x[second], c, x[first] * s);
      result.numbers[first] = reference::roundTo(dtype, turned);
      result.numbers[second] = reference::roundTo(dtype, partner);
    }
  }
  return success();
}

// --- emission ---------------------------------------------------------------------------------

static std::vector<std::string> rangeArguments(RopeOp op, Emitter &e) {
  return {e.rowsName(op.getRow()), "RopeStyle::" + stringifyRopeStyle(op.getStyle()).str(),
          std::to_string(op.getBegin()), std::to_string(op.getEnd())};
}

static Value emitAngles(RopeOp op, Emitter &e) {
  e.require("rope.h");
  static constexpr const char *kLoads[] = {"loadAnglesJoined", "loadAnglesSplit", "loadAnglesPairs"};
  std::vector<std::string> templateArguments = rangeArguments(op, e);
  SmallVector<Value> arguments = {e.pointer(op.getTable())};
  unsigned align = e.pointerAlignment(op.getTable());
  if (op.getSines()) {
    arguments.push_back(e.pointer(op.getSines()));
    align = std::min(align, e.pointerAlignment(op.getSines()));
  }
  arguments.push_back(e.lane(op.getRow()));
  templateArguments.push_back(std::to_string(align));
  return e.call(kLoads[static_cast<unsigned>(op.getForm())], templateArguments, arguments, "auto",
                "angles");
}

// A table row that all rows of a token share is loaded once, before the loop over them.
LogicalResult RopeOp::emitInvariant(Emitter &e) {
  if (!e.isPerRow(getTable()) && !(getSines() && e.isPerRow(getSines())))
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
