// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_StoreOp : Braid_RowOp<"store", [MemoryEffects<[MemWrite]>], ["isElementwise", "getRowBegin"]> {
  let summary = "Stores a value to an output of the same dtype";
  let description = [{
    With a mask, only the tokens for which it is true are stored. `at` writes a part of each row only:
    as many elements as the value has.
  }];
  let arguments = (ins Braid_AnyValue:$value, Braid_AnyTensor:$tensor, Optional<Braid_AnyValue>:$mask,
                       OptionalAttr<I64Attr>:$begin);
  let assemblyFormat = [{
    $value `,` $tensor (`at` $begin^)? (`if` $mask^)? attr-dict
        `:` type($value) `,` type($tensor) (`if` type($mask)^)?
  }];
}
