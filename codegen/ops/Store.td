// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_StoreOp : Braid_RowOp<"store", [MemoryEffects<[MemWrite]>], ["isElementwise"]> {
  let summary = "Stores a value to an output of the same dtype";
  let arguments = (ins Braid_AnyValue:$value, Braid_AnyTensor:$tensor);
  let assemblyFormat = "$value `,` $tensor attr-dict `:` type($value) `,` type($tensor)";
}
