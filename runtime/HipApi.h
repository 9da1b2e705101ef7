// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's entry points, bound at run time from a provider: the vendor's library or the emulator.
// Opened once a process and never closed, because modules and captured graphs may outlive every
// handle. The table does not change after open, so any thread may use it.

#pragma once

#include "runtime/HipTypes.h"
#include "runtime/Status.h"

#include <string>
#include <string_view>

namespace braid::runtime {

struct HipApi {
  std::string provider; // as given to open
  std::string path;     // of the library that was opened

// NOLINTNEXTLINE(bugprone-macro-parentheses): parameters come in their own
#define BRAID_HIP_ENTRY(Result, Name, Parameters) Result(*Name) Parameters = nullptr;
#include "runtime/HipEntryPoints.def"
  const char *(*braidEmuLastError)(void) = nullptr; // the emulator only

  /// Opens a provider: `emu` (BRAID_EMU_LIBRARY if set, else beside this library), `amd`
  /// (libamdhip64.so.7, then .so.6), or the path of a library. Errors: ProviderMissing (with every
  /// place that was tried), ProviderIncomplete (with every entry point that is missing).
  static Status open(std::string_view provider, const HipApi *&api);

  /// DeviceCallFailed if `result` is a failure: names the call, the code, and what the emulator
  /// says of it.
  Status check(hipError_t result, std::string_view call) const;

  /// Number of devices; 0 with a right status where the provider runs but has none.
  Status deviceCount(int &count) const;
  /// The device's target id, such as "gfx942:sramecc+:xnack-" or "gfx942@emu".
  Status deviceTarget(int device, std::string &targetId) const;
  /// The first device of a target's chip. Errors: DeviceMissing (lists what there is).
  Status findDevice(std::string_view target, int &device) const;
};

} // namespace braid::runtime
