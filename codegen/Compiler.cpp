// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Compiler.h"

#include "codegen/emit/HipSource.h"
#include "codegen/emit/Signature.h"
#include "codegen/passes/TargetAttribute.h"
#include "codegen/reference/Evaluation.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;

namespace braid {

void loadBraidDialects(MLIRContext &context) {
  context.loadDialect<BraidDialect, emitc::EmitCDialect>();
}

static KernelOp kernelOf(ModuleOp module) { return *module.getOps<KernelOp>().begin(); }

FailureOr<OwningOpRef<ModuleOp>> runPipeline(ModuleOp program, const CompileRequest &request,
                                             Stage stage) {
  OwningOpRef<ModuleOp> module = program.clone();
  PassManager manager(program.getContext());
  buildPipeline(manager, {request.target, request.outputs, stage, request.checked, request.bits});
  if (failed(manager.run(*module)))
    return failure();
  return module;
}

FailureOr<GeneratedKernel> generateHip(ModuleOp program, const CompileRequest &request) {
  FailureOr<OwningOpRef<ModuleOp>> scheduled = runPipeline(program, request, Stage::Schedule);
  if (failed(scheduled))
    return failure();
  GeneratedKernel result;
  result.meta = kernelMeta(kernelOf(**scheduled), *getTarget(**scheduled));
  PassManager lowering(program.getContext());
  lowering.addPass(createLowerToEmitC());
  if (failed(lowering.run(**scheduled)))
    return failure();
  FailureOr<std::string> text =
      makeHipSource(*(*scheduled)->getOps<emitc::FuncOp>().begin(), result.meta);
  if (failed(text))
    return failure();
  result.hip = std::move(*text);
  return result;
}

LogicalResult interpret(ModuleOp program, const CompileRequest &request,
                        const llvm::StringMap<HostArray> &operands,
                        const llvm::StringMap<int64_t> &counts, std::vector<FaultCount> *faults) {
  FailureOr<OwningOpRef<ModuleOp>> resolved = runPipeline(program, request, Stage::Program);
  if (failed(resolved))
    return failure();
  Evaluation evaluation(operands, counts);
  for (Operation &op : kernelOf(**resolved).getBody().front())
    if (auto row = dyn_cast<RowOpInterface>(op); row && failed(row.evaluate(evaluation)))
      return failure();
  if (faults)
    *faults = evaluation.faults();
  return success();
}

} // namespace braid
