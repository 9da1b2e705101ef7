// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From operands to kernel arguments: every rule of semantics.md section 6 that the host can check,
// then the values in the order of the metadata and the size of the grid. Touches no device. A plan
// is immutable once made, and resolve() uses only the caller's stack: any thread, no lock, no heap
// unless it fails.

#pragma once

#include "runtime/KernelMeta.h"
#include "runtime/Operand.h"
#include "runtime/Overlap.h"
#include "runtime/Status.h"

#include <array>
#include <span>
#include <vector>

namespace braid::runtime {

// Bounds of the fixed buffers of a launch; make() refuses kernels beyond them.
inline constexpr size_t kMostArguments = 256;
inline constexpr size_t kMostOperands = 64;
inline constexpr size_t kMostAxes = 8;                    // run-time axes of a kernel
inline constexpr size_t kMostOperandAxes = 16;            // axes of one operand
inline constexpr int64_t kStrideLimit = int64_t(1) << 31; // elements; strides are below it

struct ResolvedLaunch {
  std::array<uint64_t, kMostArguments>
      values;                             // one an argument; the low bytes hold the narrower types
  std::array<uint64_t, kMostAxes> counts; // one a run-time axis
  uint32_t workgroups = 0;                // 0: nothing to launch
};

class LaunchPlan {
public:
  /// Errors: those of validate(), and MetadataInconsistent beyond the bounds above.
  static Status make(KernelMeta meta, LaunchPlan &plan);

  /// Of a signature alone, without arguments and sections: for `resolve` to check operands and find
  /// the counts of several kernels at once.
  static Status makeSignature(KernelMeta signature, LaunchPlan &plan);

  /// Operands in signature order. For each run-time axis the count is the minimum over the operands
  /// that have it, or the caller's smaller one. Errors: the BR53xx of Errors.def, each naming the
  /// operand and the axis.
  /// `scratch` is memory that the launch writes too (no rows: none).
  Status resolve(std::span<const Operand> operands, std::span<const RowCount> rowCounts,
                 ResolvedLaunch &launch, const Footprint &scratch = {}) const;

  /// The grid for `launch.counts`. Errors: GridTooLarge.
  Status findGrid(ResolvedLaunch &launch) const;
  /// The arguments for operands that were checked with the counts and the grid of `launch`.
  void fill(std::span<const Operand> operands, ResolvedLaunch &launch) const;

  const KernelMeta &meta() const { return kernel; }

private:
  friend class LaunchResolver;
  static constexpr int kNotRunTime = -1;
  struct Argument {
    unsigned operand = 0; // Count: the run-time axis
    unsigned axis = 0;
  };

  static Status makeChecked(KernelMeta meta, LaunchPlan &plan);

  KernelMeta kernel;
  std::vector<std::vector<int>> axisOf; // [operand][axis] -> run-time axis, or kNotRunTime
  std::vector<Argument> arguments;
  std::vector<unsigned> sectionAxis;
};

} // namespace braid::runtime
