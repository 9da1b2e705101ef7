// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"

#include <fmt/format.h>

#include <cmath>

using namespace mlir;

namespace braid {

OpTable::OpTable() {
#define BRAID_OP_FAMILY(Name) register##Name(*this);
#include "codegen/ops/OpFamilies.inc"
#undef BRAID_OP_FAMILY
}

const OpTable &OpTable::get() {
  static const OpTable table;
  return table;
}

void OpTable::add(OpSpec spec) { ops.push_back(std::move(spec)); }

const OpSpec *OpTable::find(StringRef name) const {
  for (const OpSpec &spec : ops)
    if (spec.name == name)
      return &spec;
  return nullptr;
}

LogicalResult verifyNumbers(Operation *op, Value value) {
  Type dtype = valueType(value).getDtype();
  return isFloatDtype(dtype) ? success()
                             : emitDiag(op->getLoc(), Diag::notAnIndex, dtypeName(dtype));
}

LogicalResult verifyOperand(Operation *op, Value handle, ArrayRef<OperandRole> roles) {
  auto operand = handle.getDefiningOp<OperandOp>();
  if (!operand)
    return op->emitOpError("reads and writes operands that braid.operand declares");
  return llvm::is_contained(roles, operand.getRole())
             ? success()
             : op->emitOpError("cannot use the ") << stringifyOperandRole(operand.getRole()) << " `"
                                                  << operand.getName() << "` so";
}

LogicalResult verifyReadable(Operation *op, Value tensor) {
  Type dtype = cast<TensorType>(tensor.getType()).getDtype();
  bool readable = dtype.isInteger(32) || dtype.isInteger(64) ||
                  (isFloatDtype(dtype) && !isa<Float8E8M0FNUType>(dtype));
  return readable ? success()
                  : emitDiag(op->getLoc(), Diag::loadDtype, dtypeName(dtype),
                             tensor.getDefiningOp<OperandOp>().getName().str());
}

LogicalResult verifyPart(Operation *op, ValueType value, TensorType tensor, int64_t begin) {
  if (isPackedDtype(tensor.getDtype()))
    return op->emitOpError("cannot take a part of rows whose elements share bytes");
  ArrayRef<AxisAttr> part = value.getAxes(), whole = tensor.getAxes();
  bool fits = !part.empty() && part.size() == whole.size() && !whole.back().isRuntime() &&
              !part.back().isRuntime() && begin >= 0 &&
              begin <= whole.back().getExtent() - part.back().getExtent();
  for (size_t i = 0; fits && i + 1 < part.size(); ++i)
    fits = part[i].matches(whole[i]);
  return fits ? success() : op->emitOpError("takes a part of the tensor's rows");
}

LogicalResult verifyRow(Operation *op, StringRef name, Value value) {
  ArrayRef<AxisAttr> axes = valueType(value).getAxes();
  if (axes.empty() || axes.back().isRuntime())
    return emitDiag(op->getLoc(), Diag::rowAxis, name.str(), axesStr(axes));
  return verifyNumbers(op, value);
}

LogicalResult verifyLeadingAxes(Operation *op, Value inner, Value row) {
  ArrayRef<AxisAttr> innerAxes = valueType(inner).getAxes().drop_back();
  ArrayRef<AxisAttr> rowAxes = valueType(row).getAxes().drop_back();
  bool ambiguous = false;
  if (matchAxes(innerAxes, rowAxes, ambiguous))
    return success();
  if (ambiguous)
    return emitDiag(op->getLoc(), Diag::axesAmbiguous, axesStr(innerAxes), axesStr(rowAxes));
  return emitDiag(op->getLoc(), Diag::axesDoNotMeet, axesStr(innerAxes), axesStr(rowAxes));
}

LogicalResult verifyWeight(Operation *op, StringRef name, Value weight, Value row) {
  if (rowLength(weight) != rowLength(row))
    return emitArgumentDiag(op->getLoc(), name, Diag::normWeights, name, rowLength(weight),
                            rowLength(row));
  return verifyLeadingAxes(op, weight, row);
}

LogicalResult verifyEps(Operation *op, const APFloat &eps) {
  double value = eps.convertToDouble();
  if (std::isfinite(static_cast<float>(value)) && value >= 0)
    return success();
  return emitArgumentDiag(op->getLoc(), "eps", Diag::epsValue, value);
}

std::string f32Literal(double value) {
  // Infinity and NaN have no literal; the builtins exist in every front end.
  if (std::isinf(static_cast<float>(value)))
    return value > 0 ? "__builtin_inff()" : "-__builtin_inff()";
  if (std::isnan(value))
    return "__builtin_nanf(\"\")";
  // fmt prints the shortest decimal that reads back; C++ wants a point or an exponent before the f.
  std::string text = fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text + "f";
}

} // namespace braid
