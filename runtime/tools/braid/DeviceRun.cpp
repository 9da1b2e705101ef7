// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/DeviceRun.h"

#include "codegen/compile/ClangInProcess.h"
#include "runtime/tools/braid/TextErrors.h"

#include <algorithm>
#include <map>

namespace braid::tool {

Status prepareOn(const std::string &provider, const GeneratedKernel &generated,
                 std::unique_ptr<runtime::Kernel> &kernel, const runtime::HipApi *&api) {
  if (Status status = runtime::HipApi::open(provider, api); !status.ok())
    return status;
  int device = 0;
  if (Status status = api->findDevice(generated.meta.target, device); !status.ok())
    return status;
  // The emulator runs the text itself; a GPU needs a code object.
  CompileResult code;
  bool emulated = api->braidEmuLastError != nullptr;
  if (!emulated) {
    const Target *target = nullptr;
    if (Status status = findTarget(generated.meta.target, target); !status.ok())
      return status;
    if (Status status = compileCodeObject(generated.hip, *target, {}, code); !status.ok())
      return refusedText(status, programErrors(code.diagnostics, generated.meta), generated);
  }
  Status status = runtime::Kernel::prepare(*api, generated.meta,
                                           emulated ? generated.hip : code.bytes, device, kernel);
  // The text is ours, so a provider that refuses it has found a fault of ours.
  if (status.id == errorId(Error::ImageRefused))
    return refusedText(status, programErrors(status.why, generated.meta), generated);
  return status;
}

namespace {
// Device copies of the storages behind the operands, one for all that share it; frees them at the
// end.
class DeviceCopies {
public:
  explicit DeviceCopies(const runtime::HipApi &api) : api(api) {}
  ~DeviceCopies() {
    for (const auto &[host, copy] : copies)
      (void)api.hipFree(copy.device); // nothing can be done about a failed free at the end of a run
  }

  /// Says that `bytes` of the storage behind `array` are needed.
  void need(const HostArray &array, uint64_t bytes) {
    uint64_t &size = copies[array.bytes.get()].bytes;
    size = std::max(size, bytes);
  }

  Status upload() {
    for (auto &[host, copy] : copies) {
      if (Status status = api.check(api.hipMalloc(&copy.device, std::max<uint64_t>(copy.bytes, 16)),
                                    "hipMalloc");
          !status.ok())
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
} // namespace

Status runOnce(const runtime::HipApi &api, const runtime::Kernel &kernel, OperandSet &set,
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
  if (Status status = kernel.launch(operands, rowCounts(kernel.meta(), requested)); !status.ok())
    return status;
  if (Status status = api.check(api.hipDeviceSynchronize(), "hipDeviceSynchronize"); !status.ok())
    return status;
  if (faults)
    if (Status status = kernel.faults(*faults); !status.ok())
      return status;
  // Inputs come back too: whoever compares will see if the kernel wrote one.
  return copies.download();
}

} // namespace braid::tool
