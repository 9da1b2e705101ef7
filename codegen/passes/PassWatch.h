// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs passes so that a fault of the compiler is told from a fault of the program, and can be seen
// again. Stateless.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace braid {

/// The note of passFailed that holds the module before the failing pass, in the form that
/// `braid-opt --run-reproducer` takes.
inline constexpr llvm::StringLiteral kReproducerNote = "reproducer: ";

/// A module with this attribute, a kind of braid-test-fault, gets that pass at the end.
inline constexpr llvm::StringLiteral kTestFaultAttribute = "braid.test_fault";

/// Runs `manager`. A pass that crashes, fails without naming a rule of the language, or leaves
/// what does not verify becomes the diagnostic passFailed. (Crashes only where llvm::CrashRecoveryContext is enabled,
/// which is for the process to say.) `module` is unspecified on failure.
mlir::LogicalResult runWatched(mlir::PassManager &manager, mlir::ModuleOp module);

} // namespace braid
