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

#endif
