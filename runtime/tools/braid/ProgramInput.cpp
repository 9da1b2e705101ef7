// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/ProgramInput.h"

#include "codegen/dialect/Diag.h"
#include "codegen/grouping/GroupingRequest.h"
#include "codegen/passes/PassWatch.h"
#include "dsl/MlirDiagnostics.h"
#include "runtime/Env.h"
#include "runtime/tools/braid/Reproduction.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include <sys/resource.h>

using namespace mlir;

namespace braid::tool {

std::vector<dsl::KernelListing> listProgram(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file || llvm::StringRef(path).ends_with(".mlir"))
    return {};
  std::vector<dsl::Diagnostic> problems; // loading the program reports them
  return dsl::listKernels((*file)->getBuffer().str(), path, problems);
}

ProgramInput::ProgramInput() : context(MLIRContext::Threading::DISABLED) {
  loadBraidDialects(context);
}

// A fault of the compiler as one error: what passed for its reason before goes with it.
static Status internalError(const std::vector<dsl::Diagnostic> &diagnostics) {
  const dsl::Diagnostic &last = diagnostics.back();
  Status status{StatusCode::Internal, last.id, last.message, last.why, last.fix};
  if (last.line)
    status.what = fmt::format("{}:{}:{}: {}", last.file, last.line, last.column, last.message);
  for (const dsl::Diagnostic &diagnostic : llvm::ArrayRef(diagnostics).drop_back())
    status.why += "\n" + diagnostic.message;
  return status;
}

int ProgramInput::report(const std::vector<dsl::Diagnostic> &diagnostics, bool json) const {
  if (!diagnostics.empty() && diagnostics.back().id == diagText(Diag::passFailed).id)
    return fail(internalError(diagnostics), json);
  if (json)
    fmt::print("{}\n", dsl::renderJson(diagnostics));
  else
    for (const dsl::Diagnostic &diagnostic : diagnostics)
      fmt::print(stderr, "{}", dsl::renderText(diagnostic));
  return static_cast<int>(StatusCode::RequestWrong);
}

int ProgramInput::readFile(const ProgramOptions &options) {
  auto file = llvm::MemoryBuffer::getFile(options.path, /*IsText=*/true);
  if (!file)
    return fail(makeError(Error::FileUnreadable,
                          fmt::format("{}: {}", options.path, file.getError().message()),
                          "the program is read from this file",
                          "check the path and its permissions"),
                options.json);
  text = (*file)->getBuffer().str();
  path = options.path;
  grouping = options.grouping;
  return 0;
}

// Ways to end that no pass has; see BRAID_TEST_FAULT.
static void failOnPurpose(llvm::StringRef kind) {
  if (kind == "throw")
    throw std::runtime_error("a fault on purpose");
  if (kind == "memory")
    throw std::bad_alloc();
  if (kind == "abort")
    std::abort();
  if (kind == "exit")
    std::exit(EXIT_SUCCESS);
  if (kind == "kill")
    (void)std::raise(SIGKILL);
  if (kind == "overflow") {
    const rlimit small = {1 << 20, 1 << 20};
    (void)setrlimit(RLIMIT_STACK, &small);
    volatile char *top = static_cast<char *>(__builtin_frame_address(0));
    for (volatile char *p = top;; p -= 4096)
      *p = 0;
  }
}

int ProgramInput::load(const ProgramOptions &options) {
  if (int code = readFile(options))
    return code;
  if (int code = parse(options))
    return code;
  if (std::optional<std::string> fault = envValue(Env::TestFault)) {
    failOnPurpose(*fault);
    (*program)->setAttr(kTestFaultAttribute, StringAttr::get(&context, *fault));
  }
  return 0;
}

int ProgramInput::parse(const ProgramOptions &options) {
  if (llvm::StringRef(path).ends_with(".mlir"))
    return compile(options.json, [&](ModuleOp) {
      program = parseSourceString<ModuleOp>(text, &context, path);
      if (!program)
        return failure();
      bool usable = !program->getOps<KernelOp>().empty();
      return usable ? success() : emitDiag(program->getLoc(), Diag::kernelMissing);
    });
  dsl::Program parsed =
      dsl::parseProgram(context, {text, path, options.kernel, options.preset, options.sets});
  if (!parsed.module)
    return report(parsed.diagnostics, options.json);
  program = std::move(parsed.module);
  return 0;
}

int ProgramInput::compile(bool json, llvm::function_ref<LogicalResult(ModuleOp)> action) {
  llvm::CrashRecoveryContext::Enable(); // who compiled in between may have switched it off
  dsl::MlirDiagnostics collected(context, text, path);
  collected.addText(kGroupingOption.str(), grouping);
  ScopedDiagnosticHandler reproducers(&context, [](mlir::Diagnostic &diagnostic) {
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      if (const std::string content = note.str(); StringRef(content).starts_with(kReproducerNote))
        Reproduction::current().add("before-pass.mlir", content.substr(kReproducerNote.size()));
    return failure(); // `collected` gets it too
  });
  if (succeeded(action(program ? *program : ModuleOp())))
    return 0;
  return report(collected.take(), json);
}

std::string ProgramInput::kernelName() {
  return (*program->getOps<KernelOp>().begin()).getSymName().str();
}

} // namespace braid::tool
