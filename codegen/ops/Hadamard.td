// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_HadamardOp : Braid_RowOp<"hadamard", [Pure], ["standsAlone"]> {
  let summary = "Walsh-Hadamard transform of each row, then times scale";
  let description = [{
    Butterflies from stride 1 upward: of elements a and b whose indices differ in the stride's bit the
    lower becomes a + b and the upper a - b. Rows have a power of two of elements.
  }];
  let arguments = (ins Braid_AnyValue:$row, F64Attr:$scale);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = "$row `scale` $scale attr-dict `:` type($row) `->` type($result)";
}
