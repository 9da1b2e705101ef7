// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the elementwise families share: registration of an op whose operands meet element by
// element, its verifier, its reference by a function of numbers, and its emission as a call.

#pragma once

#include "codegen/ops/OpRegistration.h"

namespace braid {

/// The f32 type of an elementwise result over the operands `operands` of `call`; fills `values`.
mlir::FailureOr<ValueType> bindElementwise(mlir::Location loc, const Call &call,
                                           llvm::ArrayRef<std::string> operands,
                                           llvm::SmallVectorImpl<mlir::Value> &values);

/// Adds `name(operand, ...)`, which makes an OpTy.
template <typename OpTy>
void addElementwise(OpTable &table, const char *name, const char *summary,
                    std::vector<std::string> operands) {
  std::string signature = std::string(name) + "(";
  std::vector<ParamSpec> params;
  for (const std::string &operand : operands) {
    signature += (params.empty() ? "" : ", ") + operand;
    params.push_back({operand, ParamKind::Value, true, "a value or a constant"});
  }
  table.add({name, summary, signature + ")", params,
             [operands](mlir::OpBuilder &builder, mlir::Location loc, const Call &call) -> Results {
               llvm::SmallVector<mlir::Value> values;
               mlir::FailureOr<ValueType> type = bindElementwise(loc, call, operands, values);
               if (failed(type))
                 return mlir::failure();
               return createChecked<OpTy>(builder, loc, mlir::TypeRange(*type),
                                          mlir::ValueRange(values));
             }});
}

mlir::LogicalResult verifyElementwise(mlir::Operation *op);

/// Element by element: `meaning` of the operands' numbers.
mlir::LogicalResult evaluateElementwise(mlir::Operation *op, Evaluation &evaluation,
                                        llvm::function_ref<float(llvm::ArrayRef<float>)> meaning);

/// The operands as numbers, and the C type of the result: a fragment of f32, or f32.
llvm::SmallVector<mlir::Value> elementwiseOperands(mlir::Operation *op, Emitter &e);
std::string elementwiseType(mlir::Operation *op, Emitter &e);

/// The result as a call of `function`, which `header` defines for fragments and for scalars.
mlir::LogicalResult emitElementwiseCall(mlir::Operation *op, Emitter &e, llvm::StringRef header,
                                        llvm::StringRef function);

} // namespace braid
