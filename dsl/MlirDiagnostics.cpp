// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/MlirDiagnostics.h"

using namespace mlir;

namespace braid::dsl {

static FileLineColRange findFile(Location loc) {
  FileLineColRange found;
  loc->walk([&](Location inner) {
    found = dyn_cast<FileLineColRange>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

void placeAtLocation(Diagnostic &diagnostic, Location loc, ArrayRef<const Source *> sources) {
  FileLineColRange place = findFile(loc);
  if (!place)
    return;
  diagnostic.file = place.getFilename().str();
  diagnostic.line = place.getStartLine();
  diagnostic.column = place.getStartColumn();
  diagnostic.length = 1;
  bool oneLine = place.getEndLine() == place.getStartLine();
  if (oneLine && place.getEndColumn() > place.getStartColumn())
    diagnostic.length = place.getEndColumn() - place.getStartColumn();
  for (const Source *source : sources)
    if (source->fileName() == diagnostic.file) {
      diagnostic.sourceLine = source->lineText(diagnostic.line);
      if (!oneLine && diagnostic.sourceLine.size() >= diagnostic.column)
        diagnostic.length = diagnostic.sourceLine.size() - diagnostic.column + 1;
    }
}

std::optional<Diagnostic> convertDiagnostic(mlir::Diagnostic &foreign,
                                            ArrayRef<const Source *> sources,
                                            const ArgumentPlaces &arguments) {
  if (foreign.getSeverity() != DiagnosticSeverity::Error)
    return std::nullopt;
  const std::string text = foreign.str();
  Diagnostic diagnostic = makeDiagnostic(DiagId::foreignError, text);
  StringRef rest = text;
  if (rest.consume_front("[BR") && rest.contains("] ")) {
    auto [number, message] = rest.split("] ");
    diagnostic.id = "BR" + number.str();
    diagnostic.message = message.str();
    diagnostic.why.clear();
    diagnostic.fix.clear();
  }
  Location loc = foreign.getLocation();
  for (mlir::Diagnostic &note : foreign.getNotes()) {
    const std::string noted = note.str();
    StringRef content = noted;
    if (content.consume_front("argument: ")) {
      if (auto known = arguments.find(content); known != arguments.end())
        loc = known->second;
    } else if (content.consume_front("why: ")) {
      diagnostic.why = content.str();
    } else if (content.consume_front("fix: ")) {
      diagnostic.fix = content.str();
    }
  }
  placeAtLocation(diagnostic, loc, sources);
  return diagnostic;
}

MlirDiagnostics::MlirDiagnostics(MLIRContext &context, const std::string &text,
                                 const std::string &fileName)
    : source(fileName, text), handler(&context, [this](mlir::Diagnostic &foreign) {
        SmallVector<const Source *> known = {&source};
        for (const Source &other : others)
          known.push_back(&other);
        if (std::optional<Diagnostic> diagnostic = convertDiagnostic(foreign, known))
          list.add(std::move(*diagnostic));
        return success();
      }) {}

} // namespace braid::dsl
