// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt for the braid dialect: this dialect, emitc, our passes and the canonicaliser.

#include "codegen/dialect/Braid.h"
#include "codegen/passes/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<braid::BraidDialect, mlir::emitc::EmitCDialect>();
  braid::registerBraidPasses();
  braid::registerBraidPipelines();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Braid's optimizer driver\n", registry));
}
