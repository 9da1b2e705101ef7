// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults of the compiler, made on purpose: the tests of how they are caught need some.
#include "codegen/emit/ProgramLocation.h"
#include "codegen/passes/Passes.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "llvm/Support/ErrorHandling.h"

#include <csignal>

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_TESTFAULT
#include "codegen/passes/Passes.h.inc"

namespace {
struct TestFaultPass : impl::TestFaultBase<TestFaultPass> {
  using TestFaultBase::TestFaultBase;

  // A line behind the first statement that comes from the program.
  void addText(StringRef text) {
    getOperation().walk([&](emitc::FuncOp function) {
      for (Operation &op : function.getBody().front())
        if (!programPlace(op.getLoc()).empty()) {
          OpBuilder b(&getContext());
          b.setInsertionPointAfter(&op);
          emitc::VerbatimOp::create(b, op.getLoc(), text);
          return;
        }
    });
  }

  // An op that HipPrinter does not print, and one that needs it.
  void addUnprintable() {
    getOperation().walk([&](emitc::FuncOp function) {
      OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
      const Location loc = function.getLoc();
      Value number = emitc::LiteralOp::create(b, loc, b.getF32Type(), "1");
      Value unknown = emitc::UnaryPlusOp::create(b, loc, b.getF32Type(), number);
      emitc::CallOpaqueOp::create(b, loc, TypeRange(), "use", ValueRange(unknown));
    });
  }

  void failWords() {
    getOperation().emitError("a fault on purpose");
    signalPassFailure();
  }

  void addInvalid() {
    OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
    emitc::LiteralOp::create(b, getOperation().getLoc(), b.getF32Type(), "");
  }

  void runOnOperation() override {
    if (kind == "silent")
      signalPassFailure();
    else if (kind == "foreign")
      failWords();
    else if (kind == "invalid")
      addInvalid();
    else if (kind == "crash")
      (void)std::raise(SIGSEGV);
    else if (kind == "fatal")
      llvm::report_fatal_error("a fault on purpose");
    else if (kind == "print")
      addUnprintable();
    else if (kind == "text")
      addText("this is no C++;");
    else if (kind == "link")
      addText("extern __device__ void nowhere(); nowhere();");
  }
};
} // namespace

} // namespace braid
