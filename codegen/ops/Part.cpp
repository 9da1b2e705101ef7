// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of rows: `x[a..b]`, split and concat. Where memory is on the other side they cost nothing:
// a part of a loaded row is a load of its own, and storing joined rows is storing each. Otherwise
// the elements pass through LDS to the lanes that hold them in the other row.

#include "codegen/ops/OpRegistration.h"

#include "mlir/IR/PatternMatch.h"

#include <algorithm>

using namespace mlir;

namespace braid {

// --- the language -----------------------------------------------------------------------------

// Parts that one call of concat or split may have.
constexpr unsigned kMostParts = 8;

static Results createSlice(OpBuilder &builder, Location loc, Value x, int64_t begin, int64_t end) {
  SmallVector<AxisAttr> axes(valueType(x).getAxes());
  if (!axes.empty())
    axes.back() = axis(builder.getContext(), "", std::max<int64_t>(end - begin, 0));
  auto type = ValueType::get(builder.getContext(), axes, valueType(x).getDtype());
  return createChecked<SliceOp>(builder, loc, type, x, begin, end);
}

static void addSlice(OpTable &table) {
  table.add({"slice",
             "some elements of each row",
             "x[a..b]",
             {{"x", ParamKind::Value, true, "rows"},
              {"dims", ParamKind::Range, true, "elements, half-open"}},
             [](OpBuilder &builder, Location loc, const Call &call) -> Results {
               IntRange dims = call.range("dims");
               return createSlice(builder, loc, call.value("x"), dims.begin, dims.end);
             }});
}

static bool hasRowAxis(Value value) {
  ArrayRef<AxisAttr> axes = valueType(value).getAxes();
  return !axes.empty() && !axes.back().isRuntime();
}

static Results buildSplit(OpBuilder &builder, Location loc, const Call &call) {
  Value x = call.value("x");
  if (!hasRowAxis(x))
    return emitDiag(loc, Diag::rowAxis, "split", axesStr(valueType(x).getAxes()));
  int64_t sum = 0, begin = 0, row = rowLength(x);
  SmallVector<int64_t> sizes;
  for (unsigned i = 1; i <= kMostParts; ++i)
    if (std::string name = "size" + std::to_string(i); call.has(name)) {
      sizes.push_back(call.integer(name));
      sum += std::clamp<int64_t>(sizes.back(), -1, row + 1);
    }
  if (sum != row)
    return emitDiag(loc, Diag::splitSizes, sum, row);
  SmallVector<Value> parts;
  for (int64_t size : sizes) {
    Results part = createSlice(builder, loc, x, begin, begin + size);
    if (failed(part))
      return failure();
    parts.push_back(part->front());
    begin += size;
  }
  return parts;
}

static void addSplit(OpTable &table) {
  std::vector<ParamSpec> params = {{"x", ParamKind::Value, true, "rows"}};
  for (unsigned i = 1; i <= kMostParts; ++i)
    params.push_back(
        {"size" + std::to_string(i), ParamKind::Integer, i <= 2, "elements of a part"});
  table.add({"split", "each row in parts, one behind the other", "a, b = split(x, size, size, ...)",
             params, buildSplit});
}

// The type of the parts joined, or null where their leading axes do not fit those of the widest
// one.
static ValueType joinedType(ValueRange parts) {
  Value widest = parts.front();
  Type dtype = valueType(parts.front()).getDtype();
  int64_t length = 0;
  for (Value part : parts) {
    if (valueType(part).getAxes().size() > valueType(widest).getAxes().size())
      widest = part;
    if (valueType(part).getDtype() != dtype)
      dtype = Float32Type::get(part.getContext());
    length += rowLength(part);
  }
  SmallVector<AxisAttr> axes(valueType(widest).getAxes().drop_back());
  bool ambiguous = false;
  for (Value part : parts)
    if (!matchAxes(valueType(part).getAxes().drop_back(), axes, ambiguous))
      return {};
  axes.push_back(axis(widest.getContext(), "", length));
  return ValueType::get(widest.getContext(), axes, dtype);
}

static Results buildConcat(OpBuilder &builder, Location loc, const Call &call) {
  SmallVector<Value> parts;
  for (unsigned i = 1; i <= kMostParts; ++i)
    if (std::string name = "part" + std::to_string(i); call.has(name))
      parts.push_back(call.value(name));
  for (Value part : parts)
    if (!hasRowAxis(part))
      return emitDiag(loc, Diag::rowAxis, "concat", axesStr(valueType(part).getAxes()));
  ValueType type = joinedType(parts);
  if (!type) {
    std::string axes;
    for (Value part : parts)
      axes += (axes.empty() ? "" : ", ") + axesStr(valueType(part).getAxes());
    return emitDiag(loc, Diag::concatAxes, axes);
  }
  return createChecked<ConcatOp>(builder, loc, type, parts);
}

static void addConcat(OpTable &table) {
  std::vector<ParamSpec> params;
  for (unsigned i = 1; i <= kMostParts; ++i)
    params.push_back({"part" + std::to_string(i), ParamKind::Value, i <= 2, "rows"});
  table.add({"concat", "rows one behind the other", "concat(x, y, ...)", params, buildConcat});
}

void registerPart(OpTable &table) {
  addSlice(table);
  addSplit(table);
  addConcat(table);
}

// --- x[a..b] ----------------------------------------------------------------------------------

LogicalResult SliceOp::verify() {
  if (failed(verifyRow(*this, "slice", getRow())))
    return failure();
  int64_t begin = getBegin(), end = getEnd(), row = rowLength(getRow());
  if (begin < 0 || end <= begin || end > row)
    return emitArgumentDiag(getLoc(), "dims", Diag::sliceRange, begin, end, row);
  ValueType result = valueType(getResult()), whole = valueType(getRow());
  if (result.getDtype() != whole.getDtype() || result.getAxes().empty() ||
      result.getAxes().drop_back() != whole.getAxes().drop_back() ||
      rowLength(getResult()) != end - begin)
    return emitOpError("result has the row's dtype and axes, less what is cut off");
  return success();
}

// Of a row in memory, of a part, or of one of joined rows: a shorter way to the same elements.
LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  int64_t begin = op.getBegin(), end = op.getEnd();
  Type type = op.getResult().getType();
  if (auto load = op.getRow().getDefiningOp<LoadOp>()) {
    if (isPackedDtype(cast<TensorType>(load.getTensor().getType()).getDtype()))
      return failure(); // elements that share a byte have no address
    auto first = rewriter.getI64IntegerAttr(load.getBegin().value_or(0) + begin);
    rewriter.replaceOpWithNewOp<LoadOp>(op, type, load.getTensor(), load.getIsRowAttr(), first);
    return success();
  }
  if (auto inner = op.getRow().getDefiningOp<SliceOp>()) {
    int64_t first = inner.getBegin();
    rewriter.replaceOpWithNewOp<SliceOp>(op, type, inner.getRow(), first + begin, first + end);
    return success();
  }
  auto joined = op.getRow().getDefiningOp<ConcatOp>();
  if (!joined)
    return failure();
  ValueType whole = valueType(op.getRow());
  int64_t first = 0;
  for (Value part : joined.getParts()) {
    int64_t last = first + rowLength(part);
    if (begin >= first && end <= last && valueType(part).getDtype() == whole.getDtype() &&
        valueType(part).getAxes().drop_back() == whole.getAxes().drop_back()) {
      rewriter.replaceOpWithNewOp<SliceOp>(op, type, part, begin - first, end - first);
      return success();
    }
    first = last;
  }
  return failure();
}

void SliceOp::getRowValues(SmallVectorImpl<Value> &rows) { rows.append({getRow(), getResult()}); }

void SliceOp::constrainSchedule(ScheduleWishes &wishes) {
  wishes.needsLds |= rowLength(getResult()) != rowLength(getRow());
}

OpCost SliceOp::getCost() { return {2, 20}; }

LogicalResult SliceOp::evaluate(Evaluation &evaluation) {
  const std::vector<float> x = evaluation.get(getRow()).numbers;
  const size_t row = rowLength(getRow()), length = rowLength(getResult());
  std::vector<float> &numbers = evaluation.define(getResult()).numbers;
  for (size_t from = getBegin(), to = 0; to < numbers.size(); from += row, to += length)
    std::copy_n(x.begin() + from, length, numbers.begin() + to);
  return success();
}

LogicalResult SliceOp::emit(Emitter &e) {
  Type dtype = e.heldDtype(getRow());
  Value row = e.get(getRow());
  e.setHeldDtype(getResult(), dtype);
  if (rowLength(getResult()) == rowLength(getRow())) {
    e.bind(getResult(), row);
    return success();
  }
  e.require("part.h");
  e.bind(getResult(), e.call("sliceRow",
                             {e.rowsName(getResult()), e.rowsName(getRow()),
                              std::to_string(getBegin()), Emitter::cType(dtype)},
                             {row}, e.fragType(getResult(), dtype)));
  return success();
}

// --- concat -----------------------------------------------------------------------------------

LogicalResult ConcatOp::verify() {
  if (getParts().empty())
    return emitOpError("joins at least one row");
  for (Value part : getParts())
    if (failed(verifyRow(*this, "concat", part)))
      return failure();
  if (joinedType(getParts()) != getResult().getType())
    return emitOpError("result has the axes of the widest part, and the length of all");
  return success();
}

void ConcatOp::getRowValues(SmallVectorImpl<Value> &rows) {
  llvm::append_range(rows, getParts());
  rows.push_back(getResult());
}

void ConcatOp::getJoinedRows(SmallVectorImpl<Value> &parts) {
  llvm::append_range(parts, getParts());
}

void ConcatOp::constrainSchedule(ScheduleWishes &wishes) { wishes.needsLds = true; }

OpCost ConcatOp::getCost() { return {2, 20}; }

LogicalResult ConcatOp::evaluate(Evaluation &evaluation) {
  ValueType type = valueType(getResult());
  std::vector<float> &numbers = evaluation.define(getResult()).numbers;
  const size_t row = rowLength(getResult());
  size_t begin = 0;
  for (Value part : getParts()) {
    SmallVector<AxisAttr> axes(type.getAxes().drop_back());
    axes.push_back(valueType(part).getAxes().back());
    const std::vector<float> x =
        evaluation.broadcastRows(part, ValueType::get(getContext(), axes, type.getDtype()));
    const size_t length = rowLength(part);
    for (size_t from = 0, to = begin; from < x.size(); from += length, to += row)
      std::copy_n(x.begin() + from, length, numbers.begin() + to);
    begin += length;
  }
  return success();
}

LogicalResult ConcatOp::emit(Emitter &e) {
  // Rows that all were loaded as one dtype stay in it.
  Type dtype = e.heldDtype(getParts().front());
  for (Value part : getParts())
    if (e.heldDtype(part) != dtype)
      dtype = Float32Type::get(getContext());
  e.require("part.h");
  e.setHeldDtype(getResult(), dtype);
  std::string type = e.fragType(getResult(), dtype);
  Value row = e.literal(type + "{}", type);
  int64_t begin = 0;
  for (Value part : getParts()) {
    row = e.call(
        "placeRow",
        {e.rowsName(getResult()), e.rowsName(part), std::to_string(begin), Emitter::cType(dtype)},
        {row, e.getStored(part, dtype)}, type);
    begin += rowLength(part);
  }
  e.bind(getResult(), row);
  return success();
}

} // namespace braid
