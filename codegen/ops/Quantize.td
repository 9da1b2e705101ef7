// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_QuantizeOp : Braid_RowOp<"quantize", [Pure], ["standsAlone"]> {
  let summary = "Codes of an fp8 format and the scale of each row";
  let description = [{
    a = max(amax(row), floor); `ue8m0`: the least power of two s with max * s >= a. Codes are
    encode(x * (1/s)). `max` absent means the largest finite value of the format.
  }];
  let arguments = (ins Braid_AnyValue:$row, Braid_ScaleRuleAttr:$rule, F64Attr:$floor,
                       OptionalAttr<F64Attr>:$max);
  let results = (outs Braid_AnyValue:$codes, Braid_AnyValue:$scale);
  let assemblyFormat = [{
    $row `scale` $rule `floor` $floor (`max` $max^)? attr-dict
        `:` type($row) `->` type($codes) `,` type($scale)
  }];
  let extraClassDeclaration = [{
    /// The largest code value: the given one, or the format's.
    double getMaxValue();
  }];
}
