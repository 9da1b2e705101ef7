// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"
#include "codegen/reference/FloatFormat.h"
#include "codegen/reference/Numerics.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace braid {

// --- syntax -----------------------------------------------------------------------------------

// The type of the scales: the row's axes less the last, and for groups an unnamed axis of them.
static ValueType scaleType(Value row, std::optional<int64_t> group) {
  MLIRContext *context = row.getContext();
  SmallVector<AxisAttr> axes(valueType(row).getAxes());
  const int64_t length = axes.empty() || axes.back().isRuntime() ? 0 : axes.back().getExtent();
  if (!axes.empty())
    axes.pop_back();
  if (group)
    axes.push_back(axis(context, "", *group > 0 ? length / *group : 0));
  return ValueType::get(context, axes, Float32Type::get(context));
}

// The operand of `given(s)`; null for the other rules, which take none.
static FailureOr<Value> givenScale(OpBuilder &builder, Location loc, const Word &rule) {
  const bool wanted = rule.name == "given";
  if (rule.arguments.size() != (wanted ? 1 : 0))
    return emitArgumentDiag(loc, "scale", Diag::quantizeRuleArguments, rule.name,
                            wanted ? "one scale" : "nothing",
                            wanted ? "scale = given(s)" : "scale = " + rule.name);
  if (!wanted)
    return Value();
  const Argument &argument = rule.arguments.front();
  if (auto *number = std::get_if<Number>(&argument.payload))
    return ConstantOp::create(builder, argument.loc, number->value).getResult();
  return std::get<Value>(argument.payload);
}

static Results buildQuantize(OpBuilder &builder, Location loc, const Call &call) {
  Value x = call.value("x");
  const Word &rule = call.word("scale");
  FailureOr<Value> given = givenScale(builder, loc, rule);
  if (failed(given))
    return failure();
  auto number = [&](StringRef name) {
    return call.has(name) ? builder.getF64FloatAttr(call.number(name)) : FloatAttr();
  };
  std::optional<int64_t> group;
  if (call.has("group") && !call.isWord("group"))
    group = call.integer("group");
  const bool divide = call.has("value") && call.word("value").name == "divide";
  return createChecked<QuantizeOp>(
      builder, loc, withDtype(x, call.dtype("format")), scaleType(x, group), x, *given,
      ScaleRuleAttr::get(builder.getContext(), *symbolizeScaleRule(rule.name)), number("floor"),
      number("max"), group ? builder.getI64IntegerAttr(*group) : IntegerAttr(),
      divide ? builder.getUnitAttr() : UnitAttr());
}

void registerQuantize(OpTable &table) {
  table.add(
      {"quantize",
       "codes of a narrow float format, with a scale for each row or group",
       "codes, scale = quantize(x, format, scale = rule, floor = f [, max = m] "
       "[, group = row, 32, 64 or 128] [, value = multiply or divide])",
       {{"x", ParamKind::Value, true, "rows"},
        {"format", ParamKind::Dtype, true,
         "fp8, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz or f4e2m1"},
        {"scale",
         ParamKind::Word,
         true,
         "rule of the scale",
         {"ue8m0", "f32_divide", "f32_reciprocal", "given"}},
        {"floor", ParamKind::Number, false,
         "least amax, so that the scale of a zero row is finite"},
        {"max", ParamKind::Number, false, "largest code value; the format's by default"},
        {"group", ParamKind::WordOrInteger, false, "elements that share a scale", {"row"}},
        {"value", ParamKind::Word, false, "how a value meets the scale", {"multiply", "divide"}}},
       buildQuantize});
}

// --- rules ------------------------------------------------------------------------------------

// Formats that codes may have; `fp8` becomes one of them.
static bool isCodeFormat(Type dtype) {
  return isa<Fp8Type, Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType,
             Float4E2M1FNType>(dtype);
}

// Largest value of the format; for `fp8` the smaller of its flavours, until the target is known.
static double formatMax(Type dtype) {
  std::optional<DType> known = dtypeOf(dtype);
  return reference::largestFinite(known.value_or(DType::F8E4M3FNUZ));
}

// The scale of a group whose amax (or floor) is `amax`, for a rule that makes one.
static float ownScale(ScaleRule rule, float amax, float max) {
  switch (rule) {
  case ScaleRule::ue8m0:
    return reference::ue8m0Scale(amax, max);
  case ScaleRule::f32_divide:
    return amax / max;
  default:
    return amax * (1.0f / max);
  }
}

double QuantizeOp::getMaxValue() {
  std::optional<APFloat> max = getMax();
  return max ? max->convertToDouble() : formatMax(valueType(getCodes()).getDtype());
}

int64_t QuantizeOp::getElementsPerScale() { return getGroup().value_or(rowLength(getRow())); }

bool QuantizeOp::givenByGroup() {
  if (!getGiven() || !getGroup())
    return false;
  ArrayRef<AxisAttr> axes = valueType(getScale()).getAxes();
  bool ambiguous = false;
  auto places = matchAxes(valueType(getGiven()).getAxes(), axes, ambiguous);
  return places && !places->empty() && places->back() + 1 == axes.size();
}

// The scale of the floor is a normal number, for every flavour that `fp8` may mean. By each rule
// max * 2^-126 gives exactly 2^-126.
static LogicalResult verifyFloor(QuantizeOp op, float max) {
  const float floor = op.getFloor()->convertToDouble(), least = std::ldexp(max, -126);
  if (floor >= least && std::isfinite(floor))
    return success();
  return emitArgumentDiag(op.getLoc(), "floor", Diag::quantizeFloor,
                          op.getFloor()->convertToDouble(), op.getMaxValue(), least);
}

static LogicalResult verifyGiven(QuantizeOp op) {
  Value given = op.getGiven();
  if (op.getFloor())
    return emitArgumentDiag(op.getLoc(), "floor", Diag::quantizeGivenFloor);
  if (failed(verifyNumbers(op, given)))
    return failure();
  if (auto constant = given.getDefiningOp<ConstantOp>()) {
    const float scale = constant.getValue().convertToFloat();
    if (!std::isnormal(scale) || scale < 0)
      return emitArgumentDiag(op.getLoc(), "scale", Diag::quantizeGivenScale, scale);
  }
  ArrayRef<AxisAttr> axes = valueType(given).getAxes(),
                     scaleAxes = valueType(op.getScale()).getAxes();
  bool ambiguous = false;
  if (matchAxes(axes, scaleAxes, ambiguous))
    return success();
  return emitArgumentDiag(op.getLoc(), "scale",
                          ambiguous ? Diag::axesAmbiguous : Diag::axesDoNotMeet, axesStr(axes),
                          axesStr(scaleAxes));
}

static LogicalResult verifyGroup(QuantizeOp op) {
  const int64_t group = *op.getGroup(), length = rowLength(op.getRow());
  if (group != 32 && group != 64 && group != 128)
    return emitArgumentDiag(op.getLoc(), "group", Diag::quantizeGroup, group);
  return length % group == 0
             ? success()
             : emitArgumentDiag(op.getLoc(), "group", Diag::quantizeGroupLength, group, length);
}

LogicalResult QuantizeOp::verify() {
  if (failed(verifyRow(*this, "quantize", getRow())))
    return failure();
  Type format = valueType(getCodes()).getDtype();
  if (!isCodeFormat(format))
    return emitArgumentDiag(getLoc(), "format", Diag::quantizeFormat, dtypeName(format));
  double max = getMaxValue();
  double largest =
      isa<Fp8Type>(format) ? reference::largestFinite(DType::F8E4M3FN) : formatMax(format);
  // The largest finite f32 must have a scale, whose reciprocal must be a normal number: s <= 2^126.
  constexpr double kLeastMax = 4;
  if (!(max >= kLeastMax) || max > largest)
    return emitArgumentDiag(getLoc(), "max", Diag::quantizeMax, max, dtypeName(format), largest,
                            kLeastMax);
  if (getGroup() && failed(verifyGroup(*this)))
    return failure();
  if (isa<Float4E2M1FNType>(format) &&
      (getGroup() != std::optional<uint64_t>(32) || getRule() != ScaleRule::ue8m0))
    return emitArgumentDiag(getLoc(), "format", Diag::quantizeF4);
  ArrayRef<AxisAttr> axes = valueType(getRow()).getAxes();
  if (valueType(getCodes()).getAxes() != axes ||
      getScale().getType() != scaleType(getRow(), getGroup()))
    return emitOpError("codes have the row's axes; scales its axes less the last, and for groups "
                       "an unnamed one of the groups");
  if ((getRule() == ScaleRule::given) != (getGiven() != nullptr))
    return emitOpError("has an operand for its scales where their rule is given, and only there");
  if (getGiven())
    return verifyGiven(*this);
  if (!getFloor())
    return emitDiag(getLoc(), Diag::argumentMissing, "quantize", "floor",
                    "floor: least amax, so that the scale of a zero row is finite",
                    "floor = 1e-10");
  return verifyFloor(*this, isa<Fp8Type>(format) && !getMax() ? largest : max);
}

bool holdsPowersOfTwo(Value value) {
  if (auto load = value.getDefiningOp<LoadOp>())
    return load.getTensor().getDefiningOp<OperandOp>().getPowersOfTwo();
  auto quantize = value.getDefiningOp<QuantizeOp>();
  return quantize && quantize.getScale() == value && quantize.getRule() == ScaleRule::ue8m0;
}

void QuantizeOp::getRowValues(SmallVectorImpl<Value> &rows) {
  rows.append({getRow(), getCodes()});
  if (getGroup())
    rows.push_back(getScale());
  if (givenByGroup())
    rows.push_back(getGiven());
}

bool QuantizeOp::standsAlone() { return true; }

OpCost QuantizeOp::getCost() { return {2.5, 12}; }

// --- meaning ----------------------------------------------------------------------------------

LogicalResult QuantizeOp::evaluate(Evaluation &evaluation) {
  const std::vector<float> x = evaluation.get(getRow()).numbers;
  const DType format = *dtypeOf(valueType(getCodes()).getDtype());
  const size_t n = getElementsPerScale();
  const float max = getMaxValue();
  std::vector<float> scales;
  if (getGiven()) {
    scales = evaluation.broadcast(getGiven(), valueType(getScale()));
  } else {
    const float floor = getFloor()->convertToDouble();
    for (size_t at = 0; at + n <= x.size(); at += n)
      scales.push_back(ownScale(getRule(), std::max(reference::rowAmax({&x[at], n}), floor), max));
  }
  HostValue &codes = evaluation.define(getCodes());
  for (size_t i = 0; i < x.size(); ++i) {
    const float scale = scales[i / n];
    const float value = getDivide() ? x[i] / scale : x[i] * (1.0f / scale);
    codes.numbers[i] =
        static_cast<float>(reference::decode(format, reference::encodeUpTo(format, value, max)));
  }
  evaluation.define(getScale()).numbers = std::move(scales);
  return success();
}

// --- emission ---------------------------------------------------------------------------------

// With a scale of its own amax no value lies past max by more than a rounding error, and rounds to
// max where that is a number of the format. ue8m0 makes no rounding error.
static bool saturates(QuantizeOp op, DType format) {
  const float max = op.getMaxValue();
  return op.getRule() == ScaleRule::given ||
         (op.getRule() != ScaleRule::ue8m0 && reference::roundTo(format, max) != max);
}

// Groups of `size` elements in which one lane's part of a row lies.
static int64_t groupsPerLane(RowBits bits, int64_t size) {
  const int64_t registers = bits.letters.take_front(llvm::Log2_64(size)).count('r');
  return bits.perLane() >> registers;
}

// The call of templates/: `quantizeDivide<Rows, f8e4m3fn, ValueRule::divide>(x, floor, max)`.
LogicalResult QuantizeOp::emit(Emitter &e) {
  Type format = valueType(getCodes()).getDtype();
  const std::string c = Emitter::cType(format), rows = e.rowsName(getRow());
  const bool given = getRule() == ScaleRule::given, grouped = getGroup().has_value();
  // A scalar that another op takes as a row has no one value here.
  if (given && e.isRow(getGiven()) != givenByGroup())
    return emitArgumentDiag(
        getLoc(), "scale", Diag::notSupported, "a scale that another op takes as a row",
        "a given scale is one number for each row or group", "load it from an input of its own");
  const char *const names[][2] = {{"quantizeUe8m0", "quantizeGroupsUe8m0"},
                                  {"quantizeDivide", "quantizeGroupsDivide"},
                                  {"quantizeReciprocal", "quantizeGroupsReciprocal"},
                                  {"quantizeGiven", "quantizeGroupsGiven"}};
  SmallVector<std::string> templateArguments;
  if (!given || grouped)
    templateArguments.push_back(rows);
  if (grouped)
    templateArguments.push_back(std::to_string(*getGroup()));
  templateArguments.push_back(c);
  const bool cut = !given && saturates(*this, *dtypeOf(format));
  if (getRule() != ScaleRule::ue8m0 && (getDivide() || cut))
    templateArguments.push_back(getDivide() ? "ValueRule::divide" : "ValueRule::multiply");
  if (cut)
    templateArguments.push_back("true");

  const RowBits bits = e.bits(getRow());
  const std::string count =
      grouped ? std::to_string(groupsPerLane(bits, *getGroup())) : std::string();
  const std::string scalesType = grouped ? "Frag<f32, " + count + ">" : "f32";
  const std::string type = (grouped ? "QuantizedGroups<" : "Quantized<") + c + ", " +
                           std::to_string(bits.perLane()) + (grouped ? ", " + count : "") + ">";
  const std::string name = e.nameOf(getCodes(), "row") + "_quantized";
  Value factor;
  if (!given)
    factor = e.number(getFloor()->convertToDouble());
  else if (givenByGroup())
    factor = e.call("groupScales", {rows, e.rowsName(getGiven()), std::to_string(*getGroup())},
                    {e.get(getGiven()), e.lane(getRow())}, scalesType, name + "_scales");
  else
    factor = e.getNumber(getGiven());
  e.require(grouped ? "quantize_groups.h" : "quantize.h");
  Value quantized = e.structCall(names[static_cast<int>(getRule())][grouped], templateArguments,
                                 {e.get(getRow()), factor, e.number(getMaxValue())}, type, name);
  e.setHeldDtype(getCodes(), format);
  e.bind(getCodes(), e.member(quantized, "codes", e.fragType(getCodes(), format)));
  Type f32 = Float32Type::get(getContext());
  e.setHeldDtype(getScale(), f32);
  Value scale = e.member(quantized, "scale", scalesType);
  if (grouped && !getScale().use_empty())
    scale = e.call("scaleRow", {rows, e.rowsName(getScale()), std::to_string(*getGroup())},
                   {scale, e.lane(getScale())}, e.fragType(getScale(), f32));
  e.bind(getScale(), scale);
  return success();
}

} // namespace braid
