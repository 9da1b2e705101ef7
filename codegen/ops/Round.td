// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_RoundOp : Braid_RowOp<"round", [Pure], ["isElementwise", "isRoundingPoint"]> {
  let summary = "A rounding point: to the nearest value of the result's dtype, ties to even";
  let arguments = (ins Braid_AnyValue:$value);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasCanonicalizeMethod = 1;
}
