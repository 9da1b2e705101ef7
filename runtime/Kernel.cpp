// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Kernel.h"

#include "codegen/targets/Targets.h"
#include "runtime/CurrentDevice.h"

#include <algorithm>
#include <fmt/format.h>

namespace braid::runtime {
namespace {

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
  if (const size_t bytes = fresh->faultBytes())
    if (Status status = api.check(api.hipMalloc(&fresh->faultBuffer, bytes), "hipMalloc");
        !status.ok())
      return status;
  kernel = std::move(fresh);
  return {};
}

Status Kernel::launch(std::span<const Operand> operands, std::span<const RowCount> rowCounts,
                      hipStream_t stream) const {
  ResolvedLaunch resolved;
  if (Status status = plan.resolve(operands, rowCounts, resolved); !status.ok())
    return status;
  return enqueue(resolved, stream);
}

Status Kernel::enqueue(ResolvedLaunch &resolved, hipStream_t stream) const {
  if (faultBuffer)
    if (Status status = clearFaults(stream); !status.ok())
      return status;
  if (resolved.workgroups == 0)
    return {};
  std::array<void *, kMostArguments> pointers;
  for (size_t i = 0; i < meta().arguments.size(); ++i) {
    if (meta().arguments[i].kind == ArgumentKind::Faults)
      resolved.values[i] = reinterpret_cast<uintptr_t>(faultBuffer);
    pointers[i] = &resolved.values[i]; // little-endian: the low bytes are the narrower value
  }
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

size_t Kernel::faultBytes() const { return meta().checks.size() * kFaultWords * sizeof(uint64_t); }

Status Kernel::clearFaults(hipStream_t stream) const {
  const CurrentDevice current(*api, ordinal);
  if (current.result != hipSuccess)
    return api->check(current.result, "hipSetDevice");
  return api->check(api->hipMemsetAsync(faultBuffer, 0, faultBytes(), stream), "hipMemsetAsync");
}

// Rows of one token, where the indices have more axes than the run-time one.
static uint64_t indicesPerToken(const KernelMeta &meta, const std::string &name) {
  uint64_t product = 1;
  for (const OperandMeta &operand : meta.operands)
    for (const AxisMeta &axis : operand.axes)
      if (operand.name == name && axis.extent)
        product *= *axis.extent;
  return product;
}

std::vector<Fault> namedFaults(const KernelMeta &meta, std::span<const FaultCount> counts) {
  std::vector<Fault> found;
  for (size_t i = 0; i < meta.checks.size() && i < counts.size(); ++i)
    if (const auto &[index, chosenFrom] = meta.checks[i]; counts[i].count)
      found.push_back({index, chosenFrom, counts[i].count,
                       counts[i].flat / indicesPerToken(meta, index), counts[i].value,
                       counts[i].limit});
  return found;
}

std::vector<Fault> inCheckOrder(const KernelMeta &signature, std::vector<Fault> faults) {
  const auto number = [&](const Fault &fault) {
    return std::ranges::find_if(signature.checks,
                                [&](const CheckMeta &check) {
                                  return check.index == fault.index &&
                                         check.chosenFrom == fault.chosenFrom;
                                }) -
           signature.checks.begin();
  };
  std::ranges::stable_sort(faults, {}, number);
  return faults;
}

Status Kernel::faults(std::vector<Fault> &found, hipStream_t stream) const {
  found.clear();
  if (!faultBuffer)
    return {};
  const CurrentDevice current(*api, ordinal);
  if (current.result != hipSuccess)
    return api->check(current.result, "hipSetDevice");
  if (Status status = api->check(api->hipStreamSynchronize(stream), "hipStreamSynchronize");
      !status.ok())
    return status;
  std::vector<uint64_t> words(meta().checks.size() * kFaultWords);
  if (Status status =
          api->check(api->hipMemcpy(words.data(), faultBuffer, faultBytes(), hipMemcpyDeviceToHost),
                     "hipMemcpy");
      !status.ok())
    return status;
  std::vector<FaultCount> counts;
  for (size_t at = 0; at < words.size(); at += kFaultWords) {
    const uint64_t high = ~words[at + 1], low = ~words[at + 2];
    counts.push_back({words[at], high >> 32, static_cast<int64_t>(high << 32 | (low & 0xffffffffu)),
                      words[at + 3]});
  }
  found = namedFaults(meta(), counts);
  return {};
}

} // namespace braid::runtime
