// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/passes/Passes.h"

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_FOLDROUNDING
#include "codegen/passes/Passes.h.inc"

namespace {
struct FoldRoundingPass : impl::FoldRoundingBase<FoldRoundingPass> {
  void runOnOperation() override {
    getOperation().walk([](RoundOp round) {
      auto op = round.getValue().getDefiningOp<RowOpInterface>();
      auto type = cast<ValueType>(round.getResult().getType());
      if (!op || !round.getValue().hasOneUse() || !op.canRoundResult(type.getDtype()))
        return;
      round.getValue().setType(type);
      op->setLoc(round.getLoc()); // the rounded value is the one that the program names
      round.getResult().replaceAllUsesWith(round.getValue());
      round.erase();
    });
  }
};
} // namespace

} // namespace braid
