// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_GatherOp : Braid_RowOp<"gather", [MemoryEffects<[MemRead]>], ["getIndices"]> {
  let summary = "`table[pos]`: rows of a table chosen by positions, which are clamped to the table";
  let description = [{
    The leading axis of the table is run-time and is replaced by the axes of the positions.
    Unnamed axes of extent 1 between it and the last are left out.
  }];
  let arguments = (ins Braid_AnyTensor:$table, Braid_AnyValue:$position);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = [{
    $table `[` $position `]` attr-dict `:` type($table) `,` type($position) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$table, "::mlir::Value":$position)>];
}
