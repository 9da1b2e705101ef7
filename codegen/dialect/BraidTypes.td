// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types: values with named axes, operands of a launch, paged caches, and the target's own fp8.

#ifndef BRAID_DIALECT_TYPES_TD
#define BRAID_DIALECT_TYPES_TD

include "codegen/dialect/BraidBase.td"
include "codegen/dialect/BraidAttrs.td"

class Braid_AxesType<string name, string mnemonic> : Braid_Type<name, mnemonic> {
  let parameters = (ins ArrayRefParameter<"::braid::AxisAttr">:$axes, "::mlir::Type":$dtype);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Braid_ValueType : Braid_AxesType<"Value", "value"> {
  let summary = "A value of a dtype over axes: `!braid.value<[token, heads = 64, head_dim = 128] x f32>`";
  let description = [{
    Arithmetic values are f32. Another dtype means that every element is exactly representable in it:
    the value is the result of a rounding point or the codes of a quantisation. `i1` is a mask of tokens,
    which only stores and checks take.
  }];
}

def Braid_TensorType : Braid_AxesType<"Tensor", "tensor"> {
  let summary = "An operand of the launch: a strided tensor over axes";
}

def Braid_CacheType : Braid_Type<"Cache", "cache"> {
  let summary = "A paged cache operand";
  let parameters = (ins "::braid::LayoutAttr":$layout);
  let assemblyFormat = "`<` $layout `>`";
}

def Braid_Fp8Type : Braid_Type<"Fp8", "fp8"> {
  let summary = "The target's own e4m3 flavour; replaced by a concrete type once the target is known";
}

def Braid_AnyValue : Type<CPred<"::llvm::isa<::braid::ValueType>($_self)">, "braid value",
                          "::braid::ValueType">;
def Braid_AnyTensor : Type<CPred<"::llvm::isa<::braid::TensorType>($_self)">, "braid tensor",
                           "::braid::TensorType">;
def Braid_AnyCache : Type<CPred<"::llvm::isa<::braid::CacheType>($_self)">, "braid cache",
                          "::braid::CacheType">;

#endif
