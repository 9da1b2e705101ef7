// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command runs in a child process, so that whatever ends it (a crash, a full stack, an exit
// inside a library, the kernel's out-of-memory killer) still becomes an error with a folder. Call
// it once, before the process has threads.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

namespace braid::tool {

/// The exit code of `work`, or of the error that ended it.
int supervise(llvm::function_ref<int()> work, bool json);

} // namespace braid::tool
