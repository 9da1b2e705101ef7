// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that a scope works on. One thread.

#pragma once

#include "runtime/HipApi.h"

namespace braid::runtime {

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

} // namespace braid::runtime
