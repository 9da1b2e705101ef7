// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unique C++ identifiers inside one function: never a keyword, never a name that the function's
// calls and types use (a variable called `rope` would hide the function).

#pragma once

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace braid {

class NameTable {
public:
  NameTable();

  /// Reserves every identifier in callees, types, template arguments and verbatim text.
  void reserveUsedBy(mlir::emitc::FuncOp function);

  /// `wanted` as an identifier, with a number behind it if it is taken in this scope.
  std::string unique(llvm::StringRef wanted);
  void release(const std::string &name) { taken.erase(name); }

  /// Names made since enterScope are free again after leaveScope.
  std::vector<std::string> enterScope() { return std::exchange(inScope, {}); }
  void leaveScope(std::vector<std::string> outer);

private:
  void reserveWords(llvm::StringRef text);

  llvm::StringSet<> reserved, taken;
  std::vector<std::string> inScope;
};

} // namespace braid
