// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/DeviceRun.h"

#include "codegen/compile/ClangInProcess.h"

#include <algorithm>

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
      return status;
  }
  return runtime::Kernel::prepare(*api, generated.meta, emulated ? generated.hip : code.bytes, device,
                                  kernel);
}

namespace {
// Device copies of the operands; frees them at the end.
class DeviceCopies {
public:
  explicit DeviceCopies(const runtime::HipApi &api) : api(api) {}
  ~DeviceCopies() {
    for (void *pointer : pointers)
      (void)api.hipFree(pointer); // nothing can be done about a failed free at the end of a run
  }

  Status upload(const HostArray &array) {
    void *pointer = nullptr;
    uint64_t bytes = array.byteCount();
    if (Status status = api.check(api.hipMalloc(&pointer, std::max<uint64_t>(bytes, 16)), "hipMalloc");
        !status.ok())
      return status;
    pointers.push_back(pointer);
    if (bytes == 0)
      return {};
    return api.check(api.hipMemcpy(pointer, array.data(), bytes, hipMemcpyHostToDevice), "hipMemcpy");
  }

  Status download(size_t index, const HostArray &array) const {
    if (array.byteCount() == 0)
      return {};
    return api.check(
        api.hipMemcpy(array.data(), pointers[index], array.byteCount(), hipMemcpyDeviceToHost),
        "hipMemcpy");
  }

  void *operator[](size_t index) const { return pointers[index]; }

private:
  const runtime::HipApi &api;
  std::vector<void *> pointers;
};
} // namespace

Status runOnce(const runtime::HipApi &api, const runtime::Kernel &kernel, OperandSet &set,
               const RequestedCounts &requested) {
  DeviceCopies copies(api);
  std::vector<runtime::Operand> operands = launchOperands(set);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (Status status = copies.upload(set.arrays[i]); !status.ok())
      return status;
    operands[i].data = copies[i];
  }
  if (Status status = kernel.launch(operands, rowCounts(kernel.meta(), requested)); !status.ok())
    return status;
  if (Status status = api.check(api.hipDeviceSynchronize(), "hipDeviceSynchronize"); !status.ok())
    return status;
  // Inputs come back too: whoever compares will see if the kernel wrote one.
  for (size_t i = 0; i < operands.size(); ++i)
    if (Status status = copies.download(i, set.arrays[i]); !status.ok())
      return status;
  return {};
}

} // namespace braid::tool
