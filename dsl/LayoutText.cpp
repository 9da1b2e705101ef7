// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts outside kernels: what `braid layouts` lists and instantiates.
#include "codegen/layouts/LayoutEvaluator.h"
#include "dsl/Binding.h"
#include "dsl/MlirDiagnostics.h"
#include "dsl/Parser.h"

using namespace mlir;

namespace braid::dsl {

namespace {
const Grammar kCall = {"a layout is `NAME(parameter = value, ...)`", "remove what follows it"};

Location locate(MLIRContext &context, SourceRange range) {
  const Position begin = range.position(), end = range.source->position(range.end);
  return FileLineColRange::get(StringAttr::get(&context, range.source->fileName()), begin.line,
                               begin.column, end.line, end.column);
}

// The head of a program that may be absent.
Head headOf(const LayoutRequest &request, DiagnosticList &diagnostics) {
  auto source = std::make_shared<const Source>(request.fileName, request.text);
  return request.text.empty() ? Head{source, {}, {}} : parseHead(source, diagnostics);
}
} // namespace

std::vector<LayoutListing> listLayouts(const LayoutRequest &request,
                                       std::vector<Diagnostic> &diagnostics) {
  DiagnosticList list;
  const Head head = headOf(request, list);
  std::vector<LayoutListing> listings;
  for (const std::vector<LayoutDefinition> *layouts : {&libraryLayouts(), &head.layouts})
    for (const LayoutDefinition &layout : *layouts)
      listings.push_back(
          {layout.name, layout.paramText(), layout.summary, layouts == &head.layouts});
  diagnostics = list.take();
  return listings;
}

LayoutAttr parseLayoutText(MLIRContext &context, const LayoutRequest &request, std::string name,
                           std::string call, std::vector<Diagnostic> &diagnostics) {
  DiagnosticList list;
  const Head head = headOf(request, list);
  const Source text(std::move(name), std::move(call));
  Cursor cursor(lex(text, list), list);
  std::optional<BoundLayout> layout = parseLayoutCall(cursor, {});
  if (layout && !cursor.at(TokenKind::End))
    cursor.reportExpected("the end of the layout", kCall);
  LayoutAttr made;
  if (layout && list.empty()) {
    std::vector<LayoutArgument> arguments;
    for (const BoundLayoutArg &arg : layout->args) {
      LayoutArgument argument{arg.name, int64_t(0), locate(context, arg.range)};
      if (auto *dtype = std::get_if<std::string>(&arg.value))
        argument.value = parseDtype(&context, *dtype);
      else
        argument.value = std::get<int64_t>(arg.value);
      arguments.push_back(std::move(argument));
    }
    const Source *sources[] = {&text, head.source.get()};
    ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &foreign) {
      if (std::optional<Diagnostic> diagnostic = convertDiagnostic(foreign, sources))
        list.add(std::move(*diagnostic));
      return success();
    });
    FailureOr<LayoutAttr> result =
        instantiateLayout(&context, layout->name, arguments, locate(context, layout->range),
                          layoutSpecs(head.layouts, /*ofProgram=*/true));
    if (succeeded(result))
      made = *result;
  }
  diagnostics = list.take();
  return made;
}

} // namespace braid::dsl
