// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From MLIR's diagnostics to ours: the id in brackets, the notes `why: `, `fix: `, `argument: `,
// and the first file place of the location. One thread.

#pragma once

#include "dsl/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

#include <list>

namespace braid::dsl {

/// Places of the arguments of the op call that is being built, by name.
using ArgumentPlaces = llvm::StringMap<mlir::Location>;

/// Puts `diagnostic` at the first file place inside `loc`; its line is shown if a source has it.
void placeAtLocation(Diagnostic &diagnostic, mlir::Location loc,
                     llvm::ArrayRef<const Source *> sources);

/// An MLIR error as one of ours; nothing for warnings and remarks.
std::optional<Diagnostic> convertDiagnostic(mlir::Diagnostic &foreign,
                                            llvm::ArrayRef<const Source *> sources,
                                            const ArgumentPlaces &arguments = {});

/// Collects the errors of a context while it lives.
class MlirDiagnostics {
public:
  MlirDiagnostics(mlir::MLIRContext &context, const std::string &text, const std::string &fileName);

  /// Another text whose lines errors may show, such as that of an option.
  void addText(const std::string &fileName, const std::string &text) {
    others.emplace_back(fileName, text);
  }

  std::vector<Diagnostic> take() { return list.take(); }

private:
  Source source;
  std::list<Source> others; // sources do not move
  DiagnosticList list;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace braid::dsl
