// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call of LaunchPlan::resolve, step by step. Lives on the caller's stack.

#pragma once

#include "runtime/LaunchPlan.h"
#include "runtime/Overlap.h"

namespace braid::runtime {

class LaunchResolver {
public:
  LaunchResolver(const LaunchPlan &plan, std::span<const Operand> operands, ResolvedLaunch &launch)
      : plan(plan), meta(plan.kernel), operands(operands), launch(launch) {}

  Status run(std::span<const RowCount> rowCounts, const Footprint &scratch);
  Status findGrid();
  void fillArguments();

private:
  // Signature: what must hold whatever the counts are.
  Status checkSignature() const;
  Status checkDense(unsigned index) const;
  Status checkCache(unsigned index) const;
  // Counts and grid.
  Status findCounts(std::span<const RowCount> rowCounts);
  Status checkTables() const;
  // Memory: what must hold of the elements that this launch touches.
  Status checkMemory(unsigned index);
  Status checkStrides(unsigned index);
  Status checkPointer(const OperandMeta &operand, const void *data, uint64_t align) const;
  Status checkPages(unsigned index);
  Status checkOverlap() const;
  Status checkScratch(const Footprint &scratch) const;

  uint64_t liveExtent(unsigned operand, unsigned axis) const;
  bool isTouched(unsigned operand) const;
  /// Pages that the launch uses of a cache: the least number over its buffers.
  int64_t livePages(unsigned operand) const;

  const LaunchPlan &plan;
  const KernelMeta &meta;
  std::span<const Operand> operands;
  ResolvedLaunch &launch;
  std::array<Footprint, kMostOperands> footprints;
};

} // namespace braid::runtime
