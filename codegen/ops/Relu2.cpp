// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// relu2(x) = max(x, 0) * max(x, 0): 0 for NaN, as max gives the operand that is a number.

#include "codegen/ops/ElementwiseOp.h"
#include "codegen/reference/Numerics.h"

using namespace mlir;

namespace braid {

void registerRelu2(OpTable &table) {
  addElementwise<Relu2Op>(table, "relu2", "max(a, 0) squared", {"a"});
}

LogicalResult Relu2Op::verify() { return verifyElementwise(*this); }
void Relu2Op::getRowValues(SmallVectorImpl<Value> &) {}
bool Relu2Op::isElementwise() { return true; }
OpCost Relu2Op::getCost() { return {2, 0}; }

LogicalResult Relu2Op::evaluate(Evaluation &evaluation) {
  return evaluateElementwise(*this, evaluation, [](ArrayRef<float> x) -> float {
    float positive = reference::maximum(x[0], 0.0f);
    return positive * positive;
  });
}

LogicalResult Relu2Op::emit(Emitter &e) {
  e.require("elementwise.h");
  std::string type = elementwiseType(*this, e);
  Value positive = e.call("maxOf", {}, {elementwiseOperands(*this, e)[0], e.number(0)}, type,
                          e.nameOf(getResult(), "relu2") + "_root");
  e.setHeldDtype(getResult(), Float32Type::get(getContext()));
  e.bind(getResult(), e.binary('*', positive, positive, type));
  return success();
}

} // namespace braid
