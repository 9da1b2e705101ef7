// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_LoadOp : Braid_RowOp<"load", [MemoryEffects<[MemRead]>], ["isElementwise"]> {
  let summary = "An operand's value at entry, converted to f32 (integers stay integers)";
  let description = [{
    Codes and values of 16 bits that an earlier kernel stored may also keep their dtype. `is_row` is
    what the whole program makes of the value; without it the ops around the load decide.
  }];
  let arguments = (ins Braid_AnyTensor:$tensor, OptionalAttr<BoolAttr>:$is_row);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor)>];
}
