// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Program.h"

#include "runtime/CurrentDevice.h"

#include <algorithm>
#include <fmt/format.h>

namespace braid::runtime {
namespace {

Status tooMany(const char *what, size_t count, size_t most) {
  return makeError(Error::MetadataInconsistent, fmt::format("the program has {} {}", count, what),
                   fmt::format("a launch has room for {}", most),
                   "choose a grouping of fewer groups");
}

Status inconsistent(std::string what) {
  return makeError(Error::MetadataInconsistent, std::move(what),
                   "kernels and list must come from one compilation", "generate the program again");
}

unsigned indexOf(const std::vector<std::string> &names, const std::string &name) {
  return static_cast<unsigned>(std::ranges::find(names, name) - names.begin());
}

} // namespace

// --- prepare ----------------------------------------------------------------------------------

Status Program::prepare(const HipApi &api, ProgramMeta meta,
                        std::span<const std::string_view> images, int device,
                        std::unique_ptr<Program> &program, std::span<const RowCount> ownedFor) {
  if (images.size() != meta.kernels.size())
    return inconsistent(
        fmt::format("{} images for {} kernels", images.size(), meta.kernels.size()));
  std::vector<std::shared_ptr<const Kernel>> kernels;
  for (size_t i = 0; i < images.size(); ++i) {
    std::unique_ptr<Kernel> kernel;
    if (Status status = Kernel::prepare(api, meta.kernels[i], images[i], device, kernel);
        !status.ok())
      return status;
    kernels.push_back(std::move(kernel));
  }
  return make(api, std::move(meta), std::move(kernels), program, ownedFor);
}

Status Program::make(const HipApi &api, ProgramMeta meta,
                     std::vector<std::shared_ptr<const Kernel>> kernels,
                     std::unique_ptr<Program> &program, std::span<const RowCount> ownedFor) {
  std::unique_ptr<Program> fresh(new Program);
  fresh->api = &api;
  if (Status status = completeProgram(meta); !status.ok())
    return status;
  fresh->description = std::move(meta);
  fresh->kernels = std::move(kernels);
  if (Status status = fresh->link(); !status.ok())
    return status;
  if (!ownedFor.empty()) {
    uint64_t bytes = 0;
    if (Status status = fresh->workspaceBytes(ownedFor, bytes); !status.ok())
      return status;
    const CurrentDevice current(api, fresh->device());
    if (Status status = api.check(current.result, "hipSetDevice"); !status.ok())
      return status;
    if (bytes)
      if (Status status = api.check(api.hipMalloc(&fresh->owned.data, bytes), "hipMalloc");
          !status.ok())
        return status;
    fresh->owned.bytes = bytes;
  }
  program = std::move(fresh);
  return {};
}

Program::~Program() {
  if (owned.data)
    (void)api->hipFree(owned.data); // nothing to do about a failure here
}

// Numbers instead of names, so that a launch looks nothing up.
Status Program::link() {
  const ProgramMeta &meta = description;
  if (kernels.size() != meta.kernels.size())
    return inconsistent(
        fmt::format("{} kernels are loaded, not {}", kernels.size(), meta.kernels.size()));
  if (kernels.size() > kMostKernels)
    return tooMany("kernels", kernels.size(), kMostKernels);
  if (meta.workspaces.size() > kMostWorkspaces)
    return tooMany("workspaces", meta.workspaces.size(), kMostWorkspaces);
  Status status = kernels.size() == 1 ? LaunchPlan::make(meta.signature, signaturePlan)
                                      : LaunchPlan::makeSignature(meta.signature, signaturePlan);
  if (!status.ok())
    return status;
  for (const KernelMeta &kernel : meta.kernels) {
    std::vector<Origin> &from = origins.emplace_back();
    for (const OperandMeta &operand : kernel.operands) {
      const auto matches = [&](const auto &other) { return other.name == operand.name; };
      const auto index =
          operand.workspace
              ? std::ranges::find_if(meta.workspaces, matches) - meta.workspaces.begin()
              : std::ranges::find_if(meta.signature.operands, matches) -
                    meta.signature.operands.begin();
      from.push_back({operand.workspace, static_cast<unsigned>(index)});
    }
    std::vector<unsigned> &axes = kernelAxes.emplace_back();
    for (const std::string &axis : kernel.axes)
      axes.push_back(indexOf(meta.signature.axes, axis));
  }
  for (const WorkspaceMeta &workspace : meta.workspaces) {
    std::vector<WorkspaceAxis> &axes = workspaceAxes.emplace_back();
    uint64_t stride = 1; // of the run-time axis, which comes first
    for (const AxisMeta &axis : workspace.axes) {
      axes.push_back(
          {axis.extent.value_or(0),
           axis.extent ? -1 : static_cast<int>(indexOf(meta.signature.axes, axis.name))});
      if (__builtin_mul_overflow(stride, axis.extent.value_or(1), &stride) ||
          stride >= uint64_t(kStrideLimit))
        return makeError(Error::StrideTooLarge,
                         fmt::format("workspace `{}` has {} elements or more for one index of `{}`",
                                     workspace.name, kStrideLimit, workspace.axes.front().name),
                         "a stride is below 2^31 elements",
                         "choose a grouping that does not store it");
    }
  }
  return {};
}

// --- workspaces -------------------------------------------------------------------------------

Status Program::sizeWorkspaces(const std::array<uint64_t, kMostAxes> &counts,
                               std::array<uint64_t, kMostWorkspaces> &offsets,
                               uint64_t &bytes) const {
  bytes = 0;
  for (size_t i = 0; i < workspaceAxes.size(); ++i) {
    uint64_t size = dtypeBytes(description.workspaces[i].dtype);
    bool overflow = false;
    for (const WorkspaceAxis &axis : workspaceAxes[i])
      overflow |= __builtin_mul_overflow(
          size, axis.counted < 0 ? axis.extent : counts[axis.counted], &size);
    overflow |= __builtin_add_overflow(size, kWorkspaceAlign - 1, &size);
    size -= size % kWorkspaceAlign;
    offsets[i] = bytes;
    if (overflow || __builtin_add_overflow(bytes, size, &bytes))
      return makeError(
          Error::AddressOverflow,
          fmt::format("workspace `{}` has 2^64 bytes or more", description.workspaces[i].name),
          "the counts multiply its extents", "launch in parts, with smaller counts");
  }
  return {};
}

Status Program::workspaceBytes(std::span<const RowCount> counts, uint64_t &bytes) const {
  bytes = 0;
  const std::vector<std::string> &axes = signature().axes;
  std::array<uint64_t, kMostAxes> found = {};
  std::array<bool, kMostAxes> given = {};
  for (const RowCount &count : counts) {
    const auto axis = std::ranges::find(axes, count.axis);
    if (axis == axes.end())
      return makeError(
          Error::CountUnknownAxis, fmt::format("there is no run-time axis `{}`", count.axis),
          fmt::format("the program has: {}", fmt::join(axes, ", ")), "name one of these");
    if (count.count < 0 || count.count >= int64_t(1) << 32)
      return makeError(Error::ExtentTooLarge,
                       fmt::format("a count of {} for `{}`", count.count, count.axis),
                       "a count is 0 or more and below 2^32", "pass the count of a launch");
    found[axis - axes.begin()] = static_cast<uint64_t>(count.count);
    given[axis - axes.begin()] = true;
  }
  for (const std::vector<WorkspaceAxis> &workspace : workspaceAxes)
    for (const WorkspaceAxis &axis : workspace)
      if (axis.counted >= 0 && !given[axis.counted])
        return makeError(
            Error::CountMissing, fmt::format("no count is given for `{}`", axes[axis.counted]),
            "a workspace has that axis", "pass the largest count that will be launched");
  std::array<uint64_t, kMostWorkspaces> offsets;
  return sizeWorkspaces(found, offsets, bytes);
}

Status Program::checkWorkspace(const Workspace &given, uint64_t bytes) const {
  if (bytes == 0)
    return {};
  if (!given.data || given.bytes < bytes)
    return makeError(
        Error::WorkspaceSmall,
        fmt::format("the workspace has {} bytes; the launch needs {}", given.data ? given.bytes : 0,
                    bytes),
        fmt::format("the grouping `{}` passes values from kernel to kernel", description.grouping),
        "give what workspaceBytes says for the counts of the launch");
  if (reinterpret_cast<uintptr_t>(given.data) % kWorkspaceAlign)
    return makeError(Error::WorkspaceMisaligned,
                     fmt::format("the workspace begins {} bytes past a multiple of {}",
                                 reinterpret_cast<uintptr_t>(given.data) % kWorkspaceAlign,
                                 kWorkspaceAlign),
                     "kernels access 16 bytes at once", "begin it at a multiple of 256");
  return {};
}

// --- launch -----------------------------------------------------------------------------------

Status Program::launch(std::span<const Operand> operands, std::span<const RowCount> rowCounts,
                       hipStream_t stream, Workspace workspace) const {
  if (kernels.size() == 1)
    return kernels.front()->launch(operands, rowCounts, stream);
  if (!workspace.data)
    workspace = owned;
  Footprint scratch;
  if (workspace.data && workspace.bytes)
    scratch = {reinterpret_cast<uintptr_t>(workspace.data), 1, 0, workspace.bytes};
  ResolvedLaunch whole;
  if (Status status = signaturePlan.resolve(operands, rowCounts, whole, scratch); !status.ok())
    return status;
  return launchAll(operands, whole, stream, workspace);
}

Status Program::launchAll(std::span<const Operand> operands, ResolvedLaunch &whole,
                          hipStream_t stream, const Workspace &workspace) const {
  std::array<uint64_t, kMostWorkspaces> offsets;
  uint64_t bytes = 0;
  if (Status status = sizeWorkspaces(whole.counts, offsets, bytes); !status.ok())
    return status;
  if (Status status = checkWorkspace(workspace, bytes); !status.ok())
    return status;

  // All grids first: a launch that is refused has enqueued nothing.
  ResolvedLaunch resolved;
  std::array<uint32_t, kMostKernels> grids = {};
  auto takeCounts = [&](size_t kernel) {
    for (size_t axis = 0; axis < kernelAxes[kernel].size(); ++axis)
      resolved.counts[axis] = whole.counts[kernelAxes[kernel][axis]];
  };
  for (size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    takeCounts(kernel);
    if (Status status = kernels[kernel]->launchPlan().findGrid(resolved); !status.ok())
      return status;
    grids[kernel] = resolved.workgroups;
  }

  std::array<Operand, kMostOperands> given;
  std::array<std::array<int64_t, kMostOperandAxes>, kMostWorkspaces> extents, strides;
  for (size_t i = 0; i < workspaceAxes.size(); ++i) {
    int64_t stride = 1;
    for (size_t axis = workspaceAxes[i].size(); axis-- > 0;) {
      const WorkspaceAxis &from = workspaceAxes[i][axis];
      extents[i][axis] =
          static_cast<int64_t>(from.counted < 0 ? from.extent : whole.counts[from.counted]);
      strides[i][axis] = stride;
      stride *= extents[i][axis];
    }
  }
  for (size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    resolved.workgroups = grids[kernel];
    if (resolved.workgroups == 0) { // nothing runs, but the faults of an earlier launch go
      if (Status status = kernels[kernel]->enqueue(resolved, stream); !status.ok())
        return status;
      continue;
    }
    const std::vector<Origin> &from = origins[kernel];
    for (size_t i = 0; i < from.size(); ++i) {
      const unsigned index = from[i].index;
      const size_t rank = from[i].workspace ? workspaceAxes[index].size() : 0;
      given[i] =
          from[i].workspace
              ? Operand{static_cast<std::byte *>(workspace.data) + offsets[index],
                        description.workspaces[index].dtype, std::span(extents[index].data(), rank),
                        std::span(strides[index].data(), rank)}
              : operands[index];
    }
    takeCounts(kernel);
    kernels[kernel]->launchPlan().fill(std::span(given.data(), from.size()), resolved);
    if (Status status = kernels[kernel]->enqueue(resolved, stream); !status.ok())
      return status;
  }
  return {};
}

Status Program::faults(std::vector<Fault> &found, hipStream_t stream) const {
  found.clear();
  for (const std::shared_ptr<const Kernel> &kernel : kernels) {
    std::vector<Fault> more;
    if (Status status = kernel->faults(more, stream); !status.ok())
      return status;
    found.insert(found.end(), more.begin(), more.end());
  }
  found = inCheckOrder(signature(), std::move(found));
  return {};
}

} // namespace braid::runtime
