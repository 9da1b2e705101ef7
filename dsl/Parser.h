// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the text of a program to IR: recursive descent under bound parameters, straight into the
// Builder; there is no AST. An error ends its statement and the next one goes on.

#pragma once

#include "dsl/Binding.h"
#include "dsl/Builder.h"

namespace braid::dsl {

struct ProgramRequest {
  std::string text;
  std::string fileName = "<program>"; ///< appears in locations and diagnostics only
  std::string kernel = {};            ///< may be empty if the program has one kernel
  std::string preset = {};            ///< may be empty
  std::vector<std::string> sets = {}; ///< `name=value`
};

/// The requested kernel as a verified module, or all that is wrong with the program.
Program parseProgram(mlir::MLIRContext &context, const ProgramRequest &request);

/// A kernel of a program and its presets, in the order of the text.
struct KernelListing {
  std::string kernel;
  std::vector<std::string> presets;
};

/// The kernels of a program; errors of its head go to `diagnostics`.
std::vector<KernelListing> listKernels(std::string text, std::string fileName,
                                       std::vector<Diagnostic> &diagnostics);

/// Where layouts come from besides the library: the text of a program, empty for none.
struct LayoutRequest {
  std::string text = {}, fileName = {};
};

struct LayoutListing {
  std::string name, parameters, summary;
  bool ofProgram = false;
};

/// The layouts of the library and then those of a program.
std::vector<LayoutListing> listLayouts(const LayoutRequest &request,
                                       std::vector<Diagnostic> &diagnostics);

/// The layout that `call` names with its arguments, checked; null after an error. `name` is what
/// diagnostics call the text.
LayoutAttr parseLayoutText(mlir::MLIRContext &context, const LayoutRequest &request,
                           std::string name, std::string call,
                           std::vector<Diagnostic> &diagnostics);

} // namespace braid::dsl
