// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one LayoutAttr: binds a definition's parameters, takes its fields and sizes. The layout
// language drives it (LayoutEvaluator). Used by one thread.

#pragma once

#include "codegen/layouts/PageLayout.h"

#include "llvm/ADT/StringMap.h"

namespace braid {

class LayoutBuilder {
public:
  LayoutBuilder(mlir::MLIRContext *context, const LayoutSpec &spec, mlir::Location loc)
      : ctx(context), spec(spec), loc(loc) {}

  /// Checks names and kinds, fills defaults.
  mlir::LogicalResult bindArguments(llvm::ArrayRef<LayoutArgument> arguments);

  int64_t integer(llvm::StringRef name) const { return integers.lookup(name); }
  mlir::Type dtype(llvm::StringRef name) const { return dtypes.lookup(name); }
  mlir::MLIRContext *context() const { return ctx; }
  mlir::Location location() const { return loc; } ///< of the call

  void pageSize(int64_t size) { tokens = size; }
  /// One size a buffer.
  void pageBytes(llvm::ArrayRef<int64_t> sizes) { bytes.assign(sizes.begin(), sizes.end()); }
  /// Dimension 0 of `address` is the in-page token t, then come the indices of the field in order.
  void field(llvm::StringRef name, mlir::Type dtype, llvm::ArrayRef<int64_t> extents,
             int64_t buffer, mlir::AffineExpr address, mlir::Location where);
  llvm::ArrayRef<mlir::Location> fieldLocations() const { return places; }

  /// Alignment of a buffer's page is that of its widest field.
  LayoutAttr finish() const;

private:
  mlir::LogicalResult bindArgument(const LayoutArgument &argument);
  std::vector<std::string> parameterNames() const;

  mlir::MLIRContext *ctx;
  const LayoutSpec &spec;
  mlir::Location loc;
  llvm::StringMap<int64_t> integers;
  llvm::StringMap<mlir::Type> dtypes;
  int64_t tokens = 0;
  llvm::SmallVector<int64_t> bytes;
  llvm::SmallVector<FieldAttr> fields;
  llvm::SmallVector<mlir::Location> places;
};

} // namespace braid
