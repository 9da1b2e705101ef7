// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_LoadOp : Braid_RowOp<"load", [MemoryEffects<[MemRead]>], ["isElementwise", "getRowBegin"]> {
  let summary = "An operand's value at entry, converted to f32 (integers stay integers)";
  let description = [{
    `from` reads a part of each row only: as many elements as the result has. Codes and values of 16
    bits that an earlier kernel stored may also keep their dtype. `is_row` is what the whole program
    makes of the value; without it the ops around the load decide.
  }];
  let arguments = (ins Braid_AnyTensor:$tensor, OptionalAttr<BoolAttr>:$is_row, OptionalAttr<I64Attr>:$begin);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = "$tensor (`from` $begin^)? attr-dict `:` type($tensor) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor)>];
}
