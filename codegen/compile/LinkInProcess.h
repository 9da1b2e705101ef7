// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lld inside this process. lld keeps global state, so calls are serialised by one mutex; after a
// crash that lld calls unrecoverable every further call is refused.

#pragma once

#include "runtime/Status.h"

#include <string>
#include <string_view>

namespace braid {

/// Links one relocatable AMDGPU object into a code object (a shared ELF). Uses two temporary files,
/// removed on return. Errors: LinkFailed (with lld's words), CompilerUnusable.
Status linkCodeObject(std::string_view object, std::string &codeObject);

} // namespace braid
