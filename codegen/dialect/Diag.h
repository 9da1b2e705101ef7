// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emission of the diagnostics of dsl/Diagnostics.def through MLIR's own handlers: the error text
// starts with the id in brackets, notes that start with "why: ", "fix: " and "argument: " carry the
// rest. Verifiers, passes and the Builder all use this one path.

#ifndef BRAID_CODEGEN_DIALECT_DIAG_H
#define BRAID_CODEGEN_DIALECT_DIAG_H

#include "mlir/IR/Diagnostics.h"

#include <fmt/format.h>

namespace braid {

enum class Diag {
#define BRAID_DIAG(id, name, message, why, fix) name,
#include "dsl/Diagnostics.def"
#undef BRAID_DIAG
};

struct DiagText {
  llvm::StringRef id, message, why, fix;
};

const DiagText &diagText(Diag diag);

namespace detail {
mlir::LogicalResult emitDiag(mlir::Location loc, Diag diag, llvm::StringRef argument,
                             fmt::format_args args);
} // namespace detail

/// Emits `diag` at `loc` with its texts filled from `args`, and returns failure.
template <typename... Args>
mlir::LogicalResult emitDiag(mlir::Location loc, Diag diag, const Args &...args) {
  return detail::emitDiag(loc, diag, "", fmt::make_format_args(args...));
}

/// The same, about the argument `argument` of an op call: the text's caret goes there.
template <typename... Args>
mlir::LogicalResult emitArgumentDiag(mlir::Location loc, llvm::StringRef argument, Diag diag,
                                     const Args &...args) {
  return detail::emitDiag(loc, diag, argument, fmt::make_format_args(args...));
}

} // namespace braid

#endif // BRAID_CODEGEN_DIALECT_DIAG_H
