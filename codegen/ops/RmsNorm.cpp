// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"
#include "codegen/reference/Numerics.h"

using namespace mlir;

namespace braid {

void registerRmsNorm(OpTable &table) {
  table.add({"rms_norm",
             "root mean square normalisation of each row, with a weight",
             "rms_norm(x, gamma, eps, weight = plain | one_plus)",
             {{"x", ParamKind::Value, true, "rows"},
              {"gamma", ParamKind::Value, true, "weight, one for each element of a row"},
              {"eps", ParamKind::Number, true, "added to the mean square"},
              {"weight",
               ParamKind::Word,
               true,
               "what multiplies: gamma, or 1 + gamma",
               {"plain", "one_plus"}}},
             [](OpBuilder &builder, Location loc, const Call &call) -> Results {
               Value x = call.value("x");
               return createChecked<RmsNormOp>(
                   builder, loc, asF32(x), x, call.value("gamma"),
                   builder.getF64FloatAttr(call.number("eps")),
                   NormWeightAttr::get(builder.getContext(),
                                       *symbolizeNormWeight(call.word("weight").name)));
             }});
  table.add({"rms_rstd",
             "1 / sqrt(mean square + eps) of each row",
             "rms_rstd(x, eps)",
             {{"x", ParamKind::Value, true, "rows"},
              {"eps", ParamKind::Number, true, "added to the mean square"}},
             [](OpBuilder &builder, Location loc, const Call &call) -> Results {
               Value x = call.value("x");
               return createChecked<RmsRstdOp>(builder, loc, scalarOfRow(x), x,
                                               builder.getF64FloatAttr(call.number("eps")));
             }});
}

// --- rms_rstd ---------------------------------------------------------------------------------

LogicalResult RmsRstdOp::verify() {
  if (failed(verifyRow(*this, "rms_rstd", getRow())) || failed(verifyEps(*this, getEps())))
    return failure();
  return getResult().getType() == scalarOfRow(getRow())
             ? success()
             : emitOpError("result is f32 over the row's axes less the last");
}

void RmsRstdOp::getRowValues(SmallVectorImpl<Value> &rows) { rows.push_back(getRow()); }
OpCost RmsRstdOp::getCost() { return {2, 25}; }

static float rstdOf(std::span<const float> row, const APFloat &eps) {
  std::vector<float> squares;
  for (float x : row)
    squares.push_back(x * x);
  float mean = reference::treeSum(squares) / static_cast<float>(row.size());
  return reference::reciprocalSqrt(mean + static_cast<float>(eps.convertToDouble()));
}

LogicalResult RmsRstdOp::evaluate(Evaluation &evaluation) {
  const std::vector<float> &x = evaluation.get(getRow()).numbers;
  size_t n = rowLength(getRow());
  HostValue &result = evaluation.define(getResult());
  for (size_t i = 0; i < result.numbers.size(); ++i)
    result.numbers[i] = rstdOf({&x[i * n], n}, getEps());
  return success();
}

LogicalResult RmsRstdOp::emit(Emitter &e) {
  e.require("rms_norm.h");
  e.setHeldDtype(getResult(), Float32Type::get(getContext()));
  e.bind(getResult(), e.call("rmsRstd", {e.rowsName(getRow())},
                             {e.get(getRow()), e.number(getEps().convertToDouble())}, "f32"));
  return success();
}

// --- rms_norm ---------------------------------------------------------------------------------

LogicalResult RmsNormOp::verify() {
  if (failed(verifyRow(*this, "rms_norm", getRow())) ||
      failed(verifyRow(*this, "rms_norm", getGamma())) ||
      failed(verifyWeight(*this, "gamma", getGamma(), getRow())) ||
      failed(verifyEps(*this, getEps())))
    return failure();
  return getResult().getType() == asF32(getRow())
             ? success()
             : emitOpError("result is f32 over the row's axes");
}

void RmsNormOp::getRowValues(SmallVectorImpl<Value> &rows) {
  rows.append({getRow(), getGamma(), getResult()});
}

bool RmsNormOp::standsAlone() { return true; }
OpCost RmsNormOp::getCost() { return {getWeight() == NormWeight::one_plus ? 5.0 : 4.0, 25}; }

LogicalResult RmsNormOp::evaluate(Evaluation &evaluation) {
  const std::vector<float> x = evaluation.get(getRow()).numbers;
  const std::vector<float> gamma = evaluation.broadcastRows(getGamma(), asF32(getRow()));
  size_t n = rowLength(getRow());
  HostValue &result = evaluation.define(getResult());
  for (size_t at = 0; at < x.size(); at += n) {
    float rstd = rstdOf({&x[at], n}, getEps());
    for (size_t i = at; i < at + n; ++i) {
      float weight = getWeight() == NormWeight::one_plus ? 1.0f + gamma[i] : gamma[i];
      float normed = x[i] * rstd;
      result.numbers[i] = normed * weight;
    }
  }
  return success();
}

LogicalResult RmsNormOp::emit(Emitter &e) {
  e.require("rms_norm.h");
  Type f32 = Float32Type::get(getContext());
  e.setHeldDtype(getResult(), f32);
  e.bind(getResult(),
         e.call("rmsNorm",
                {e.rowsName(getRow()), "NormWeight::" + stringifyNormWeight(getWeight()).str()},
                {e.get(getRow()), e.get(getGamma()), e.number(getEps().convertToDouble())},
                e.fragType(getResult(), f32)));
  return success();
}

} // namespace braid
