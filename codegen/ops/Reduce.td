// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
class Braid_ReduceOp<string mnemonic, string what> : Braid_RowOp<mnemonic, [Pure]> {
  let summary = what;
  let arguments = (ins Braid_AnyValue:$row);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = "$row attr-dict `:` type($row) `->` type($result)";
}

def Braid_SumOp : Braid_ReduceOp<"sum", "The sum of each row, by the balanced tree over its elements">;
def Braid_AmaxOp : Braid_ReduceOp<"amax", "The largest magnitude of each row; NaN and infinity count as the largest finite f32">;
