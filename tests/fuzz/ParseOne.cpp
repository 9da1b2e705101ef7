// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/ParseOne.h"

#include "codegen/Compiler.h"
#include "dsl/MlirDiagnostics.h"
#include "dsl/Parser.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace braid::fuzz {

namespace {

std::string checkDiagnostics(const std::vector<dsl::Diagnostic> &diagnostics) {
  if (diagnostics.empty())
    return "failed without a diagnostic";
  if (diagnostics.size() > dsl::DiagnosticList::kMax + 1)
    return "too many diagnostics";
  for (const dsl::Diagnostic &diagnostic : diagnostics)
    if (diagnostic.id == "BR0198" || renderText(diagnostic).empty())
      return "a diagnostic without an id of its own: " + diagnostic.message;
  return renderJson(diagnostics).empty() ? "diagnostics without JSON" : "";
}

std::string compileOne(MLIRContext &context, const dsl::ProgramRequest &request) {
  dsl::Program program = dsl::parseProgram(context, request);
  if (!program.module)
    return checkDiagnostics(program.diagnostics);
  if (!program.diagnostics.empty())
    return "a module in spite of diagnostics";
  if (failed(verify(*program.module)))
    return "a module that does not verify";
  dsl::MlirDiagnostics collected(context, request.text, request.fileName);
  FailureOr<GeneratedProgram> generated = generateHip(*program.module, {"gfx942", {}});
  std::vector<dsl::Diagnostic> diagnostics = collected.take();
  if (failed(generated))
    return checkDiagnostics(diagnostics);
  if (!diagnostics.empty())
    return "text in spite of diagnostics";
  for (const KernelMeta &meta : generated->meta.kernels)
    if (Status status = validate(meta); !status.ok())
      return "metadata that does not fit together: " + status.what;
  return "";
}

} // namespace

std::string parseOne(MLIRContext &context, const std::string &text) {
  std::vector<dsl::Diagnostic> ignored; // parsing reports them again
  std::vector<dsl::KernelListing> kernels = dsl::listKernels(text, "fuzz.braid", ignored);
  if (kernels.empty())
    kernels.push_back({});
  for (const dsl::KernelListing &kernel : kernels) {
    std::string preset = kernel.presets.empty() ? "" : kernel.presets.front();
    if (std::string broken = compileOne(context, {text, "fuzz.braid", kernel.kernel, preset, {}});
        !broken.empty())
      return broken;
  }
  return {};
}

} // namespace braid::fuzz
