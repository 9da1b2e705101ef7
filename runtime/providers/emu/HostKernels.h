// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP text to functions of this process: clang in process, then LLVM's JIT. A text is compiled once
// a process, found again by the digest of its bytes, and kept until the process ends. Any thread.

#pragma once

#include "runtime/Status.h"
#include "runtime/providers/emu/Lanes.h"

#include <map>
#include <string>
#include <string_view>

namespace braid::emu {

struct HostModuleCode {
  std::map<std::string, KernelEntry, std::less<>> kernels; // by symbol
  // The text has plain static variables, which workgroups must not share at the same time.
  bool serial = false;
};

/// Errors: ImageRefused (with all that the compiler or the linker said), CompilerCrashed. `code`
/// stays valid for good.
Status loadHostCode(std::string_view text, const HostModuleCode *&code);

} // namespace braid::emu
