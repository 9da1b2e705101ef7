// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks have no memory effect of MLIR's: what they write is no operand of the program, so no pass
// takes one for a store, and none removes it.
def Braid_CheckOp : Braid_RowOp<"check", []> {
  let summary = "Counts the indices outside a table or a cache: checked builds only";
  let description = [{
    `number` is the check's place in the kernel's `checks`. A slot of -1 is padding and no fault. With a
    mask, only the tokens for which it is true are looked at.
  }];
  let arguments = (ins I64Attr:$number, Braid_AnyValue:$index,
                       AnyTypeOf<[Braid_AnyTensor, Braid_AnyCache]>:$chosenFrom,
                       Optional<Braid_AnyValue>:$mask);
  let assemblyFormat = [{
    $number $index `in` $chosenFrom (`if` $mask^)? attr-dict
    `:` type($index) `in` type($chosenFrom) (`if` type($mask)^)?
  }];
}
