// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the entry points share: the thread's device and last error, and registers of live handles.
// Registers lock themselves and are never destroyed, since callers may free in their own static
// destructors.

#pragma once

#include "codegen/targets/Targets.h"
#include "runtime/HipTypes.h"

#include <mutex>
#include <set>
#include <string>

#define BRAID_EXPORT extern "C" __attribute__((visibility("default")))

namespace braid::emu {

/// Remembers the message for braidEmuLastError on this thread and returns the code.
hipError_t fail(hipError_t code, std::string message);

/// The thread's current device, an ordinal that exists.
int &currentDevice();
/// Whether a handle is a stream; null is the default one.
bool isStream(hipStream_t stream);
/// The target of a device, or null.
const Target *targetOf(int device);

template <typename T>
class Registry {
public:
  void add(T *item) {
    const std::lock_guard lock(mutex);
    items.insert(item);
  }
  bool remove(T *item) {
    const std::lock_guard lock(mutex);
    return items.erase(item) != 0;
  }
  bool has(T *item) {
    const std::lock_guard lock(mutex);
    return items.count(item) != 0;
  }

private:
  std::mutex mutex;
  std::set<T *> items;
};

} // namespace braid::emu
