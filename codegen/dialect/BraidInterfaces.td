// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pass, the interpreter and the emitter may ask of an op. No pass names an op.

#ifndef BRAID_DIALECT_INTERFACES_TD
#define BRAID_DIALECT_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Braid_RowOpInterface : OpInterface<"RowOpInterface"> {
  let cppNamespace = "::braid";
  let description = "An operation on rows of values: which values are rows, its meaning, its emission.";
  let methods = [
    InterfaceMethod<[{
      Adds the operands and results whose last axis is a row: its elements are contiguous in memory and
      are spread over the lanes of one group. The others are scalars of their row.
    }], "void", "getRowValues", (ins "::llvm::SmallVectorImpl<::mlir::Value> &":$rows)>,
    InterfaceMethod<[{
      Adds operands whose last axis the op takes as a row, and as well as the index of a scalar: rows,
      unless another op makes scalars of rows of them.
    }], "void", "getPossibleRows", (ins "::llvm::SmallVectorImpl<::mlir::Value> &":$rows), "",
        [{ return; }]>,
    InterfaceMethod<[{
      True if a value meets others element by element, so that it is a row exactly where they are.
    }], "bool", "isElementwise", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
      Where in the tensor's rows those begin that the op reads or writes; nothing if they are whole.
    }], "std::optional<int64_t>", "getRowBegin", (ins), "", [{ return std::nullopt; }]>,
    InterfaceMethod<[{
      True if the op's only result may carry a narrower dtype, rounded to nearest even at the end.
    }], "bool", "canRoundResult", (ins "::mlir::Type":$dtype), "", [{ return false; }]>,
    InterfaceMethod<[{
      Adds pairs of an index and the table or cache in which it chooses: what a checked build checks.
    }], "void", "getIndices", (ins "::llvm::SmallVectorImpl<::braid::IndexUse> &":$indices), "",
        [{ return; }]>,
    InterfaceMethod<[{
      True if the grouping `unfused` gives the op a kernel of its own, as serving stacks do.
    }], "bool", "standsAlone", (ins), "", [{ return false; }]>,
    InterfaceMethod<"Adds the rows that the op's result is, one behind the other, if that is all it does.",
      "void", "getJoinedRows", (ins "::llvm::SmallVectorImpl<::mlir::Value> &":$parts), "", [{ return; }]>,
    InterfaceMethod<"True if the op does nothing but round its operand.",
      "bool", "isRoundingPoint", (ins), "", [{ return false; }]>,
    InterfaceMethod<"States what the op wants of the assignment of index bits.",
      "void", "constrainSchedule", (ins "::braid::ScheduleWishes &":$wishes), "", [{ return; }]>,
    InterfaceMethod<"The reference meaning on whole arrays, independent of any schedule.",
      "::mlir::LogicalResult", "evaluate", (ins "::braid::Evaluation &":$evaluation)>,
    InterfaceMethod<[{
      Emits what the op needs once for all rows of a token, before the loop over them.
    }], "::mlir::LogicalResult", "emitInvariant", (ins "::braid::Emitter &":$emitter), "",
        [{ return ::mlir::success(); }]>,
    InterfaceMethod<"Emits the calls into templates/ for the rows that one lane group holds.",
      "::mlir::LogicalResult", "emit", (ins "::braid::Emitter &":$emitter)>,
    InterfaceMethod<[{
      Vector operations that one lane executes for each element of the row that it holds, and once a row.
    }], "::braid::OpCost", "getCost", (ins)>
  ];
}

#endif
