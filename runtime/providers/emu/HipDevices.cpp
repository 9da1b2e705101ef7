// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's calls about devices and errors. Devices are the rows of the target table; the current one
// is of the thread.

#include "runtime/providers/emu/EmuState.h"
#include "runtime/providers/emu/Lanes.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

using namespace braid;
using namespace braid::emu;

namespace {

thread_local std::string lastError;

hipError_t noDevice(int device) {
  return fail(hipErrorInvalidDevice,
              fmt::format("device {} does not exist; the emulator has 0 to {} ({})", device,
                          allTargets().size() - 1, targetNames()));
}

} // namespace

hipError_t emu::fail(hipError_t code, std::string message) {
  lastError = std::move(message);
  return code;
}

int &emu::currentDevice() {
  thread_local int device = 0;
  return device;
}

const Target *emu::targetOf(int device) {
  const auto targets = allTargets();
  return device >= 0 && static_cast<size_t>(device) < targets.size() ? &targets[device] : nullptr;
}

/// What the last failing call of this thread was about; empty if none failed. Valid until the
/// thread's next call.
BRAID_EXPORT const char *braidEmuLastError(void) { return lastError.c_str(); }

BRAID_EXPORT hipError_t hipInit(unsigned flags) {
  return flags == 0 ? hipSuccess : hipErrorInvalidValue;
}

BRAID_EXPORT hipError_t hipGetDeviceCount(int *count) {
  if (!count)
    return fail(hipErrorInvalidValue, "no place for the count");
  *count = static_cast<int>(allTargets().size());
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipSetDevice(int device) {
  if (!targetOf(device))
    return noDevice(device);
  currentDevice() = device;
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipGetDevice(int *device) {
  if (!device)
    return fail(hipErrorInvalidValue, "no place for the device");
  *device = currentDevice();
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute,
                                              int device) {
  const Target *target = targetOf(device);
  if (!target)
    return noDevice(device);
  if (!value)
    return fail(hipErrorInvalidValue, "no place for the attribute");
  switch (attribute) {
  case hipDeviceAttributeWarpSize:
    *value = static_cast<int>(target->waveSize);
    return hipSuccess;
  case hipDeviceAttributeMaxThreadsPerBlock:
  case hipDeviceAttributeMaxBlockDimX:
    *value = kMostLanes;
    return hipSuccess;
  case hipDeviceAttributeMaxGridDimX:
    *value = 0x7fffffff;
    return hipSuccess;
  case hipDeviceAttributeMaxSharedMemoryPerBlock:
    *value = static_cast<int>(target->ldsBytes);
    return hipSuccess;
  case hipDeviceAttributeMultiprocessorCount:
    *value = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return hipSuccess;
  }
  return fail(hipErrorInvalidValue,
              fmt::format("attribute {} is not emulated", static_cast<int>(attribute)));
}

BRAID_EXPORT hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int device) {
  const Target *target = targetOf(device);
  if (!target)
    return noDevice(device);
  if (!properties)
    return fail(hipErrorInvalidValue, "no place for the properties");
  // Only what the declaration names: the caller's struct may be the vendor's, which is shorter than
  // ours.
  const auto copy = [](char (&place)[256], const std::string &text) {
    fmt::format_to_n(place, 255, "{}", text).out[0] = 0;
  };
  copy(properties->name, fmt::format("Braid emulator of {}", target->name));
  copy(properties->gcnArchName, fmt::format("{}@emu", target->name));
  properties->warpSize = static_cast<int>(target->waveSize);
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipDeviceSynchronize(void) { return hipSuccess; }

BRAID_EXPORT const char *hipGetErrorName(hipError_t error) {
  switch (error) {
#define BRAID_NAME(Code)                                                                           \
  case Code:                                                                                       \
    return #Code;
    BRAID_NAME(hipSuccess)
    BRAID_NAME(hipErrorInvalidValue)
    BRAID_NAME(hipErrorOutOfMemory)
    BRAID_NAME(hipErrorNotInitialized)
    BRAID_NAME(hipErrorInvalidConfiguration)
    BRAID_NAME(hipErrorInvalidDevicePointer)
    BRAID_NAME(hipErrorInvalidMemcpyDirection)
    BRAID_NAME(hipErrorNoDevice)
    BRAID_NAME(hipErrorInvalidDevice)
    BRAID_NAME(hipErrorInvalidImage)
    BRAID_NAME(hipErrorNoBinaryForGpu)
    BRAID_NAME(hipErrorInvalidHandle)
    BRAID_NAME(hipErrorNotFound)
    BRAID_NAME(hipErrorLaunchFailure)
    BRAID_NAME(hipErrorNotSupported)
    BRAID_NAME(hipErrorUnknown)
#undef BRAID_NAME
  }
  return "unrecognised error code";
}

BRAID_EXPORT const char *hipGetErrorString(hipError_t error) { return hipGetErrorName(error); }
