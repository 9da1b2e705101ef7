// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The braid dialect: types, attributes, ops and their interface.

#ifndef BRAID_CODEGEN_DIALECT_BRAID_H
#define BRAID_CODEGEN_DIALECT_BRAID_H

#include "runtime/DType.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace braid {
class Emitter;
class Evaluation;
struct ScheduleWishes;

/// An index, and the operand (table or cache) in which it chooses.
struct IndexUse {
  mlir::Value index, chosenFrom;
};

/// The longest row; and the elements of a strip: what a longer row is folded to before its sum.
inline constexpr int64_t kLongestRow = 16384, kStripBits = 11;
/// Threads of a workgroup at most.
inline constexpr int64_t kMostThreads = 1024;

/// The assignment of the index bits of a row of `length` elements, one letter a bit, bit 0 first:
/// `r` register, `l` lane, `w` wave. The same arithmetic as RowMap's in templates/braid/row.h.
struct RowBits {
  llvm::StringRef letters;
  int64_t length = 1;

  /// Lanes that share a row.
  int64_t lanes() const;
  /// True if those lie in several waves.
  bool spansWaves() const { return letters.contains('w'); }
  /// Registers of a lane that hold an element of the row in some lane.
  int64_t perLane() const;
  /// Contiguous elements in a lane, present or absent together.
  int64_t chunk() const;
  /// Index bits that come from the lane number.
  uint64_t laneMask() const;
  /// True if every lane has an element in register `reg`.
  bool alwaysPresent(int64_t reg) const;

private:
  uint64_t registerBase(int64_t reg) const;
};

/// Vector operations of one lane: for each element that it holds, and once for each row.
struct OpCost {
  double perElement = 0;
  double perRow = 0;
};
} // namespace braid

#include "codegen/dialect/BraidEnums.h.inc"

#include "codegen/dialect/BraidDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "codegen/dialect/BraidAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "codegen/dialect/BraidTypes.h.inc"

#include "codegen/dialect/BraidInterfaces.h.inc"

#define GET_OP_CLASSES
#include "codegen/dialect/BraidOps.h.inc"

namespace braid {

/// The MLIR type of a dtype, and back (`fp8` of the target has none: nullopt).
mlir::Type mlirType(mlir::MLIRContext *context, DType dtype);
std::optional<DType> dtypeOf(mlir::Type type);

/// The dtype named `name` in the language (`bf16`, `fp8`, ...), or null.
mlir::Type parseDtype(mlir::MLIRContext *context, llvm::StringRef name);
/// The dtype as a program spells it.
std::string dtypeName(mlir::Type type);

/// Axes as a program spells them: `[token, heads]`.
std::string axesStr(llvm::ArrayRef<AxisAttr> axes);

/// For each axis of `inner` its index in `outer`, if inner's axes are a subsequence of outer's by
/// the matching rule in exactly one way. `ambiguous` is set if there are several ways.
std::optional<llvm::SmallVector<unsigned>>
matchAxes(llvm::ArrayRef<AxisAttr> inner, llvm::ArrayRef<AxisAttr> outer, bool &ambiguous);

/// Result type of an elementwise op on `operands`: f32 over the axes of the one that has them all.
/// Emits a diagnostic at `loc` on failure.
mlir::FailureOr<ValueType> inferElementwise(mlir::Location loc, llvm::ArrayRef<ValueType> operands);

/// The narrowest dtype in which `value` is known to be exact: its own, or that of the tensor that
/// it was loaded from.
mlir::Type exactDtype(mlir::Value value);

/// The operand that is buffer `index` of the `count` buffers of a cache: `keys`, or `keys.1`.
std::string bufferName(llvm::StringRef cache, size_t index, size_t count);

/// True for scales of the ue8m0 rule: powers of two, which an e8m0 tensor or field may hold.
bool holdsPowersOfTwo(mlir::Value value);

/// True for `fp8` and the dtypes of runtime/DTypes.def.
bool isKnownDtype(mlir::Type type);

/// True for a mask of tokens: an i1 value.
bool isMask(mlir::Value value);

/// True for a float dtype that a value may hold (f32, bf16, f16 and the 8-bit formats).
bool isFloatDtype(mlir::Type type);

/// True for a dtype of less than a byte, several elements of which share one.
bool isPackedDtype(mlir::Type type);

/// The axis `name = extent`; an empty name for an unnamed axis; kDynamic for a run-time axis.
AxisAttr axis(mlir::MLIRContext *context, llvm::StringRef name, int64_t extent);

} // namespace braid

#endif // BRAID_CODEGEN_DIALECT_BRAID_H
