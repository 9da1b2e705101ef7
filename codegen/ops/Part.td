// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_SliceOp : Braid_RowOp<"slice", [Pure], ["constrainSchedule"]> {
  let summary = "Elements begin..end of each row as a row of their own";
  let arguments = (ins Braid_AnyValue:$row, I64Attr:$begin, I64Attr:$end);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = "$row $begin `to` $end attr-dict `:` type($row) `->` type($result)";
  let hasCanonicalizeMethod = 1;
}

def Braid_ConcatOp : Braid_RowOp<"concat", [Pure], ["constrainSchedule", "getJoinedRows"]> {
  let summary = "Rows one behind the other as one row";
  let description = [{
    The leading axes of each part are a subsequence of those of the part that has most. The dtype is
    that of the parts where all have the same, else f32.
  }];
  let arguments = (ins Variadic<Braid_AnyValue>:$parts);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = "$parts attr-dict `:` type($parts) `->` type($result)";
}
