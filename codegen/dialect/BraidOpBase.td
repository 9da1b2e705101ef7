// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Base classes for codegen/ops/*.td.

#ifndef BRAID_DIALECT_OPBASE_TD
#define BRAID_DIALECT_OPBASE_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "codegen/dialect/BraidTypes.td"
include "codegen/dialect/BraidInterfaces.td"

class Braid_Op<string mnemonic, list<Trait> traits = []> : Op<Braid_Dialect, mnemonic, traits>;

// `overrides` names the interface methods whose default the op replaces.
class Braid_RowOp<string mnemonic, list<Trait> traits = [], list<string> overrides = []>
    : Braid_Op<mnemonic, traits # [DeclareOpInterfaceMethods<Braid_RowOpInterface, overrides>]> {
  let hasVerifier = 1;
}

// Ops whose values meet element by element.
class Braid_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Braid_RowOp<mnemonic, [Pure] # traits, ["isElementwise"]> {
  let results = (outs Braid_AnyValue:$result);
}

class Braid_UnaryOp<string mnemonic, string what> : Braid_ElementwiseOp<mnemonic> {
  let summary = what;
  let arguments = (ins Braid_AnyValue:$value);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
}

class Braid_BinaryOp<string mnemonic, string what> : Braid_ElementwiseOp<mnemonic> {
  let summary = what;
  let arguments = (ins Braid_AnyValue:$lhs, Braid_AnyValue:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

#endif
