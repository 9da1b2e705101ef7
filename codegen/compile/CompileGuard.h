// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a compiler's crash from being ours: runs a function on a thread with a stack of its own,
// and turns a fatal error or a signal inside it into a Status. What the function had allocated is
// lost then. While at least one guard runs, the process has LLVM's crash handlers installed; they
// pass on signals of threads that are not guarded.

#pragma once

#include "runtime/Status.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace braid {

/// Runs `function`; `stage` names it in the message ("compiling"). Errors: CompilerCrashed.
Status runGuarded(std::string_view stage, llvm::function_ref<void()> function);

} // namespace braid
