// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated HIP text to machine code, by clang inside this process. Nothing is read from disk,
// nothing is printed and nothing ends the process: diagnostics come back as a list, crashes and
// fatal errors of the compiler as a Status. All functions may be called from several threads at
// once (linking is serialised inside).

#pragma once

#include "codegen/targets/Targets.h"
#include "runtime/Status.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace braid {

enum class Severity : uint8_t { Note, Remark, Warning, Error };

/// What the compiler said of the text. Line and column are 1-based and of the text; 0 where there
/// is no place (the back end). `option` is the warning's flag, for example "-Wunused-variable", or
/// empty.
struct CompileDiagnostic {
  Severity severity = Severity::Error;
  unsigned line = 0;
  unsigned column = 0;
  std::string message;
  std::string option;

  /// "kernel.hip:12:3: error: message [-Woption]".
  std::string text() const;
};

struct CompileOptions {
  unsigned optimization = 3; // 0..3
  bool warnings = false;     // -Wall -Wextra
  bool warningsAreErrors = false;
  bool sanitize = false; // host form only: places of the text on the code, undefined behaviour calls handlers
  std::vector<std::string> defines; // "NAME" or "NAME=VALUE"
};

struct CompileResult {
  std::string bytes; // the code object, or the assembly text
  std::vector<CompileDiagnostic> diagnostics;
};

/// The text compiled and linked for a target, as
/// `clang -x hip --cuda-device-only --offload-arch=T -nogpuinc -nogpulib -mcode-object-version=5
/// -ffp-contract=off` does. The same text gives the same bytes. Errors: TextOnlyTarget,
/// CompileFailed (names the first error; `result` has all), LinkFailed, CompilerCrashed,
/// CompilerUnusable.
Status compileCodeObject(std::string_view text, const Target &target, const CompileOptions &options,
                         CompileResult &result);

/// As compileCodeObject, but the assembly text of the target; nothing is linked.
Status compileAssembly(std::string_view text, const Target &target, const CompileOptions &options,
                       CompileResult &result);

/// The text as code of this machine, for the emulator.
struct HostModule {
  HostModule();
  ~HostModule();
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::vector<CompileDiagnostic> diagnostics;
};

/// The text as freestanding C++20 for this machine, as the front end emits it and before any pass:
/// no contraction, no errno, position-independent, emulated thread-local storage. Its triple and
/// features are hostTriple() and hostFeatures(). `options.optimization` only says that passes will
/// run (0: functions keep clear of them). Errors as compileCodeObject.
Status compileHostModule(std::string_view text, const CompileOptions &options, HostModule &module);

std::string_view hostTriple();
/// Features that are switched on for the host, each as "+name"; only what this cpu has.
const std::vector<std::string> &hostFeatures();

} // namespace braid
