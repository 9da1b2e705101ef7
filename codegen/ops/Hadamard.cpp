// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/ops/OpRegistration.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace braid {

void registerHadamard(OpTable &table) {
  table.add({"hadamard",
             "Walsh-Hadamard transform of each row, times a constant",
             "hadamard(x, scale)",
             {{"x", ParamKind::Value, true, "rows of a power of two of elements"},
              {"scale", ParamKind::Number, true, "a constant, often 1 / sqrt(row length)"}},
             [](OpBuilder &builder, Location loc, const Call &call) -> Results {
               Value x = call.value("x");
               return createChecked<HadamardOp>(builder, loc, asF32(x), x,
                                                builder.getF64FloatAttr(call.number("scale")));
             }});
}

LogicalResult HadamardOp::verify() {
  if (failed(verifyRow(*this, "hadamard", getRow())))
    return failure();
  int64_t length = rowLength(getRow());
  if (!llvm::isPowerOf2_64(length))
    return emitArgumentDiag(getLoc(), "x", Diag::hadamardRow, length,
                            llvm::PowerOf2Ceil(std::max<int64_t>(length, 1)));
  double scale = getScale().convertToDouble();
  if (!std::isfinite(static_cast<float>(scale)))
    return emitArgumentDiag(getLoc(), "scale", Diag::hadamardScale, scale);
  return getResult().getType() == asF32(getRow())
             ? success()
             : emitOpError("result is f32 over the row's axes");
}

void HadamardOp::getRowValues(SmallVectorImpl<Value> &rows) {
  rows.append({getRow(), getResult()});
}

bool HadamardOp::standsAlone() { return true; }
OpCost HadamardOp::getCost() { return {1.5 * llvm::Log2_64(rowLength(getRow())) + 1, 0}; }

// By the recursion that defines the matrix: H(2n) = [H(n) H(n); H(n) -H(n)].
static void transform(float *row, int64_t length) {
  int64_t half = length / 2;
  if (half == 0)
    return;
  transform(row, half);
  transform(row + half, half);
  for (int64_t i = 0; i < half; ++i) {
    float a = row[i], b = row[half + i];
    row[i] = a + b;
    row[half + i] = a - b;
  }
}

LogicalResult HadamardOp::evaluate(Evaluation &evaluation) {
  std::vector<float> x = evaluation.get(getRow()).numbers;
  int64_t n = rowLength(getRow());
  float scale = getScale().convertToDouble();
  for (size_t at = 0; at < x.size(); at += n)
    transform(&x[at], n);
  HostValue &result = evaluation.define(getResult());
  for (size_t i = 0; i < x.size(); ++i)
    result.numbers[i] = x[i] * scale;
  return success();
}

LogicalResult HadamardOp::emit(Emitter &e) {
  e.require("hadamard.h");
  Type f32 = Float32Type::get(getContext());
  e.setHeldDtype(getResult(), f32);
  e.bind(getResult(),
         e.call("hadamard", {e.rowsName(getRow())},
                {e.get(getRow()), e.number(getScale().convertToDouble()), e.lane(getRow())},
                e.fragType(getResult(), f32)));
  return success();
}

} // namespace braid
