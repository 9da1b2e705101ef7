// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one LayoutAttr: binds a definition's parameters, takes its fields and conditions. The
// layout language will drive it; the library's definitions do so today. Used by one thread.

#pragma once

#include "codegen/layouts/PageLayout.h"

#include "llvm/ADT/StringMap.h"

namespace braid {

class LayoutBuilder {
public:
  LayoutBuilder(mlir::MLIRContext *context, const LayoutSpec &spec, mlir::Location loc)
      : context(context), spec(spec), loc(loc) {}

  /// Checks names and kinds, fills defaults.
  mlir::LogicalResult bindArguments(llvm::ArrayRef<LayoutArgument> arguments);

  int64_t integer(llvm::StringRef name) const { return integers.lookup(name); }
  mlir::Type dtype(llvm::StringRef name) const { return dtypes.lookup(name); }
  /// Bytes of one element of the dtype parameter `name`.
  int64_t bytes(llvm::StringRef name) const;

  /// Dimension 0 is the in-page token t, then the indices of the field in order.
  mlir::AffineExpr dim(unsigned position) const { return mlir::getAffineDimExpr(position, context); }
  mlir::AffineExpr constant(int64_t value) const {
    return mlir::getAffineConstantExpr(value, context);
  }

  void page(int64_t size, int64_t bytes) { pageSize = size, pageBytes = bytes; }
  void field(llvm::StringRef name, mlir::Type dtype, llvm::ArrayRef<int64_t> extents,
             mlir::AffineExpr address);
  /// `condition`: how the definition writes it; `actual`: what the arguments give; `fix`: what to do.
  mlir::LogicalResult require(bool holds, llvm::StringRef condition, llvm::StringRef actual,
                              llvm::StringRef fix);

  /// Alignment of a page is that of its widest field.
  LayoutAttr finish() const;

private:
  mlir::LogicalResult bindArgument(const LayoutArgument &argument);
  std::string parameterNames() const;

  mlir::MLIRContext *context;
  const LayoutSpec &spec;
  mlir::Location loc;
  llvm::StringMap<int64_t> integers;
  llvm::StringMap<mlir::Type> dtypes;
  int64_t pageSize = 0, pageBytes = 0;
  llvm::SmallVector<FieldAttr> fields;
};

} // namespace braid
