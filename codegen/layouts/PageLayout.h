// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Page layouts as data: a definition makes fields with affine byte maps from its bound parameters,
// and one exhaustive check serves every definition. Stateless; safe to share.

#ifndef BRAID_CODEGEN_LAYOUTS_PAGELAYOUT_H
#define BRAID_CODEGEN_LAYOUTS_PAGELAYOUT_H

#include "codegen/dialect/Braid.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace braid {

/// One argument of a layout call, `page_size = 64` or `value = fp8`; `loc` is its place.
struct LayoutArgument {
  std::string name;
  std::variant<int64_t, mlir::Type> value;
  mlir::Location loc;
};

/// One parameter of a layout: a positive int, or a dtype.
struct LayoutParam {
  std::string name;
  bool isDtype = false;
  std::string defaultDtype = {}; ///< DSL spelling; empty: no default
  std::optional<int64_t> defaultInteger = {};
};

class LayoutBuilder;

/// A layout definition: what the layout language makes from a `layout` block (LayoutEvaluator).
struct LayoutSpec {
  std::string name;
  std::string summary;
  std::vector<LayoutParam> params;
  std::function<mlir::LogicalResult(LayoutBuilder &)> build;
  bool ofProgram = false;     ///< failures are reported at the definition, and then at the call
  bool broken = false;        ///< its text is wrong, which has been reported
  std::string signature = {}; ///< `name(page_size: int, value: dtype = fp8)`
};

/// The library's definitions.
llvm::ArrayRef<LayoutSpec> layoutLibrary();

/// Binds `arguments` to the layout called `name`, of the library or one of `own`, and checks the
/// result exhaustively: every field map one-to-one, inside the page, disjoint from the others.
/// Emits diagnostics on failure.
mlir::FailureOr<LayoutAttr> instantiateLayout(mlir::MLIRContext *context, llvm::StringRef name,
                                              llvm::ArrayRef<LayoutArgument> arguments,
                                              mlir::Location loc,
                                              llvm::ArrayRef<LayoutSpec> own = {});

/// The exhaustive check alone (also run by the verifier of the parsed attribute's users). `fields`:
/// the places of the fields, where they are known.
mlir::LogicalResult checkLayout(LayoutAttr layout, mlir::Location loc,
                                llvm::ArrayRef<mlir::Location> fields = {});

/// Bits of one element; `fp8` of a target has 8 whatever its flavour.
int64_t elementBits(mlir::Type dtype);

/// Place in its buffer's page of element `indices` of `field` for in-page token `t`: a byte, or a
/// bit where elements are smaller than a byte.
int64_t fieldOffset(FieldAttr field, int64_t t, llvm::ArrayRef<int64_t> indices);

/// Calls `visit(t, indices)` for every element of a field; stops at the first failure.
mlir::LogicalResult
forEachElement(FieldAttr field, int64_t pageSize,
               llvm::function_ref<mlir::LogicalResult(int64_t, llvm::ArrayRef<int64_t>)> visit);

/// Contiguous, aligned elements along the last index: the largest power of two c such that for all
/// tokens elements c*i .. c*i + c-1 lie next to each other, and begin a byte where c is more than 1.
/// 1 for a field without indices.
int64_t contiguousElements(FieldAttr field, int64_t pageSize);

/// Bytes to which every run of `run` elements along the last index is aligned, at most the run's
/// own size. `run`: a power of two.
int64_t runAlignment(LayoutAttr layout, FieldAttr field, int64_t run);

} // namespace braid

#endif // BRAID_CODEGEN_LAYOUTS_PAGELAYOUT_H
