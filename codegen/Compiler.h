// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole way through codegen for one kernel: a program's module to HIP text and metadata, or to
// reference results. Failures are MLIR diagnostics at program places; the caller's handler has
// them.

#pragma once

#include "codegen/passes/Passes.h"
#include "runtime/Fault.h"
#include "runtime/HostArray.h"
#include "runtime/ProgramMeta.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace braid {

struct CompileRequest {
  std::string target;
  std::vector<std::string> outputs = {}; ///< outputs and caches to keep; empty: all
  std::string grouping = {};             ///< `q8, w | index_k`; empty: the preset's, or fused
  bool checked = false;                  ///< count indices outside their table or cache
  std::vector<std::string> bits = {};    ///< LENGTH=LETTERS: given assignments of index bits
};

/// A program in one grouping: its kernels in the order of their launch.
struct GeneratedProgram {
  ProgramMeta meta;               ///< with the metadata of each kernel
  std::vector<std::string> texts; ///< HIP, one a kernel

  /// Operands, axes and layouts of the whole launch, as a caller meets them.
  const KernelMeta &signature() const { return meta.signature; }
};

/// Registers what parsing and compiling need.
void loadBraidDialects(mlir::MLIRContext &context);

/// The module of `program` after the passes up to `stage`; `program` itself is not changed.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
runPipeline(mlir::ModuleOp program, const CompileRequest &request, Stage stage);

/// The HIP texts for one target, with their metadata.
mlir::FailureOr<GeneratedProgram> generateHip(mlir::ModuleOp program,
                                              const CompileRequest &request);

/// Runs the program on the reference interpreter: writes outputs and caches in place. `operands` by
/// name, shaped as `meta` says; `counts` for each run-time axis (none above the operands' extents).
/// Of a checked request `faults` gets what was found, as the kernel would.
mlir::LogicalResult interpret(mlir::ModuleOp program, const CompileRequest &request,
                              const llvm::StringMap<HostArray> &operands,
                              const llvm::StringMap<int64_t> &counts,
                              std::vector<FaultCount> *faults = nullptr);

} // namespace braid
