// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the emitc of one kernel as C++ for people: names come from locations, an expression that
// nobody named stands where its only user is, a variable is initialised where it is first assigned.
// Covers the ops that LowerToEmitC makes. See docs/adr/0001-printer.md.

#pragma once

#include "runtime/KernelMeta.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"

#include <string>
#include <vector>

namespace braid {

struct PrintedKernel {
  std::string text;
  std::vector<LineMeta> lineMap; ///< lines are counted from 1 inside `text`
};

/// Fails with an MLIR error at an op that the printer does not know.
mlir::FailureOr<PrintedKernel> printKernel(mlir::emitc::FuncOp function);

} // namespace braid
