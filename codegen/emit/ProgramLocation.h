// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op's location tells of the program: the name of its result, the statement and the place.
// A location is NameLoc(name, FusedLoc<"statement">[FileLineCol]); parts may be missing.

#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"

#include <string>

namespace braid {

/// The program's name of an op result, or "".
std::string programName(mlir::Value value);
/// The statement that the op comes from, on one line, or "".
std::string programStatement(mlir::Location loc);
/// "line:column" in the program, or "".
std::string programPlace(mlir::Location loc);
/// The location without its outer name.
mlir::Location stripName(mlir::Location loc);

/// A location that carries all three.
mlir::Location programLocation(mlir::Location place, llvm::StringRef name, llvm::StringRef statement);

} // namespace braid
