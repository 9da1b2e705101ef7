// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compiler says of generated text, at the statements of the program. Stateless.

#pragma once

#include "codegen/Compiler.h"
#include "codegen/compile/ClangInProcess.h"

namespace braid::tool {

/// The errors of `diagnostics`, a line each: "LINE:COLUMN of the program: kernel.hip:12:3: error:
/// ...". An error in a header has the place of the statement that calls it; one that comes from no
/// statement has none.
std::string programErrors(const std::vector<CompileDiagnostic> &diagnostics,
                          const KernelMeta &meta);

/// As above, of text that holds such lines ("kernel.hip:12:3: error: ..."); others are dropped.
std::string programErrors(std::string_view said, const KernelMeta &meta);

/// `status`, an internal error about generated text, with `errors` in it; the text goes into the
/// folder that the error leaves.
Status refusedText(Status status, const std::string &errors, const std::string &text,
                   const KernelMeta &meta);

} // namespace braid::tool
