// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"

using namespace mlir;

namespace braid {

// A load is not called by name: a tensor used as a value is its load.
void registerLoad(OpTable &) {}

// Float dtypes are read as f32; indices keep their type.
static Type loadedDtype(Type dtype) {
  return isa<IntegerType>(dtype) ? dtype : Float32Type::get(dtype.getContext());
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value tensor) {
  auto type = cast<TensorType>(tensor.getType());
  build(builder, state,
        ValueType::get(builder.getContext(), type.getAxes(), loadedDtype(type.getDtype())), tensor,
        BoolAttr(), IntegerAttr());
}

// What an earlier kernel of a grouping has stored: kept in its own dtype, or scales as e8m0.
static bool isStoredValue(OperandOp operand, Type dtype, Type loaded) {
  if (isa<Float8E8M0FNUType>(dtype))
    return operand.getPowersOfTwo() && loaded.isF32();
  return loaded == dtype;
}

LogicalResult LoadOp::verify() {
  if (failed(verifyOperand(*this, getTensor(),
                           {OperandRole::input, OperandRole::inout, OperandRole::workspace})))
    return failure();
  auto tensor = cast<TensorType>(getTensor().getType());
  auto result = valueType(getResult());
  bool stored =
      isStoredValue(getTensor().getDefiningOp<OperandOp>(), tensor.getDtype(), result.getDtype());
  if (!stored && failed(verifyReadable(*this, getTensor())))
    return failure();
  if (!stored && result.getDtype() != loadedDtype(tensor.getDtype()))
    return emitOpError("result is f32 or has the tensor's dtype");
  if (getBegin())
    return verifyPart(*this, result, tensor, *getBegin());
  return result.getAxes() == tensor.getAxes() ? success()
                                              : emitOpError("result has the tensor's axes");
}

// A part of a row is one.
void LoadOp::getRowValues(SmallVectorImpl<Value> &rows) {
  if (getBegin())
    rows.push_back(getResult());
}

std::optional<int64_t> LoadOp::getRowBegin() { return getBegin(); }
bool LoadOp::isElementwise() { return true; }
OpCost LoadOp::getCost() { return {0.125, 1}; }

Type exactDtype(Value value) {
  if (auto load = value.getDefiningOp<LoadOp>())
    return cast<TensorType>(load.getTensor().getType()).getDtype();
  return valueType(value).getDtype();
}

LogicalResult LoadOp::evaluate(Evaluation &evaluation) {
  const HostArray &array = evaluation.operand(getTensor());
  HostValue &result = evaluation.define(getResult());
  // The bound tensor may be longer than the count: read by index, not by position.
  HostArray used = array;
  used.extents.assign(result.extents.begin(), result.extents.end());
  if (getBegin())
    used.first += *getBegin() * used.strides.back();
  forEachElement(used, [&](int64_t i, int64_t offset) {
    if (result.indices.empty())
      result.numbers[i] = readNumber(used, offset);
    else
      result.indices[i] = readIndex(used, offset);
  });
  return success();
}

// A scalar is read as f32; a value of 16 bits is made one again, which changes nothing.
static void emitScalar(LoadOp load, Emitter &e, Value address, StringRef name) {
  Type tensorDtype = cast<TensorType>(load.getTensor().getType()).getDtype();
  Type dtype = valueType(load.getResult()).getDtype();
  if (isa<Float8E8M0FNUType>(tensorDtype))
    e.require("scale.h");
  bool narrow = isa<FloatType>(dtype) && !dtype.isF32();
  Value loaded = e.call("loadScalar", {}, {address}, narrow ? "f32" : Emitter::cType(dtype),
                        narrow ? "" : name);
  if (narrow)
    loaded = e.call("roundTo", {Emitter::cType(dtype)}, {loaded}, Emitter::cType(dtype), name);
  e.bind(load.getResult(), loaded);
}

LogicalResult LoadOp::emit(Emitter &e) {
  Type dtype = cast<TensorType>(getTensor().getType()).getDtype();
  StringRef name = getTensor().getDefiningOp<OperandOp>().getName();
  bool row = e.isRow(getResult());
  if (!row && isPackedDtype(dtype))
    return emitDiag(getLoc(), Diag::packedScalar, name.str(), dtypeName(dtype));
  Value address = e.address(getTensor(), row, getBegin().value_or(0));
  e.setHeldDtype(getResult(), row ? dtype : valueType(getResult()).getDtype());
  if (row)
    e.bind(getResult(), e.call("loadRow", e.rowArguments(getResult(), getTensor(), getBegin()),
                               {address, e.lane(getResult())}, e.fragType(getResult(), dtype),
                               (name + "_row").str()));
  else
    emitScalar(*this, e, address, (name + "_value").str());
  return success();
}

} // namespace braid
