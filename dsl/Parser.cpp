// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Parser.h"

#include "codegen/grouping/GroupingRequest.h"
#include "codegen/layouts/LayoutEvaluator.h"
#include "dsl/BodyParser.h"

using namespace mlir;

namespace braid::dsl {

static Location startOf(MLIRContext &context, SourceRange range) {
  const Position place = range.position();
  return FileLineColRange::get(StringAttr::get(&context, range.source->fileName()), place.line,
                               place.column, place.column + (range.end - range.begin));
}

/// The slot tensor that `padding = skip_all(...)` names; empty for skip_store.
static std::string skipAllSlot(const BoundParams &params) {
  const BoundParam *padding = params.find("padding");
  llvm::StringRef text = padding ? llvm::StringRef(std::get<std::string>(padding->value)) : "";
  return text.consume_front("skip_all(") ? text.drop_back().str() : std::string();
}

Program parseProgram(MLIRContext &context, const ProgramRequest &request) {
  DiagnosticList diagnostics;
  auto source = std::make_shared<const Source>(request.fileName, request.text);
  const Head head = parseHead(source, diagnostics);
  const KernelHead *kernel = selectKernel(head, request.kernel, diagnostics);
  if (!kernel)
    return {nullptr, diagnostics.take()};
  std::optional<BoundParams> params =
      bindParams(*kernel, request.preset, request.sets, diagnostics);
  if (!params)
    return {nullptr, diagnostics.take()};

  Builder builder(context, kernel->name);
  builder.addSource(source.get());
  for (const auto &setting : params->sources)
    builder.addSource(setting.get());
  for (const Diagnostic &earlier : diagnostics.all())
    builder.diagnostics().add(earlier);
  builder.pinKernel(startOf(context, kernel->range));
  for (const auto &[name, text] : params->canonical())
    builder.setParameter(name, text);
  if (std::string slot = skipAllSlot(*params); !slot.empty()) {
    builder.pin(startOf(context, params->find("padding")->range));
    builder.skipAll(slot);
  }
  BodyParser(*kernel, *params, builder, layoutSpecs(head.layouts, /*ofProgram=*/true)).run();
  Program program = builder.finish();
  const Preset *preset = kernel->findPreset(request.preset);
  if (program.module && preset && preset->grouping.source)
    setPresetGrouping(*program.module->getOps<KernelOp>().begin(), preset->grouping.text(),
                      startOf(context, preset->grouping));
  return program;
}

std::vector<KernelListing> listKernels(std::string text, std::string fileName,
                                       std::vector<Diagnostic> &diagnostics) {
  DiagnosticList list;
  auto source = std::make_shared<const Source>(std::move(fileName), std::move(text));
  std::vector<KernelListing> kernels;
  for (const KernelHead &kernel : parseHead(source, list).kernels)
    kernels.push_back({kernel.name, kernel.presetNames()});
  diagnostics = list.take();
  return kernels;
}

} // namespace braid::dsl
