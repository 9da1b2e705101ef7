// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which stores of a kernel share a section: those whose rows are counted by the same axes.

#pragma once

#include "codegen/grouping/Schedule.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace braid {

struct SectionPlan {
  llvm::SmallVector<AxisAttr> axes;         ///< that count its rows
  mlir::Location location;                  ///< of its first store
  llvm::SmallVector<mlir::Operation *> ops; ///< its stores and all that they need, in program order
};

/// The sections of a kernel without sections, by their first stores.
std::vector<SectionPlan> planSections(mlir::Block &block, const RowAnalysis &rows);

/// For each value whether it is a row in the sections that have it; nothing where they differ.
llvm::DenseMap<mlir::Value, std::optional<bool>> rowsOfSections(mlir::Block &block);

} // namespace braid
