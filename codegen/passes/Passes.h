// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes from a program to emitc, and the one ordered list of them.

#pragma once

#include "codegen/dialect/Braid.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace braid {

#define GEN_PASS_DECL
#include "codegen/passes/Passes.h.inc"

/// Where a pipeline stops.
enum class Stage { Program, Schedule, EmitC };

struct PipelineOptions {
  std::string target;
  std::vector<std::string> outputs; ///< empty: all
  std::string grouping;             ///< empty: the preset's, or fused
  Stage stop = Stage::EmitC;
  bool checked = false;               ///< indices outside their table or cache are counted
  std::vector<std::string> bits = {}; ///< LENGTH=LETTERS: given assignments of index bits
};

/// Program -> checked for the target -> groups -> sections -> schedule -> emitc.
void buildPipeline(mlir::OpPassManager &manager, const PipelineOptions &options);

/// Registers `braid-pipeline` for braid-opt.
void registerBraidPipelines();

#define GEN_PASS_REGISTRATION
#include "codegen/passes/Passes.h.inc"

} // namespace braid
