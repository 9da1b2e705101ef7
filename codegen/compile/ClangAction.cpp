// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/compile/ClangAction.h"

#include "codegen/compile/CompileGuard.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <mutex>

namespace braid {
namespace {

void initialiseTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser(); // inline assembly
    LLVMInitializeAMDGPUAsmPrinter();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

class DiagnosticCollector final : public clang::DiagnosticConsumer {
public:
  explicit DiagnosticCollector(std::vector<CompileDiagnostic> &diagnostics)
      : diagnostics(diagnostics) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info); // counts
    CompileDiagnostic &diagnostic = diagnostics.emplace_back();
    diagnostic.severity = severityOf(level);
    llvm::SmallString<128> message;
    info.FormatDiagnostic(message);
    diagnostic.message = message.str().str();
    diagnostic.option =
        info.getDiags()->getDiagnosticIDs()->getWarningOptionForDiag(info.getID()).str();
    if (!diagnostic.option.empty())
      diagnostic.option = "-W" + diagnostic.option;
    if (!info.hasSourceManager() || info.getLocation().isInvalid())
      return;
    const clang::PresumedLoc place = info.getSourceManager().getPresumedLoc(info.getLocation());
    if (place.isValid()) {
      diagnostic.line = place.getLine();
      diagnostic.column = place.getColumn();
    }
  }

private:
  static Severity severityOf(clang::DiagnosticsEngine::Level level) {
    switch (level) {
    case clang::DiagnosticsEngine::Ignored:
    case clang::DiagnosticsEngine::Note:
      return Severity::Note;
    case clang::DiagnosticsEngine::Remark:
      return Severity::Remark;
    case clang::DiagnosticsEngine::Warning:
      return Severity::Warning;
    case clang::DiagnosticsEngine::Error:
    case clang::DiagnosticsEngine::Fatal:
      return Severity::Error;
    }
    return Severity::Error;
  }

  std::vector<CompileDiagnostic> &diagnostics;
};

} // namespace

std::string CompileDiagnostic::text() const {
  static constexpr const char *kNames[] = {"note", "remark", "warning", "error"};
  std::string line = kTextName;
  if (this->line)
    line += ":" + std::to_string(this->line) + ":" + std::to_string(column);
  line += std::string(": ") + kNames[static_cast<unsigned>(severity)] + ": " + message;
  return option.empty() ? line : line + " [" + option + "]";
}

std::vector<std::string> withSharedArguments(std::vector<std::string> arguments,
                                             const CompileOptions &options) {
  arguments.insert(arguments.end(), {"-main-file-name",
                                     kTextName,
                                     "-O" + std::to_string(options.optimization),
                                     "-std=c++20",
                                     "-ffp-contract=off",
                                     "-fno-rounding-math",
                                     "-mframe-pointer=none",
                                     "-mconstructor-aliases",
                                     "-vectorize-loops",
                                     "-vectorize-slp",
                                     "-clear-ast-before-backend",
                                     "-disable-llvm-verifier",
                                     "-discard-value-names",
                                     "-ferror-limit",
                                     "20",
                                     "-nostdsysteminc",
                                     "-nobuiltininc",
                                     "-fgnuc-version=4.2.1",
                                     "-fno-threadsafe-statics",
                                     "-fskip-odr-check-in-gmf"});
  if (options.warnings)
    arguments.insert(arguments.end(), {"-Wall", "-Wextra"});
  if (options.warningsAreErrors)
    arguments.emplace_back("-Werror");
  for (const std::string &define : options.defines)
    arguments.push_back("-D" + define);
  return arguments;
}

Status runClang(std::string_view text, const std::vector<std::string> &arguments,
                clang::FrontendAction &action, std::vector<CompileDiagnostic> &diagnostics,
                std::string *output) {
  initialiseTargets();
  bool succeeded = false;
  llvm::SmallString<0> written;
  Status status = runGuarded("compiling", [&] {
    std::vector<const char *> pointers;
    pointers.reserve(arguments.size());
    for (const std::string &argument : arguments)
      pointers.push_back(argument.c_str());
    auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    files->addFile(kTextName, 0, llvm::MemoryBuffer::getMemBufferCopy(text, kTextName));

    DiagnosticCollector collector(diagnostics);
    clang::DiagnosticOptions parseOptions;
    clang::DiagnosticsEngine parseDiagnostics(clang::DiagnosticIDs::create(), parseOptions,
                                              &collector,
                                              /*ShouldOwnClient=*/false);
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, parseDiagnostics))
      return;
    clang::CompilerInstance compiler(std::move(invocation));
    compiler.setVirtualFileSystem(files);
    compiler.createDiagnostics(&collector, /*ShouldOwnClient=*/false);
    compiler.createFileManager();
    compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
    if (output)
      compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(written));
    succeeded = compiler.ExecuteAction(action) && !compiler.getDiagnostics().hasErrorOccurred();
  });
  if (!status.ok())
    return status;
  if (!succeeded) {
    std::string first = "no message";
    for (const CompileDiagnostic &diagnostic : diagnostics)
      if (diagnostic.severity == Severity::Error) {
        first = diagnostic.text();
        break;
      }
    return makeError(
        Error::CompileFailed, "the compiler refuses the generated text: " + first,
        "text that braid generates should always compile",
        "report it with the program and its parameters; a hand-edited text must be mended");
  }
  if (output)
    *output = written.str().str();
  return {};
}

} // namespace braid
