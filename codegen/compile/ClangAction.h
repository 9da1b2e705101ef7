// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of clang's front end over a text in memory: what the device and the host form share.
// Inside codegen/compile only.

#pragma once

#include "codegen/compile/ClangInProcess.h"

#include "clang/Frontend/FrontendAction.h"

namespace braid {

/// The name that the text has in diagnostics.
inline constexpr const char *kTextName = "kernel.hip";

/// `arguments` (of cc1), then those that every text gets, then the options.
std::vector<std::string> withSharedArguments(std::vector<std::string> arguments,
                                             const CompileOptions &options);

/// Runs one front-end action over the text; `arguments` are cc1's and end with the language and
/// kTextName. `output`, if given, takes what the action writes. Errors: CompileFailed (names the
/// first), CompilerCrashed.
Status runClang(std::string_view text, const std::vector<std::string> &arguments,
                clang::FrontendAction &action, std::vector<CompileDiagnostic> &diagnostics,
                std::string *output);

} // namespace braid
