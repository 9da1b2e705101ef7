// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_StoreOp : Braid_RowOp<"store", [MemoryEffects<[MemWrite]>], ["isElementwise"]> {
  let summary = "Stores a value to an output of the same dtype";
  let description = "With a mask, only the tokens for which it is true are stored.";
  let arguments = (ins Braid_AnyValue:$value, Braid_AnyTensor:$tensor, Optional<Braid_AnyValue>:$mask);
  let assemblyFormat = [{
    $value `,` $tensor (`if` $mask^)? attr-dict `:` type($value) `,` type($tensor) (`if` type($mask)^)?
  }];
}
