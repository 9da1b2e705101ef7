// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/passes/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace braid {

void buildPipeline(OpPassManager &manager, const PipelineOptions &options) {
  manager.addPass(createResolveTarget({options.target}));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createSelectOutputs({llvm::to_vector(options.outputs)}));
  manager.addPass(createAddChecks({options.checked}));
  if (options.stop == Stage::Program)
    return;
  manager.addPass(createFormGroups({options.grouping}));
  manager.addPass(createSplitStores());
  manager.addPass(createFoldRounding());
  manager.addPass(createFormSections());
  manager.addPass(createAssignSchedule({llvm::to_vector(options.bits)}));
  if (options.stop == Stage::Schedule)
    return;
  manager.addPass(createLowerToEmitC());
}

namespace {
struct PipelineCommandLine : PassPipelineOptions<PipelineCommandLine> {
  Option<std::string> target{*this, "target", llvm::cl::desc("Target id, such as gfx942")};
  Option<std::string> grouping{*this, "grouping",
                               llvm::cl::desc("Groups, such as `q8, w | index_k`")};
};
} // namespace

void registerBraidPipelines() {
  PassPipelineRegistration<PipelineCommandLine>(
      "braid-pipeline", "From a program to emitc, as `braid compile` runs it",
      [](OpPassManager &manager, const PipelineCommandLine &options) {
        buildPipeline(manager, {options.target, {}, options.grouping, Stage::EmitC});
      });
}

} // namespace braid
