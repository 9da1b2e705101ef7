// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structure of a program: kernel, operands, sections.

#ifndef BRAID_DIALECT_KERNEL_TD
#define BRAID_DIALECT_KERNEL_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "codegen/dialect/BraidOpBase.td"

def Braid_KernelOp : Braid_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "One program: operands in signature order, then row operations, then stores";
  let description = [{
    `axes` are the declared run-time axes. `parameters` are the bound parameters in canonical text.
    After FormSections the body holds operands and `braid.section`s only. A checked build has `checks`:
    the names of an index and of the table or cache in which it chooses, by the number of the check.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$axes, DictionaryAttr:$parameters,
                       OptionalAttr<ArrayAttr>:$checks);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `axes` $axes `parameters` $parameters (`checks` $checks^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Braid_SectionOp : Braid_Op<"section", [SingleBlock, NoTerminator]> {
  let summary = "The rows over one list of leading axes: they share workgroups of their own";
  let description = [{
    `axes` are the leading axes of the stored values, run-time axis first. The schedule is absent until
    AssignSchedule has run.
  }];
  let arguments = (ins ArrayAttr:$axes, OptionalAttr<Braid_ScheduleAttr>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$axes (`schedule` $schedule^)? attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// The leading axes.
    ::llvm::SmallVector<AxisAttr> getLeadingAxes();
    /// Rows of one index of the run-time axis: the product of the other leading extents.
    int64_t getRowsPerToken();
  }];
  let hasVerifier = 1;
}

def Braid_OperandOp : Braid_Op<"operand", [Pure]> {
  let summary = "An operand of the launch, in signature order";
  let description = [{
    A `workspace` holds a local between the kernels of a grouping; `powers_of_two` says that the local
    is a scale that may go on to an e8m0 tensor or field.
  }];
  let arguments = (ins StrAttr:$name, Braid_OperandRoleAttr:$role, UnitAttr:$powers_of_two);
  let results = (outs AnyTypeOf<[Braid_AnyTensor, Braid_AnyCache]>:$handle);
  let assemblyFormat = "$role $name attr-dict `:` type($handle)";
  let hasVerifier = 1;
}

#endif
