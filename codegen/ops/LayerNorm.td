// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_LayerNormOp : Braid_RowOp<"layer_norm", [Pure], ["standsAlone"]> {
  let summary = "Layer normalisation of each row: two passes, biased variance, fma with gamma and beta";
  let arguments = (ins Braid_AnyValue:$row, Braid_AnyValue:$gamma, Braid_AnyValue:$beta, F64Attr:$eps);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = [{
    $row `,` $gamma `,` $beta `eps` $eps attr-dict
        `:` type($row) `,` type($gamma) `,` type($beta) `->` type($result)
  }];
}
