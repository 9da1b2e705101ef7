// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of one grouping behind one handle: they are checked together, share their row counts
// and go to one stream in order. Locals on their way from kernel to kernel lie in a workspace,
// which the caller gives to each launch or the program owns. A Program is immutable, so any number
// of threads may launch it; launches that share a workspace must be ordered by their stream.

#pragma once

#include "runtime/Kernel.h"
#include "runtime/ProgramMeta.h"

namespace braid::runtime {

// Bounds of the fixed buffers of a launch; prepare() refuses programs beyond them.
inline constexpr size_t kMostKernels = 32;
inline constexpr size_t kMostWorkspaces = 32;
/// Each workspace begins at a multiple of it, and so does the memory that holds them.
inline constexpr uint64_t kWorkspaceAlign = 256;

struct Workspace {
  void *data = nullptr;
  uint64_t bytes = 0;
};

class Program {
public:
  /// Loads `images`, one a kernel. With `ownedFor`, the largest count of each axis that will be
  /// launched without a workspace of the caller's, the program allocates one and keeps it until it
  /// is destroyed. Errors: those of Kernel::prepare, completeProgram and workspaceBytes.
  static Status prepare(const HipApi &api, ProgramMeta meta,
                        std::span<const std::string_view> images, int device,
                        std::unique_ptr<Program> &program, std::span<const RowCount> ownedFor = {});

  /// The same from kernels that are loaded already, in the order of the metadata; programs may
  /// share them.
  static Status make(const HipApi &api, ProgramMeta meta,
                     std::vector<std::shared_ptr<const Kernel>> kernels,
                     std::unique_ptr<Program> &program, std::span<const RowCount> ownedFor = {});
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// Bytes of workspace that a launch of these counts needs: each workspace densely, one after
  /// another from multiples of 256. 0 where the program has none. Errors: CountMissing,
  /// CountUnknownAxis, ExtentTooLarge, AddressOverflow.
  Status workspaceBytes(std::span<const RowCount> counts, uint64_t &bytes) const;

  /// Checks the operands (in the order of signature()) for all kernels, then enqueues them. The
  /// counts are the minimum over all operands, for every kernel. Allocates nothing; nothing is
  /// enqueued where it refuses. Errors: BR53xx, KernelFault, DeviceCallFailed.
  Status launch(std::span<const Operand> operands, std::span<const RowCount> rowCounts = {},
                hipStream_t stream = nullptr, Workspace workspace = {}) const;

  /// Of a checked build: what Kernel::faults says, over all kernels, in the order of the program's
  /// checks. Launches of one checked program must not overlap.
  Status faults(std::vector<Fault> &found, hipStream_t stream = nullptr) const;

  const ProgramMeta &meta() const { return description; }
  const KernelMeta &signature() const { return description.signature; }
  int device() const { return kernels.front()->device(); }

private:
  Program() = default;

  // Where an operand of a kernel comes from.
  struct Origin {
    bool workspace = false;
    unsigned index = 0;
  };
  struct WorkspaceAxis {
    uint64_t extent = 0;
    int counted = -1; // run-time axis of the signature
  };

  Status link();
  Status sizeWorkspaces(const std::array<uint64_t, kMostAxes> &counts,
                        std::array<uint64_t, kMostWorkspaces> &offsets, uint64_t &bytes) const;
  Status checkWorkspace(const Workspace &given, uint64_t bytes) const;
  Status launchAll(std::span<const Operand> operands, ResolvedLaunch &whole, hipStream_t stream,
                   const Workspace &workspace) const;

  const HipApi *api = nullptr;
  ProgramMeta description;
  LaunchPlan signaturePlan;
  std::vector<std::shared_ptr<const Kernel>> kernels;
  std::vector<std::vector<Origin>> origins;      // [kernel][operand]
  std::vector<std::vector<unsigned>> kernelAxes; // [kernel][axis] -> axis of the signature
  std::vector<std::vector<WorkspaceAxis>> workspaceAxes;
  Workspace owned;
};

} // namespace braid::runtime
