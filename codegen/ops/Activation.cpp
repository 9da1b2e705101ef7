// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp and what is made of it, element by element.

#include "codegen/ops/ElementwiseOp.h"
#include "codegen/reference/Numerics.h"

using namespace mlir;

namespace braid {

void registerActivation(OpTable &table) {
  addElementwise<ExpOp>(table, "exp", "e to the power of a", {"a"});
  addElementwise<SigmoidOp>(table, "sigmoid", "1 / (1 + exp(-a))", {"a"});
  addElementwise<SiluOp>(table, "silu", "a / (1 + exp(-a))", {"a"});
}

// Costs: exp takes 15 operations, a division 10.
#define BRAID_ACTIVATION(Op, function, cost, meaning)                                              \
  LogicalResult Op::verify() { return verifyElementwise(*this); }                                  \
  void Op::getRowValues(SmallVectorImpl<Value> &) {}                                               \
  bool Op::isElementwise() { return true; }                                                        \
  OpCost Op::getCost() { return {cost, 0}; }                                                       \
  LogicalResult Op::evaluate(Evaluation &evaluation) {                                             \
    return evaluateElementwise(*this, evaluation,                                                  \
                               [](ArrayRef<float> x) -> float { return meaning; });                \
  }                                                                                                \
  LogicalResult Op::emit(Emitter &e) {                                                             \
    return emitElementwiseCall(*this, e, "activation.h", function);                                \
  }

BRAID_ACTIVATION(ExpOp, "expOf", 15, reference::exp(x[0]))
BRAID_ACTIVATION(SigmoidOp, "sigmoidOf", 27, 1.0f / (1.0f + reference::exp(-x[0])))
BRAID_ACTIVATION(SiluOp, "siluOf", 27, x[0] / (1.0f + reference::exp(-x[0])))
#undef BRAID_ACTIVATION

} // namespace braid
