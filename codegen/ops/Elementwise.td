// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_AddOp : Braid_BinaryOp<"add", "lhs + rhs in f32">;
def Braid_SubOp : Braid_BinaryOp<"sub", "lhs - rhs in f32">;
def Braid_MulOp : Braid_BinaryOp<"mul", "lhs * rhs in f32">;
def Braid_DivOp : Braid_BinaryOp<"div", "lhs / rhs in f32, correctly rounded">;
def Braid_MaxOp : Braid_BinaryOp<"max", "the larger operand; the one that is not NaN; max(-0, +0) = +0">;
def Braid_MinOp : Braid_BinaryOp<"min", "the smaller operand; the one that is not NaN; min(-0, +0) = -0">;
def Braid_NegOp : Braid_UnaryOp<"neg", "the sign bit flipped">;
def Braid_AbsOp : Braid_UnaryOp<"abs", "the sign bit cleared">;

def Braid_FmaOp : Braid_ElementwiseOp<"fma"> {
  let summary = "fma(a, b, c) = a * b + c with one rounding";
  let arguments = (ins Braid_AnyValue:$a, Braid_AnyValue:$b, Braid_AnyValue:$c);
  let assemblyFormat = [{
    $a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c) `->` type($result)
  }];
}

def Braid_ConstantOp : Braid_RowOp<"constant", [Pure]> {
  let summary = "A constant expression, evaluated in double and rounded once to f32";
  let arguments = (ins F32Attr:$value);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "double":$value)>];
}
