// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Kernel.h"

#include "codegen/targets/Targets.h"

#include <fmt/format.h>

namespace braid::runtime {
namespace {

/// Makes a device current on this thread and puts the caller's back.
class CurrentDevice {
public:
  CurrentDevice(const HipApi &api, int device) : api(api), device(device) {
    result = api.hipGetDevice(&before);
    if (result == hipSuccess && before != device)
      result = api.hipSetDevice(device);
  }
  ~CurrentDevice() {
    if (before != device && before >= 0)
      (void)api.hipSetDevice(
          before); // nothing to do about a failure here: the next call reports it
  }
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;

  hipError_t result = hipSuccess;

private:
  const HipApi &api;
  int device;
  int before = -1;
};

Status checkDevice(const HipApi &api, const KernelMeta &meta, int device) {
  int count = 0;
  if (Status status = api.deviceCount(count); !status.ok())
    return status;
  if (device < 0 || device >= count)
    return makeError(Error::DeviceMissing,
                     fmt::format("`{}` has no device {}", api.provider, device),
                     fmt::format("it has {} devices", count), "pass an ordinal from 0 on");
  std::string id;
  if (Status status = api.deviceTarget(device, id); !status.ok())
    return status;
  int waveSize = 0;
  if (Status status =
          api.check(api.hipDeviceGetAttribute(&waveSize, hipDeviceAttributeWarpSize, device),
                    "hipDeviceGetAttribute");
      !status.ok())
    return status;
  if (targetChip(id) == targetChip(meta.target) && static_cast<unsigned>(waveSize) == meta.waveSize)
    return {};
  return makeError(
      Error::DeviceMismatch,
      fmt::format("kernel `{}` is compiled for {} (wave {}), device {} is {} (wave {})",
                  meta.kernel, meta.target, meta.waveSize, device, id, waveSize),
      "the wave size, the fp8 flavour and the schedule are in the text",
      fmt::format("compile for {}, or take another device", targetChip(id)));
}

} // namespace

Status Kernel::prepare(const HipApi &api, KernelMeta meta, std::string_view image, int device,
                       std::unique_ptr<Kernel> &kernel) {
  std::unique_ptr<Kernel> fresh(new Kernel);
  fresh->api = &api;
  fresh->ordinal = device;
  if (Status status = LaunchPlan::make(std::move(meta), fresh->plan); !status.ok())
    return status;
  if (Status status = checkDevice(api, fresh->meta(), device); !status.ok())
    return status;
  const CurrentDevice current(api, device);
  if (Status status = api.check(current.result, "hipSetDevice"); !status.ok())
    return status;
  hipModule_t module = nullptr;
  const std::string terminated(image); // the emulator's image is text, ended by a zero byte
  if (Status status =
          api.check(api.hipModuleLoadData(&module, terminated.c_str()), "hipModuleLoadData");
      !status.ok())
    return makeError(Error::ImageRefused,
                     fmt::format("the image of kernel `{}` cannot be loaded", fresh->meta().kernel),
                     status.what + ": " + status.why, "compile the kernel again for this device");
  const std::string &symbol = fresh->meta().symbol;
  if (Status status = api.check(api.hipModuleGetFunction(&fresh->function, module, symbol.c_str()),
                                "hipModuleGetFunction");
      !status.ok())
    return makeError(Error::ImageRefused, fmt::format("the image has no kernel `{}`", symbol),
                     status.why, "the metadata and the image must come from one compilation");
  kernel = std::move(fresh);
  return {};
}

Status Kernel::launch(std::span<const Operand> operands, std::span<const RowCount> rowCounts,
                      hipStream_t stream) const {
  ResolvedLaunch resolved;
  if (Status status = plan.resolve(operands, rowCounts, resolved);
      !status.ok() || resolved.workgroups == 0)
    return status;
  std::array<void *, kMostArguments> pointers;
  for (size_t i = 0; i < meta().arguments.size(); ++i)
    pointers[i] = &resolved.values[i]; // little-endian: the low bytes are the narrower value
  const CurrentDevice current(*api, ordinal);
  if (current.result != hipSuccess)
    return api->check(current.result, "hipSetDevice");
  const hipError_t result =
      api->hipModuleLaunchKernel(function, resolved.workgroups, 1, 1, meta().workgroup, 1, 1, 0,
                                 stream, pointers.data(), nullptr);
  if (result != hipErrorLaunchFailure)
    return api->check(result, "hipModuleLaunchKernel");
  const Status status = api->check(result, "hipModuleLaunchKernel");
  return makeError(Error::KernelFault,
                   fmt::format("kernel `{}` failed while it ran", meta().kernel), status.why,
                   "report it with the generated text, the operands' shapes and the target");
}

} // namespace braid::runtime
