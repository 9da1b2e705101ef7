// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"
#include "codegen/reference/Numerics.h"

using namespace mlir;

namespace braid {

void registerLayerNorm(OpTable &table) {
  table.add({"layer_norm",
             "layer normalisation of each row, with weight and bias",
             "layer_norm(x, gamma, beta, eps)",
             {{"x", ParamKind::Value, true, "rows"},
              {"gamma", ParamKind::Value, true, "weight, one for each element of a row"},
              {"beta", ParamKind::Value, true, "bias, one for each element of a row"},
              {"eps", ParamKind::Number, true, "added to the variance"}},
             [](OpBuilder &builder, Location loc, const Call &call) -> Results {
               Value x = call.value("x");
               return createChecked<LayerNormOp>(builder, loc, asF32(x), x, call.value("gamma"),
                                                 call.value("beta"),
                                                 builder.getF64FloatAttr(call.number("eps")));
             }});
}

LogicalResult LayerNormOp::verify() {
  for (Value value : {getRow(), getGamma(), getBeta()})
    if (failed(verifyRow(*this, "layer_norm", value)))
      return failure();
  if (failed(verifyWeight(*this, "gamma", getGamma(), getRow())) ||
      failed(verifyWeight(*this, "beta", getBeta(), getRow())) || failed(verifyEps(*this, getEps())))
    return failure();
  if (getResult().getType() != asF32(getRow()))
    return emitOpError("result is f32 over the row's axes");
  return success();
}

void LayerNormOp::getRowValues(SmallVectorImpl<Value> &rows) {
  rows.append({getRow(), getGamma(), getBeta(), getResult()});
}

bool LayerNormOp::standsAlone() { return true; }

OpCost LayerNormOp::getCost() { return {5, 30}; }

LogicalResult LayerNormOp::evaluate(Evaluation &evaluation) {
  ValueType type = asF32(getRow());
  const std::vector<float> x = evaluation.get(getRow()).numbers;
  const std::vector<float> gamma = evaluation.broadcastRows(getGamma(), type);
  const std::vector<float> beta = evaluation.broadcastRows(getBeta(), type);
  size_t n = rowLength(getRow());
  float count = n, eps = getEps().convertToDouble();
  HostValue &result = evaluation.define(getResult());
  std::vector<float> d(n), squares(n);
  for (size_t at = 0; at + n <= x.size(); at += n) {
    float mean = reference::treeSum({&x[at], n}) / count;
    for (size_t i = 0; i < n; ++i) {
      d[i] = x[at + i] - mean;
      squares[i] = d[i] * d[i];
    }
    float variance = reference::treeSum(squares) / count;
    float rstd = reference::reciprocalSqrt(variance + eps);
    for (size_t i = 0; i < n; ++i)
      result.numbers[at + i] = reference::fma(d[i] * rstd, gamma[at + i], beta[at + i]);
  }
  return success();
}

LogicalResult LayerNormOp::emit(Emitter &e) {
  e.require("layer_norm.h");
  Type f32 = Float32Type::get(getContext());
  e.setHeldDtype(getResult(), f32);
  e.bind(getResult(), e.call("layerNorm", {e.rowsName(getRow())},
                             {e.get(getRow()), e.get(getGamma()), e.get(getBeta()),
                              e.number(getEps().convertToDouble())},
                             e.fragType(getResult(), f32)));
  return success();
}

} // namespace braid
