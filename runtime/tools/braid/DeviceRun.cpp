// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/DeviceRun.h"

#include "codegen/compile/ClangInProcess.h"
#include "runtime/tools/braid/TextErrors.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace braid::tool {

// The emulator runs the text itself; a GPU needs a code object.
static Status prepareKernel(const runtime::HipApi &api, const std::string &text,
                            const KernelMeta &meta, int device,
                            std::shared_ptr<const runtime::Kernel> &kernel) {
  const bool emulated = api.braidEmuLastError != nullptr;
  CompileResult code;
  if (!emulated) {
    const Target *target = nullptr;
    if (Status status = findTarget(meta.target, target); !status.ok())
      return status;
    if (Status status = compileCodeObject(text, *target, {}, code); !status.ok())
      return refusedText(status, programErrors(code.diagnostics, meta), text, meta);
  }
  std::unique_ptr<runtime::Kernel> fresh;
  Status status = runtime::Kernel::prepare(api, meta, emulated ? text : code.bytes, device, fresh);
  kernel = std::move(fresh);
  // The text is ours, so a provider that refuses it has found a fault of ours.
  if (status.id == errorId(Error::ImageRefused))
    return refusedText(status, programErrors(status.why, meta), text, meta);
  return status;
}

Status prepareOn(const std::string &provider, const GeneratedProgram &generated,
                 std::unique_ptr<runtime::Program> &program, const runtime::HipApi *&api) {
  if (Status status = runtime::HipApi::open(provider, api); !status.ok())
    return status;
  int device = 0;
  if (Status status = api->findDevice(generated.signature().target, device); !status.ok())
    return status;
  std::vector<std::shared_ptr<const runtime::Kernel>> kernels;
  for (const auto &[text, meta] : llvm::zip(generated.texts, generated.meta.kernels))
    if (Status status = prepareKernel(*api, text, meta, device, kernels.emplace_back());
        !status.ok())
      return status;
  return runtime::Program::make(*api, generated.meta, std::move(kernels), program);
}

namespace {
// Device copies of the storages behind the operands, one for all that share it; frees them at the
// end.
class DeviceCopies {
public:
  explicit DeviceCopies(const runtime::HipApi &api) : api(api) {}
  ~DeviceCopies() {
    for (void *pointer : allocated)
      (void)api.hipFree(pointer); // nothing can be done about a failed free at the end of a run
  }

  /// Device memory that goes with the copies.
  Status allocate(uint64_t bytes, void *&pointer) {
    if (Status status =
            api.check(api.hipMalloc(&pointer, std::max<uint64_t>(bytes, 16)), "hipMalloc");
        !status.ok())
      return status;
    allocated.push_back(pointer);
    return {};
  }

  /// Says that `bytes` of the storage behind `array` are needed.
  void need(const HostArray &array, uint64_t bytes) {
    uint64_t &size = copies[array.bytes.get()].bytes;
    size = std::max(size, bytes);
  }

  Status upload() {
    for (auto &[host, copy] : copies) {
      if (Status status = allocate(copy.bytes, copy.device); !status.ok())
        return status;
      if (copy.bytes == 0)
        continue;
      if (Status status = api.check(
              api.hipMemcpy(copy.device, host, copy.bytes, hipMemcpyHostToDevice), "hipMemcpy");
          !status.ok())
        return status;
    }
    return {};
  }

  Status download() const {
    for (const auto &[host, copy] : copies)
      if (copy.bytes)
        if (Status status = api.check(
                api.hipMemcpy(host, copy.device, copy.bytes, hipMemcpyDeviceToHost), "hipMemcpy");
            !status.ok())
          return status;
    return {};
  }

  /// Where the first element of `array` lies on the device.
  void *address(const HostArray &array) const {
    return static_cast<std::byte *>(copies.at(array.bytes.get()).device) +
           (array.data() - array.bytes.get());
  }

private:
  struct Copy {
    void *device = nullptr;
    uint64_t bytes = 0;
  };
  const runtime::HipApi &api;
  std::map<std::byte *, Copy> copies; // by the storage on the host
  std::vector<void *> allocated;
};

// Bytes of the storage up to the last element.
uint64_t reachOf(const HostArray &array) {
  int64_t last = array.first;
  for (size_t axis = 0; axis < array.rank(); ++axis) {
    if (array.extents[axis] == 0)
      return 0;
    last += (array.extents[axis] - 1) * array.strides[axis];
  }
  return (static_cast<uint64_t>(last + 1) * array.elementBits() + 7) / 8;
}

// Memory for the values that go from kernel to kernel, for the counts of this launch.
Status reserve(const runtime::Program &program, const OperandSet &set,
               const RequestedCounts &requested, DeviceCopies &copies,
               runtime::Workspace &workspace) {
  if (program.meta().workspaces.empty())
    return {};
  llvm::StringMap<int64_t> counts;
  if (Status status = resolveCounts(program.signature(), set, requested, counts); !status.ok())
    return status;
  std::vector<runtime::RowCount> rows;
  for (const std::string &axis : program.signature().axes)
    rows.push_back({axis, counts.lookup(axis)});
  if (Status status = program.workspaceBytes(rows, workspace.bytes); !status.ok())
    return status;
  return copies.allocate(workspace.bytes, workspace.data);
}
} // namespace

Status runOnce(const runtime::HipApi &api, const runtime::Program &program, OperandSet &set,
               const RequestedCounts &requested, std::vector<Fault> *faults) {
  DeviceCopies copies(api);
  std::vector<runtime::Operand> operands = launchOperands(set);
  // A whole member goes there and back, so that a stray write into its gaps shows.
  for (size_t i = 0; i < operands.size(); ++i)
    copies.need(set.arrays[i], i < set.members.size() && set.members[i]
                                   ? set.members[i]->array.byteCount()
                                   : reachOf(set.arrays[i]));
  if (Status status = copies.upload(); !status.ok())
    return status;
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i].data = copies.address(set.arrays[i]);
  runtime::Workspace workspace;
  if (Status status = reserve(program, set, requested, copies, workspace); !status.ok())
    return status;
  if (Status status =
          program.launch(operands, rowCounts(program.signature(), requested), nullptr, workspace);
      !status.ok())
    return status;
  if (Status status = api.check(api.hipDeviceSynchronize(), "hipDeviceSynchronize"); !status.ok())
    return status;
  if (faults)
    if (Status status = program.faults(*faults); !status.ok())
      return status;
  // Inputs come back too: whoever compares will see if the kernel wrote one.
  return copies.download();
}

} // namespace braid::tool
