// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_QuantizeOp : Braid_RowOp<"quantize", [Pure], ["standsAlone"]> {
  let summary = "Codes of a narrow float format and the scale of each row, or of each group of a row";
  let description = [{
    For each row, or each `group` elements of one: a = max(amax, floor), and the scale is, by rule,
    `ue8m0`: the least power of two s with max * s >= a; `f32_divide`: a / max; `f32_reciprocal`:
    a * (1 / max); `given`: the operand, broadcast to the scales. Codes are encode(x * (1 / s)), or
    encode(x / s) with `divide`. `max` absent means the largest finite value of the format.
  }];
  let arguments = (ins Braid_AnyValue:$row, Optional<Braid_AnyValue>:$given,
                       Braid_ScaleRuleAttr:$rule, OptionalAttr<F64Attr>:$floor,
                       OptionalAttr<F64Attr>:$max, OptionalAttr<I64Attr>:$group, UnitAttr:$divide);
  let results = (outs Braid_AnyValue:$codes, Braid_AnyValue:$scale);
  let assemblyFormat = [{
    $row `scale` $rule (`(` $given^ `:` type($given) `)`)? (`floor` $floor^)? (`max` $max^)?
        (`group` $group^)? (`divide` $divide^)? attr-dict
        `:` type($row) `->` type($codes) `,` type($scale)
  }];
  let extraClassDeclaration = [{
    /// The largest code value: the given one, or the format's.
    double getMaxValue();
    /// Elements that share a scale.
    int64_t getElementsPerScale();
    /// True if the operand `given` has a value for each group of a row.
    bool givenByGroup();
  }];
}
