// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_LoadOp : Braid_RowOp<"load", [MemoryEffects<[MemRead]>], ["isElementwise"]> {
  let summary = "An operand's value at entry, converted to f32 (integers stay integers)";
  let arguments = (ins Braid_AnyTensor:$tensor);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$tensor)>];
}
