// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_RopeOp : Braid_RowOp<"rope", [Pure],
                           ["canRoundResult", "constrainSchedule", "emitInvariant", "standsAlone"]> {
  let summary = "Rotary embedding of dims begin..end of a row by a row of cosines and sines";
  let description = [{
    With R = end - begin, `neox` rotates the pairs (begin+i, begin+i+R/2), `gptj` the pairs
    (begin+2i, begin+2i+1). first = fma(x1, c, -(x2*s)), second = fma(x2, c, x1*s). Elements outside
    begin..end pass through with their own bits. A result dtype other than f32 rounds the rotated
    elements; it is set only where the other elements are exact in it. A row of the table holds all
    cosines, then all sines (`joined`), or cosine and sine of each pair in turn (`pairs`); with `split`
    it holds the cosines, and a row of a second table the sines.
  }];
  let arguments = (ins Braid_AnyValue:$row, Braid_AnyValue:$table,
                       Optional<Braid_AnyValue>:$sines, Braid_RopeStyleAttr:$style, I64Attr:$begin,
                       I64Attr:$end, Braid_TableFormAttr:$form);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = [{
    $row `,` $table (`,` $sines^)? $style `dims` $begin `to` $end `table` $form attr-dict
        `:` type($row) `,` type($table) (`,` type($sines)^)? `->` type($result)
  }];
  let hasCanonicalizeMethod = 1;
}
