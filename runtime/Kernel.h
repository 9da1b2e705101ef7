// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is ready to run on one device. prepare() may compile (emulator) and load; launch()
// only checks, fills arguments and enqueues: no compilation, no lock, no heap unless it fails. A
// Kernel is immutable, so any number of threads may launch it. Its module stays loaded until the
// process ends, because captured graphs may outlive the handle.

#pragma once

#include "runtime/Fault.h"
#include "runtime/HipApi.h"
#include "runtime/LaunchPlan.h"

#include <memory>
#include <span>
#include <string_view>

namespace braid::runtime {

/// What was counted, by the number of the check, with the names that `meta` gives; checks without
/// faults are left out.
std::vector<Fault> namedFaults(const KernelMeta &meta, std::span<const FaultCount> counts);

/// The faults of several kernels in the order of the checks of `signature`.
std::vector<Fault> inCheckOrder(const KernelMeta &signature, std::vector<Fault> faults);

class Kernel {
public:
  /// Loads `image` (a code object; for the emulator the HIP text) on the device with that ordinal.
  /// Errors: those of LaunchPlan::make, DeviceMissing, DeviceMismatch, ImageRefused,
  /// DeviceCallFailed.
  static Status prepare(const HipApi &api, KernelMeta meta, std::string_view image, int device,
                        std::unique_ptr<Kernel> &kernel);

  /// Checks the operands (signature order; see LaunchPlan::resolve) and enqueues the kernel on
  /// `stream` (null: the default stream). All counts 0: right, and nothing is enqueued. On the
  /// emulator it has run when this returns. Errors: BR53xx, KernelFault, DeviceCallFailed.
  Status launch(std::span<const Operand> operands, std::span<const RowCount> rowCounts = {},
                hipStream_t stream = nullptr) const;

  /// Of a checked build: the checks that the latest launch has failed, once it has ended on
  /// `stream`, which this call waits for. Each launch begins with no faults, so launches of one
  /// checked kernel must not overlap. Errors: DeviceCallFailed. Fast builds have no faults.
  Status faults(std::vector<Fault> &found, hipStream_t stream = nullptr) const;

  /// Enqueues the kernel with arguments that its plan has filled; without workgroups only the
  /// faults of an earlier launch go.
  Status enqueue(ResolvedLaunch &resolved, hipStream_t stream) const;

  const LaunchPlan &launchPlan() const { return plan; }
  const KernelMeta &meta() const { return plan.meta(); }
  int device() const { return ordinal; }

private:
  Kernel() = default;
  size_t faultBytes() const;
  Status clearFaults(hipStream_t stream) const;

  const HipApi *api = nullptr;
  LaunchPlan plan;
  hipFunction_t function = nullptr;
  int ordinal = 0;
  // Device memory of a checked build; like the module it stays until the process ends.
  void *faultBuffer = nullptr;
};

} // namespace braid::runtime
