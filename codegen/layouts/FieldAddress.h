// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map of one field as a straight line of operations, for whoever asks for every element of a
// page. Computes as the kernel does, in unsigned 32-bit integers, and tells where that would not
// give the map's value. One thread.

#pragma once

#include "codegen/dialect/Braid.h"

#include <optional>

namespace braid {

class FieldAddress {
public:
  explicit FieldAddress(FieldAttr field);

  /// The map's value for in-page token `t`; nothing where the kernel's arithmetic would differ.
  std::optional<int64_t> at(int64_t t, llvm::ArrayRef<int64_t> indices);

private:
  struct Step {
    mlir::AffineExprKind kind;
    int64_t value = 0; ///< of a constant; of a dimension its number
  };
  void flatten(mlir::AffineExpr expr);

  llvm::SmallVector<Step, 16> steps; ///< operands before operations
  llvm::SmallVector<int64_t, 16> stack;
};

} // namespace braid
