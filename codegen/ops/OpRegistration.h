// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of codegen/ops share: creating an op through its verifier, and the small rules of
// types that several ops have.

#pragma once

#include "codegen/dialect/Braid.h"
#include "codegen/dialect/Diag.h"
#include "codegen/dialect/OpTable.h"
#include "codegen/emit/Emitter.h"
#include "codegen/grouping/Schedule.h"
#include "codegen/reference/Evaluation.h"

#include "mlir/IR/Verifier.h"

namespace braid {

using Results = mlir::FailureOr<llvm::SmallVector<mlir::Value>>;

/// Creates an op of the language and verifies it; an op that breaks a rule is erased again, and the
/// diagnostic of its verifier is the caller's.
template <typename OpTy, typename... Args>
Results createChecked(mlir::OpBuilder &builder, mlir::Location loc, Args &&...args) {
  auto op = OpTy::create(builder, loc, std::forward<Args>(args)...);
  if (failed(mlir::verify(op))) {
    op->erase();
    return mlir::failure();
  }
  return llvm::SmallVector<mlir::Value>(op->getResults());
}

inline ValueType valueType(mlir::Value value) { return mlir::cast<ValueType>(value.getType()); }

/// The type of `value` with another dtype.
inline ValueType withDtype(mlir::Value value, mlir::Type dtype) {
  return ValueType::get(value.getContext(), valueType(value).getAxes(), dtype);
}

/// f32 for each row of `row`: the type of a scalar of the row.
inline ValueType scalarOfRow(mlir::Value row) {
  llvm::ArrayRef<AxisAttr> axes = valueType(row).getAxes();
  return ValueType::get(row.getContext(), axes.drop_back(axes.empty() ? 0 : 1),
                        mlir::Float32Type::get(row.getContext()));
}

/// f32 for the value's axes.
inline ValueType asF32(mlir::Value value) {
  return withDtype(value, mlir::Float32Type::get(value.getContext()));
}

/// Fails with a diagnostic unless `value` is a row of float numbers for the op called `name`.
mlir::LogicalResult verifyRow(mlir::Operation *op, llvm::StringRef name, mlir::Value value);

/// Fails with a diagnostic unless `value` holds numbers (not indices).
mlir::LogicalResult verifyNumbers(mlir::Operation *op, mlir::Value value);

/// Fails unless `handle` is a declared operand whose role is one of `roles`.
mlir::LogicalResult verifyOperand(mlir::Operation *op, mlir::Value handle,
                                  llvm::ArrayRef<OperandRole> roles);

/// Fails with a diagnostic unless templates/ can read the elements of `tensor`.
mlir::LogicalResult verifyReadable(mlir::Operation *op, mlir::Value tensor);

/// Fails with a diagnostic unless the leading axes of `inner` are a subsequence of those of `row`.
mlir::LogicalResult verifyLeadingAxes(mlir::Operation *op, mlir::Value inner, mlir::Value row);

/// Fails unless `mask` (null: none) is a mask of tokens for what has `axes`.
mlir::LogicalResult verifyMask(mlir::Operation *op, mlir::Value mask,
                               llvm::ArrayRef<AxisAttr> axes);
/// Fails unless `value` has the axes of `tensor`, with a part of its last one that begins at
/// `begin`.
mlir::LogicalResult verifyPart(mlir::Operation *op, ValueType value, TensorType tensor,
                               int64_t begin);

/// Fails with a diagnostic unless `weight`, the op's argument `name`, holds one number for each
/// element of `row`.
mlir::LogicalResult verifyWeight(mlir::Operation *op, llvm::StringRef name, mlir::Value weight,
                                 mlir::Value row);

/// Fails with a diagnostic unless a norm may add `eps` before it takes the root.
mlir::LogicalResult verifyEps(mlir::Operation *op, const llvm::APFloat &eps);

/// Length of a row; the extent of its last axis.
inline int64_t rowLength(mlir::Value row) { return valueType(row).getAxes().back().getExtent(); }

/// True if `value` may be stored where `dtype` is kept.
inline bool storableAs(mlir::Value value, mlir::Type dtype) {
  return valueType(value).getDtype() == dtype ||
         (mlir::isa<mlir::Float8E8M0FNUType>(dtype) && holdsPowersOfTwo(value));
}

/// The f32 literal of C++ that reads back as `value` rounded to f32, e.g. `1e-06f`.
std::string f32Literal(double value);

#define BRAID_OP_FAMILY(Name) void register##Name(OpTable &table);
#include "codegen/ops/OpFamilies.inc"
#undef BRAID_OP_FAMILY

} // namespace braid
