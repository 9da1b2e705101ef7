// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/emit/Signature.h"
#include "codegen/ops/OpRegistration.h"

#include <algorithm>

using namespace mlir;

namespace braid {

// `table[pos]` has its own syntax.
void registerGather(OpTable &) {}

// True for an axis between a table's first and its last that its rows do not have: a literal 1.
static bool isDropped(TensorType table, size_t axis) {
  AxisAttr attr = table.getAxes()[axis];
  return axis > 0 && axis + 1 < table.getAxes().size() && !attr.isNamed() && attr.getExtent() == 1;
}

// The positions' axes, then the row of the table.
static ValueType gatheredType(TensorType table, ValueType position) {
  SmallVector<AxisAttr> axes(position.getAxes());
  for (size_t i = 1; i < table.getAxes().size(); ++i)
    if (!isDropped(table, i))
      axes.push_back(table.getAxes()[i]);
  return ValueType::get(table.getContext(), axes, Float32Type::get(table.getContext()));
}

void GatherOp::build(OpBuilder &builder, OperationState &state, Value table, Value position) {
  build(builder, state, gatheredType(cast<TensorType>(table.getType()), valueType(position)), table,
        position);
}

LogicalResult GatherOp::verify() {
  if (failed(verifyOperand(*this, getTable(), {OperandRole::input})))
    return failure();
  auto table = cast<TensorType>(getTable().getType());
  auto position = valueType(getPosition());
  if (!position.getDtype().isInteger(32) && !position.getDtype().isInteger(64))
    return emitDiag(getLoc(), Diag::indexDtype, dtypeName(position.getDtype()));
  if (table.getAxes().size() < 2 || !table.getAxes().front().isRuntime())
    return emitDiag(getLoc(), Diag::gatherTable,
                    getTable().getDefiningOp<OperandOp>().getName().str());
  if (!isFloatDtype(table.getDtype()))
    return emitDiag(getLoc(), Diag::notAnIndex, dtypeName(table.getDtype()));
  if (getResult().getType() != gatheredType(table, position))
    return emitOpError("result is f32 over the positions' axes and the table's row");
  if (isPackedDtype(table.getDtype())) // a row of a table is loaded by whoever needs it
    return emitDiag(getLoc(), Diag::loadDtype, dtypeName(table.getDtype()),
                    getTable().getDefiningOp<OperandOp>().getName().str());
  return verifyReadable(*this, getTable());
}

void GatherOp::getIndices(SmallVectorImpl<IndexUse> &indices) {
  indices.push_back({getPosition(), getTable()});
}

void GatherOp::getRowValues(SmallVectorImpl<Value> &rows) { rows.push_back(getResult()); }
OpCost GatherOp::getCost() { return {0.125, 6}; }

LogicalResult GatherOp::evaluate(Evaluation &evaluation) {
  const HostArray &table = evaluation.operand(getTable());
  const HostValue &position = evaluation.get(getPosition());
  HostValue &result = evaluation.define(getResult());
  int64_t tableRows = table.extents.front();
  int64_t width = position.count() ? result.count() / position.count() : 0;
  for (int64_t i = 0, e = position.count(); i < e; ++i) {
    int64_t row = std::clamp<int64_t>(position.indices[i], 0, std::max<int64_t>(tableRows - 1, 0));
    for (int64_t j = 0; j < width; ++j)
      result.numbers[i * width + j] = readNumber(table, table.offsetOf(row * width + j));
  }
  return success();
}

LogicalResult GatherOp::emit(Emitter &e) {
  auto table = cast<TensorType>(getTable().getType());
  e.require("page.h");
  Value position = e.get(getPosition());
  Value rows = e.arguments().tableRows.lookup(getTable());
  Value row = e.call("clampIndex", {}, {position, rows}, "u32");
  SmallVector<Value> strides = e.arguments().strides.lookup(getTable());
  Value offset = e.binary('*', e.cast("u64", row), strides[0], "u64");
  // Axes of the table behind its first are axes of the rows.
  SmallVector<Value> indices = e.indices(valueType(getResult()).getAxes().drop_back());
  size_t next = valueType(getPosition()).getAxes().size();
  for (size_t axis = 1; axis + 1 < table.getAxes().size(); ++axis)
    if (!isDropped(table, axis))
      offset = e.binary('+', offset, e.binary('*', e.cast("u64", indices[next++]), strides[axis], "u64"),
                        "u64");
  StringRef name = getTable().getDefiningOp<OperandOp>().getName();
  Value pointer = e.binary('+', e.arguments().pointer.lookup(getTable()), offset,
                           ("const " + Twine(Emitter::cType(table.getDtype())) + "*").str(),
                           (name + "_row").str());
  e.bindPointer(getResult(), pointer, table.getDtype(), tableAlignment(table));
  return success();
}

} // namespace braid
