// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes in the order of Pipelines.cpp. Each description names the lit test that shows it.

#ifndef BRAID_PASSES_TD
#define BRAID_PASSES_TD

include "mlir/Pass/PassBase.td"

def ResolveTarget : Pass<"braid-resolve-target", "::mlir::ModuleOp"> {
  let summary = "Fixes the target: `fp8` becomes its flavour, page layouts are checked";
  let description = "Shown by tests/passes/resolve-target.mlir.";
  let options = [Option<"target", "target", "std::string", "", "Target id, such as gfx942">];
}

def SelectOutputs : Pass<"braid-select-outputs", "::mlir::ModuleOp"> {
  let summary = "Keeps the stores to some outputs and what they need; drops unused operands";
  let description = "Shown by tests/passes/select-outputs.mlir.";
  let options = [ListOption<"outputs", "outputs", "std::string",
                            "Outputs and caches to keep (all if empty)">];
}

def AddChecks : Pass<"braid-add-checks", "::mlir::ModuleOp"> {
  let summary = "Checked builds: a check of each index against the table or cache in which it chooses";
  let description = [{
    Each pair of an index and an operand is checked once, whatever its number of users. Where a mask of
    tokens exists, the indices of padding are not looked at, but for the slots that the mask stems from.
    A kernel that has `checks` gets them anew. Shown by tests/passes/add-checks.mlir.
  }];
  let options = [Option<"checked", "checked", "bool", "false", "Checks for kernels without them too">];
}

def FormGroups : Pass<"braid-form-groups", "::mlir::ModuleOp"> {
  let summary = "Turns a kernel into one kernel for each group of a grouping";
  let description = [{
    A value that an earlier group lists is loaded: an output from its tensor, a local from a workspace
    operand of its own dtype, with the mask of all that needs it. Each check goes once, to the first
    group that uses its index and computes all that it looks at. One group changes nothing. Shown by
    tests/passes/form-groups.mlir.
  }];
  let options = [Option<"grouping", "grouping", "std::string", "",
                        "Groups such as `q8, w | index_k`, or fused, unfused (the kernel's own if empty)">];
}

def SplitStores : Pass<"braid-split-stores", "::mlir::ModuleOp"> {
  let summary = "Stores joined rows one by one, each in its place";
  let description = [{
    Behind the forming of groups, for an output is one value until then. Shown by
    tests/passes/split-stores.mlir.
  }];
}

def FoldRounding : Pass<"braid-fold-rounding", "::mlir::ModuleOp"> {
  let summary = "Lets an op round its own result where a rounding point follows it";
  let description = [{
    Only ops that say so, and only where the elements that they pass through are exact in the dtype:
    they can then keep those elements packed. Shown by tests/passes/fold-rounding.mlir.
  }];
}

def FormSections : Pass<"braid-form-sections", "::mlir::ModuleOp"> {
  let summary = "Groups stores by the axes of their rows and gives each group all it computes";
  let description = [{
    Sections share one launch and have workgroups of their own; the one with the fewest rows a token
    comes first, because its rows take longest. Shown by tests/passes/form-sections.mlir.
  }];
}

def AssignSchedule : Pass<"braid-assign-schedule", "::mlir::ModuleOp"> {
  let summary = "Assigns the bits of the element index to registers, lanes and waves, and rows to a workgroup";
  let description = "Shown by tests/passes/assign-schedule.mlir.";
  let options = [ListOption<"bits", "bits", "std::string",
                            "LENGTH=LETTERS: the assignment of rows of that length, instead of a chosen one">];
}

def LowerToEmitC : Pass<"braid-lower-to-emitc", "::mlir::ModuleOp"> {
  let summary = "Turns a scheduled kernel into one emitc.func of calls into templates/";
  let description = "Shown by tests/passes/lower-to-emitc.mlir.";
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

def TestFault : Pass<"braid-test-fault", "::mlir::ModuleOp"> {
  let summary = "Fails on purpose, for the tests of how faults of the compiler are caught";
  let description = "Shown by tests/cli/internal.test.";
  let options = [Option<"kind", "kind", "std::string", "",
                        "silent, foreign, invalid, crash, fatal; print, text, link: what the printer, clang, the linker refuse">];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

#endif
