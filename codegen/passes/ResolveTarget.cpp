// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/dialect/Diag.h"
#include "codegen/layouts/PageLayout.h"
#include "codegen/passes/Passes.h"
#include "codegen/passes/TargetAttribute.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_RESOLVETARGET
#include "codegen/passes/Passes.h.inc"

namespace {
struct ResolveTargetPass : impl::ResolveTargetBase<ResolveTargetPass> {
  using ResolveTargetBase::ResolveTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Target *found = lookupTarget(target.getValue());
    if (!found) {
      (void)emitDiag(module.getLoc(), Diag::targetUnknown, target.getValue(),
                     suggestTarget(target.getValue()));
      return signalPassFailure();
    }
    setTarget(module, *found);

    Type fp8 = mlirType(&getContext(), found->fp8);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](Fp8Type) { return fp8; });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);

    WalkResult result = module.walk([&](OperandOp operand) {
      auto cache = dyn_cast<CacheType>(operand.getHandle().getType());
      return cache && failed(checkLayout(cache.getLayout(), operand.getLoc()))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

} // namespace braid
