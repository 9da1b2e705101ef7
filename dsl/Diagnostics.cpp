// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Diagnostics.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace braid::dsl {
namespace {

struct Entry {
  std::string_view id, message, why, fix;
};

constexpr Entry kEntries[] = {
#define BRAID_DIAG(id, name, message, why, fix) {#id, message, why, fix},
#include "dsl/Diagnostics.def"
#undef BRAID_DIAG
};

constexpr size_t kShownColumns = 160; // of a source line; longer ones are cut around the caret

bool isContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The source line and the caret line. Control characters become '?', tabs stay so that both line
/// up.
std::string excerpt(const Diagnostic &d) {
  std::string_view line = d.sourceLine;
  size_t caret = std::min<size_t>(d.column ? d.column - 1 : 0, line.size());
  size_t cut = 0;
  if (caret > kShownColumns / 2 && line.size() > kShownColumns)
    cut = caret - kShownColumns / 2;
  line = line.substr(cut, kShownColumns);
  caret -= cut;
  const size_t end = std::min(caret + std::max(1u, d.length), std::max(line.size(), caret + 1));

  std::string shown, marks;
  for (size_t i = 0; i < std::max(line.size(), end); ++i) {
    const char c = i < line.size() ? line[i] : ' ';
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (i < line.size())
      shown += control && c != '\t' ? '?' : c;
    if (i < end && !isContinuationByte(c))
      marks += i >= caret ? '^' : c == '\t' ? '\t' : ' ';
  }
  return fmt::format("{:>5} | {}\n      | {}\n", d.line, shown, marks);
}

} // namespace

std::string_view diagnosticId(DiagId id) { return kEntries[static_cast<size_t>(id)].id; }

std::string renderText(const Diagnostic &d) {
  std::string text;
  if (!d.file.empty())
    text += d.line ? fmt::format("{}:{}:{}: ", d.file, d.line, d.column) : d.file + ": ";
  text += fmt::format("{}[{}]: {}\n", d.severity == Severity::Error ? "error" : "warning", d.id,
                      d.message);
  if (d.line && !d.sourceLine.empty())
    text += excerpt(d);
  if (!d.why.empty())
    text += fmt::format("  why : {}\n", d.why);
  if (!d.fix.empty())
    text += fmt::format("  fix : {}\n", d.fix);
  return text;
}

std::string renderJson(std::span<const Diagnostic> diagnostics) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Diagnostic &d : diagnostics)
    array.push_back({{"id", d.id},
                     {"severity", d.severity == Severity::Error ? "error" : "warning"},
                     {"file", d.file},
                     {"line", d.line},
                     {"column", d.column},
                     {"length", d.length},
                     {"message", d.message},
                     {"why", d.why},
                     {"fix", d.fix}});
  // A program may hold bytes that are not UTF-8, and a message may quote them.
  return array.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void placeDiagnostic(Diagnostic &diagnostic, SourceRange range) {
  if (!range.source)
    return;
  const Position place = range.position();
  const std::string_view line = range.source->lineText(place.line);
  diagnostic.file = range.source->fileName();
  diagnostic.line = place.line;
  diagnostic.column = place.column;
  const size_t left = line.size() >= place.column ? line.size() - place.column + 1 : 1;
  diagnostic.length = static_cast<unsigned>(std::clamp<size_t>(range.end - range.begin, 1, left));
  diagnostic.sourceLine = line;
}

void DiagnosticList::add(Diagnostic diagnostic) {
  auto same = [&](const Diagnostic &other) {
    return other.id == diagnostic.id && other.file == diagnostic.file &&
           other.line == diagnostic.line && other.column == diagnostic.column &&
           other.message == diagnostic.message;
  };
  if (full() || std::any_of(diagnostics.begin(), diagnostics.end(), same))
    return;
  if (diagnostics.size() == kMax) {
    Diagnostic last = makeDiagnostic(DiagId::tooManyErrors, kMax);
    last.file = diagnostic.file;
    diagnostic = std::move(last);
  }
  diagnostics.push_back(std::move(diagnostic));
}

Diagnostic detail::fillDiagnostic(DiagId id, fmt::format_args args) {
  const Entry &entry = kEntries[static_cast<size_t>(id)];
  Diagnostic diagnostic;
  diagnostic.id = entry.id;
  diagnostic.message = fmt::vformat(entry.message, args);
  diagnostic.why = fmt::vformat(entry.why, args);
  diagnostic.fix = fmt::vformat(entry.fix, args);
  return diagnostic;
}

} // namespace braid::dsl
