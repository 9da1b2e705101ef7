// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/ProgramInput.h"

#include "codegen/dialect/Diag.h"
#include "dsl/MlirDiagnostics.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

#include <cstdio>

using namespace mlir;

namespace braid::tool {

std::vector<dsl::KernelListing> listProgram(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file || llvm::StringRef(path).ends_with(".mlir"))
    return {};
  std::vector<dsl::Diagnostic> problems; // loading the program reports them
  return dsl::listKernels((*file)->getBuffer().str(), path, problems);
}

ProgramInput::ProgramInput() : context(MLIRContext::Threading::DISABLED) { loadBraidDialects(context); }

int ProgramInput::report(const std::vector<dsl::Diagnostic> &diagnostics, bool json) const {
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
    return fail(makeError(Error::FileUnreadable, fmt::format("{}: {}", options.path, file.getError().message()),
                          "the program is read from this file", "check the path and its permissions"),
                options.json);
  text = (*file)->getBuffer().str();
  path = options.path;
  return 0;
}

int ProgramInput::load(const ProgramOptions &options) {
  if (int code = readFile(options))
    return code;
  if (llvm::StringRef(path).ends_with(".mlir"))
    return compile(options.json, [&](ModuleOp) {
      program = parseSourceString<ModuleOp>(text, &context, path);
      if (!program)
        return failure();
      bool usable = !program->getOps<KernelOp>().empty();
      return usable ? success() : emitDiag(program->getLoc(), Diag::kernelMissing);
    });
  dsl::Program parsed = dsl::parseProgram(
      context, {text, path, options.kernel, options.preset, options.sets});
  if (!parsed.module)
    return report(parsed.diagnostics, options.json);
  program = std::move(parsed.module);
  return 0;
}

int ProgramInput::compile(bool json, llvm::function_ref<LogicalResult(ModuleOp)> action) {
  dsl::MlirDiagnostics collected(context, text, path);
  if (succeeded(action(program ? *program : ModuleOp())))
    return 0;
  return report(collected.take(), json);
}

std::string ProgramInput::kernelName() {
  return (*program->getOps<KernelOp>().begin()).getSymName().str();
}

} // namespace braid::tool
