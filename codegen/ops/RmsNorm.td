// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_RmsRstdOp : Braid_RowOp<"rms_rstd", [Pure]> {
  let summary = "1 / sqrt(sum(row * row) / n + eps) of each row";
  let arguments = (ins Braid_AnyValue:$row, F64Attr:$eps);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = "$row `eps` $eps attr-dict `:` type($row) `->` type($result)";
}

def Braid_RmsNormOp : Braid_RowOp<"rms_norm", [Pure], ["standsAlone"]> {
  let summary = "Each row by its rms_rstd, times gamma (`plain`) or 1 + gamma (`one_plus`)";
  let arguments = (ins Braid_AnyValue:$row, Braid_AnyValue:$gamma, F64Attr:$eps,
                       Braid_NormWeightAttr:$weight);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = [{
    $row `,` $gamma `eps` $eps `weight` $weight attr-dict
        `:` type($row) `,` type($gamma) `->` type($result)
  }];
}
