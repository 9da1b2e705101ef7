// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program file as IR: .braid text under bound parameters, or the dialect's own text (.mlir).
// Keeps the diagnostics of everything done to it. One thread.

#pragma once

#include "codegen/Compiler.h"
#include "dsl/Parser.h"
#include "runtime/tools/braid/CommandLine.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace braid::tool {

/// The kernels of a .braid file with their presets; empty where it cannot be read or is not one.
std::vector<dsl::KernelListing> listProgram(const std::string &path);

class ProgramInput {
public:
  ProgramInput();

  /// Reads and binds the program. On failure the diagnostics have been printed; the exit code is
  /// returned (0: loaded).
  int load(const ProgramOptions &options);

  /// Runs `action` on the module; prints the diagnostics of a failure and returns the exit code.
  int compile(bool json, llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> action);

  mlir::ModuleOp module() { return *program; }
  /// The name of the kernel, as files are called.
  std::string kernelName();

private:
  int readFile(const ProgramOptions &options);
  int parse(const ProgramOptions &options);
  int report(const std::vector<dsl::Diagnostic> &diagnostics, bool json) const;

  mlir::MLIRContext context;
  std::string text, path, grouping;
  mlir::OwningOpRef<mlir::ModuleOp> program;
};

} // namespace braid::tool
