// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/TextErrors.h"

#include "codegen/compile/ClangAction.h"
#include "runtime/tools/braid/Reproduction.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace braid::tool {

namespace {

constexpr size_t kMost = 5; // errors; one fault of ours makes many

// The program's place of a line of the text: a statement takes lines up to the next one's first.
std::string placeOf(unsigned line, const KernelMeta &meta) {
  const auto above = std::find_if(meta.lineMap.rbegin(), meta.lineMap.rend(),
                                  [&](const LineMeta &entry) { return entry.line <= line; });
  return above == meta.lineMap.rend() ? "" : above->program;
}

} // namespace

std::string programErrors(const std::vector<CompileDiagnostic> &diagnostics,
                          const KernelMeta &meta) {
  std::string text;
  size_t count = 0;
  for (size_t i = 0; i < diagnostics.size(); ++i) {
    if (diagnostics[i].severity != Severity::Error || ++count > kMost)
      continue;
    std::string place = placeOf(diagnostics[i].line, meta);
    // The notes behind an error in a header say who called it.
    for (size_t note = i + 1;
         place.empty() && note < diagnostics.size() && diagnostics[note].severity == Severity::Note;
         ++note)
      place = placeOf(diagnostics[note].line, meta);
    text += (text.empty() ? "" : "\n") + (place.empty() ? "" : place + " of the program: ") +
            diagnostics[i].text();
  }
  return text;
}

std::string programErrors(std::string_view said, const KernelMeta &meta) {
  std::vector<CompileDiagnostic> diagnostics;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(said).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    const size_t begin = line.find(std::string(kTextName) + ":");
    if (begin == llvm::StringRef::npos)
      continue;
    CompileDiagnostic diagnostic;
    llvm::StringRef rest = line.substr(begin + llvm::StringRef(kTextName).size() + 1);
    if (rest.consumeInteger(10, diagnostic.line) || !rest.consume_front(":") ||
        rest.consumeInteger(10, diagnostic.column) || !rest.consume_front(": "))
      continue;
    const auto [kind, message] = rest.split(": ");
    diagnostic.severity = kind == "error" ? Severity::Error : Severity::Note;
    diagnostic.message = message.str();
    diagnostics.push_back(std::move(diagnostic));
  }
  return programErrors(diagnostics, meta);
}

Status refusedText(Status status, const std::string &errors, const std::string &text,
                   const KernelMeta &meta) {
  status.code = StatusCode::Internal;
  if (!errors.empty())
    status.why = errors;
  const std::string name = meta.kernel + "." + meta.target;
  Reproduction::current().add(name + ".hip", text);
  Reproduction::current().add(name + ".json", toJson(meta));
  return status;
}

} // namespace braid::tool
