// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/passes/PassWatch.h"

#include "codegen/dialect/Diag.h"
#include "codegen/passes/Passes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/CrashRecoveryContext.h"

using namespace mlir;

namespace braid {

namespace {

/// What the watch knows of the pass that runs; outlives the manager that owns the watch.
struct Running {
  std::string pass, pipeline;
  OwningOpRef<Operation *> before;
  std::vector<std::string> errors; // of this pass
  bool unverified = false;

  std::string reproducer() {
    std::string text;
    llvm::raw_string_ostream stream(text);
    OpPrintingFlags flags;
    flags.enableDebugInfo();
    AsmState state(before.get(), flags);
    state.attachResourcePrinter("mlir_reproducer", [&](Operation *, AsmResourceBuilder &resources) {
      resources.buildString("pipeline", pipeline);
      resources.buildBool("disable_threading", true);
      resources.buildBool("verify_each", true);
    });
    before.get()->print(stream, state);
    return text;
  }
};

class PassWatch : public PassInstrumentation {
public:
  explicit PassWatch(Running &running) : running(running) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    running.pass = pass->getArgument().str();
    running.pipeline.clear();
    llvm::raw_string_ostream stream(running.pipeline);
    stream << op->getName() << "(";
    pass->printAsTextualPipeline(stream);
    stream << ")";
    running.before = op->clone();
    running.errors.clear();
  }

  // A pass that says what is wrong with the program may leave anything behind; only where the
  // verifier says the same is it the verifier that has failed the pass.
  void runAfterPassFailed(Pass *, Operation *op) override {
    std::vector<std::string> again;
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
      again.push_back(diagnostic.str());
      return success();
    });
    running.unverified = failed(verify(op)) && again == running.errors;
  }

private:
  Running &running;
};

} // namespace

LogicalResult runWatched(PassManager &manager, ModuleOp module) {
  if (auto kind = module->getAttrOfType<StringAttr>(kTestFaultAttribute))
    manager.addPass(createTestFault({kind.str()}));
  Running running;
  manager.addInstrumentation(std::make_unique<PassWatch>(running));
  const Location loc = module.getLoc();
  LogicalResult result = failure();
  bool finished = false;
  int code = 0;
  {
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        running.errors.push_back(diagnostic.str());
      return failure(); // whoever listens outside gets it
    });
    llvm::CrashRecoveryContext recovery;
    finished = recovery.RunSafely([&] { result = manager.run(module); });
    code = recovery.RetCode;
  }
  std::string why;
  if (!finished)
    why = fmt::format("it crashed (code {})", code);
  else if (succeeded(result))
    return success();
  else if (running.unverified)
    why = "what it made does not verify";
  else if (running.errors.empty())
    why = "it failed and did not say why";
  else if (llvm::none_of(running.errors, [](StringRef error) { return error.starts_with("[BR"); }))
    why = "what it says is no rule of the language";
  else
    return failure(); // a fault of the program, which has been told
  InFlightDiagnostic error = emitError(loc);
  error << fmt::format("[{}] ", diagText(Diag::passFailed).id.str())
        << fmt::format(fmt::runtime(diagText(Diag::passFailed).message.str()), running.pass, why);
  error.attachNote() << "why: " << diagText(Diag::passFailed).why;
  error.attachNote() << "fix: " << diagText(Diag::passFailed).fix;
  error.attachNote() << kReproducerNote << running.reproducer();
  return error;
}

} // namespace braid
