// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Compiler.h"

#include "codegen/dialect/Diag.h"
#include "codegen/emit/HipSource.h"
#include "codegen/emit/Signature.h"
#include "codegen/passes/GroupingAttributes.h"
#include "codegen/passes/PassWatch.h"
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
  buildPipeline(manager, {request.target, request.outputs, request.grouping, stage, request.checked,
                          request.bits});
  if (failed(runWatched(manager, *module)))
    return failure();
  return module;
}

// What is said of the whole program: by the module where it was cut, else by its one kernel.
static void describeProgram(ModuleOp module, ProgramMeta &meta) {
  if (auto name = module->getAttrOfType<StringAttr>(kProgramAttribute)) {
    meta.kernel = name.str();
    meta.grouping = module->getAttrOfType<StringAttr>(kGroupingAttribute).str();
    for (StringRef operand :
         module->getAttrOfType<ArrayAttr>(kOperandsAttribute).getAsValueRange<StringAttr>())
      meta.operands.push_back(operand.str());
    if (auto checks = module->getAttrOfType<ArrayAttr>(kChecksAttribute))
      meta.checks = checkMetas(checks);
    return;
  }
  meta.kernel = meta.kernels.front().kernel;
  meta.grouping = kFusedGrouping;
  for (const OperandMeta &operand : meta.kernels.front().operands)
    meta.operands.push_back(operand.name);
  meta.checks = meta.kernels.front().checks;
}

FailureOr<GeneratedProgram> generateHip(ModuleOp program, const CompileRequest &request) {
  FailureOr<OwningOpRef<ModuleOp>> scheduled = runPipeline(program, request, Stage::Schedule);
  if (failed(scheduled))
    return failure();
  ModuleOp module = **scheduled;
  GeneratedProgram result;
  for (KernelOp kernel : module.getOps<KernelOp>())
    result.meta.kernels.push_back(kernelMeta(kernel, *getTarget(module)));
  PassManager lowering(program.getContext());
  lowering.addPass(createLowerToEmitC());
  if (failed(runWatched(lowering, module)))
    return failure();
  for (auto [function, meta] : llvm::zip(module.getOps<emitc::FuncOp>(), result.meta.kernels)) {
    FailureOr<std::string> text = makeHipSource(function, meta);
    if (failed(text)) // its message says what is missing
      return emitDiag(program.getLoc(), Diag::passFailed, "print",
                      "it does not know what it is given");
    result.texts.push_back(std::move(*text));
  }
  describeProgram(module, result.meta);
  if (Status status = completeProgram(result.meta); !status.ok())
    return emitDiag(program.getLoc(), Diag::passFailed, "metadata", status.what);
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
