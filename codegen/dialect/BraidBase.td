// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The braid dialect: fused row kernels, what is computed on whole rows of run-time axes.

#ifndef BRAID_DIALECT_BASE_TD
#define BRAID_DIALECT_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Braid_Dialect : Dialect {
  let name = "braid";
  let cppNamespace = "::braid";
  let summary = "Row computations between a projection and attention, before lanes and addresses";
  let description = [{
    A `braid.kernel` is straight-line code over values whose axes have names. Operands are declared,
    loaded, combined by row operations and stored; rounding points are operations of their own.
    Passes first decide which stores share a section of the launch (`braid.section`), then how the
    bits of a row's element index map to registers and lanes (`#braid.schedule`), then lower to emitc.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

class Braid_Type<string name, string typeMnemonic> : TypeDef<Braid_Dialect, name> {
  let mnemonic = typeMnemonic;
}

class Braid_Attr<string name, string attrMnemonic> : AttrDef<Braid_Dialect, name> {
  let mnemonic = attrMnemonic;
}

#endif
