// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"
#include "codegen/reference/FloatFormat.h"
#include "codegen/reference/Numerics.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace braid {

void registerQuantize(OpTable &table) {
  table.add(
      {"quantize",
       "codes of an fp8 format and one scale for each row",
       "codes, scale = quantize(x, format, scale = ue8m0, floor = f [, max = m])",
       {{"x", ParamKind::Value, true, "rows"},
        {"format", ParamKind::Dtype, true, "fp8, f8e4m3fn or f8e4m3fnuz"},
        {"scale", ParamKind::Word, true, "rule of the scale", {"ue8m0"}},
        {"floor", ParamKind::Number, true, "least amax, so that the scale of a zero row is finite"},
        {"max", ParamKind::Number, false, "largest code value; the format's by default"}},
       [](OpBuilder &builder, Location loc, const Call &call) -> Results {
         Value x = call.value("x");
         ArrayRef<AxisAttr> axes = valueType(x).getAxes();
         auto scale = ValueType::get(builder.getContext(), axes.drop_back(axes.empty() ? 0 : 1),
                                     builder.getF32Type());
         FloatAttr max =
             call.has("max") ? builder.getF64FloatAttr(call.number("max")) : FloatAttr();
         return createChecked<QuantizeOp>(
             builder, loc, withDtype(x, call.dtype("format")), scale, x,
             ScaleRuleAttr::get(builder.getContext(), *symbolizeScaleRule(call.word("scale").name)),
             builder.getF64FloatAttr(call.number("floor")), max);
       }});
}

// Formats whose encoders exist in templates/; `fp8` becomes one of them.
static bool isCodeFormat(Type dtype) {
  return isa<Fp8Type, Float8E4M3FNType, Float8E4M3FNUZType>(dtype);
}

// Largest value of the format; for `fp8` the smaller of its flavours, until the target is known.
static double formatMax(Type dtype) {
  std::optional<DType> known = dtypeOf(dtype);
  return reference::largestFinite(known.value_or(DType::F8E4M3FNUZ));
}

double QuantizeOp::getMaxValue() {
  std::optional<APFloat> max = getMax();
  return max ? max->convertToDouble() : formatMax(valueType(getCodes()).getDtype());
}

LogicalResult QuantizeOp::verify() {
  if (failed(verifyRow(*this, "quantize", getRow())))
    return failure();
  Type format = valueType(getCodes()).getDtype();
  if (!isCodeFormat(format))
    return emitArgumentDiag(getLoc(), "format", Diag::quantizeFormat, dtypeName(format));
  double max = getMaxValue();
  bool fnFormat = isa<Fp8Type, Float8E4M3FNType>(format);
  double largest = fnFormat ? reference::largestFinite(DType::F8E4M3FN) : formatMax(format);
  // The largest finite f32 must have a scale, whose reciprocal must be a normal number: s <= 2^126.
  constexpr double kLeastMax = 4;
  if (!(max >= kLeastMax) || max > largest)
    return emitArgumentDiag(getLoc(), "max", Diag::quantizeMax, max, dtypeName(format), largest,
                            kLeastMax);
  // s >= floor / max, and s must be a normal number for every flavour that `fp8` may mean.
  double least = std::ldexp(isa<Fp8Type>(format) && !getMax() ? largest : max, -126);
  double floor = getFloor().convertToDouble();
  if (!(floor >= least) || !std::isfinite(static_cast<float>(floor)))
    return emitArgumentDiag(getLoc(), "floor", Diag::quantizeFloor, floor, max, least);
  ArrayRef<AxisAttr> axes = valueType(getRow()).getAxes();
  if (valueType(getCodes()).getAxes() != axes ||
      getScale().getType() !=
          ValueType::get(getContext(), axes.drop_back(), Float32Type::get(getContext())))
    return emitOpError("codes have the row's axes, scales its axes less the last");
  return success();
}

bool holdsPowersOfTwo(Value value) {
  if (auto load = value.getDefiningOp<LoadOp>())
    return load.getTensor().getDefiningOp<OperandOp>().getPowersOfTwo();
  auto quantize = value.getDefiningOp<QuantizeOp>();
  return quantize && quantize.getScale() == value && quantize.getRule() == ScaleRule::ue8m0;
}

void QuantizeOp::getRowValues(SmallVectorImpl<Value> &rows) { rows.append({getRow(), getCodes()}); }

bool QuantizeOp::standsAlone() { return true; }

OpCost QuantizeOp::getCost() { return {2.5, 12}; }

LogicalResult QuantizeOp::evaluate(Evaluation &evaluation) {
  const std::vector<float> x = evaluation.get(getRow()).numbers;
  size_t n = rowLength(getRow());
  DType format = *dtypeOf(valueType(getCodes()).getDtype());
  float floor = getFloor().convertToDouble(), max = getMaxValue();
  evaluation.define(getScale());
  HostValue &codes = evaluation.define(getCodes());
  std::vector<float> scales;
  for (size_t at = 0; at + n <= x.size(); at += n) {
    float amax = reference::rowAmax({&x[at], n});
    float scale = reference::ue8m0Scale(std::max(amax, floor), max);
    scales.push_back(scale);
    float inverse = 1.0f / scale;
    for (size_t i = 0; i < n; ++i) {
      uint32_t code = reference::encodeUpTo(format, x[at + i] * inverse, max);
      codes.numbers[at + i] = static_cast<float>(reference::decode(format, code));
    }
  }
  evaluation.define(getScale()).numbers = std::move(scales);
  return success();
}

LogicalResult QuantizeOp::emit(Emitter &e) {
  e.require("quantize.h");
  Type format = valueType(getCodes()).getDtype();
  std::string c = Emitter::cType(format);
  std::string type = "Quantized<" + c + ", " + std::to_string(e.bits(getRow()).perLane()) + ">";
  Value quantized = e.structCall(
      "quantizeUe8m0", {e.rowsName(getRow()), c},
      {e.get(getRow()), e.number(getFloor().convertToDouble()), e.number(getMaxValue())}, type,
      e.nameOf(getCodes(), "row") + "_quantized");
  e.setHeldDtype(getCodes(), format);
  e.bind(getCodes(), e.member(quantized, "codes", e.fragType(getCodes(), format)));
  e.setHeldDtype(getScale(), Float32Type::get(getContext()));
  e.bind(getScale(), e.member(quantized, "scale", "f32"));
  return success();
}

} // namespace braid
