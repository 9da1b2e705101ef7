// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics as plain values: what, where, why, what to do. The texts are those of
// Diagnostics.def. No MLIR here: the pass over a program's head, which the runtime links, reports
// through this too. A DiagnosticList belongs to one thread.

#pragma once

#include "dsl/Source.h"
#include "runtime/NearestName.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid::dsl {

enum class DiagId {
#define BRAID_DIAG(id, name, message, why, fix) name,
#include "dsl/Diagnostics.def"
#undef BRAID_DIAG
};

enum class Severity { Error, Warning };

struct Diagnostic {
  std::string id; ///< "BR0203"
  Severity severity = Severity::Error;
  std::string file;              ///< empty: no place is known
  unsigned line = 0, column = 0; ///< 1-based, in bytes; 0: unknown
  unsigned length = 0;           ///< bytes to underline, within the line
  std::string message, why, fix;
  std::string sourceLine; ///< the text of `line`; empty where the text is not at hand
};

/// `file:line:column: error[id]: message`, the source line with a caret line, then why and fix.
/// Ends with a line break.
std::string renderText(const Diagnostic &diagnostic);

/// A JSON array of objects with the members of Diagnostic, except `sourceLine`.
std::string renderJson(std::span<const Diagnostic> diagnostics);

/// The id of an entry, for example "BR0203".
std::string_view diagnosticId(DiagId id);

namespace detail {
Diagnostic fillDiagnostic(DiagId id, fmt::format_args args);
} // namespace detail

/// The entry `id`, its texts filled from `args`, without a place.
template <typename... Args>
Diagnostic makeDiagnostic(DiagId id, const Args &...args) {
  return detail::fillDiagnostic(id, fmt::make_format_args(args...));
}

/// Places `diagnostic` at `range`, clipped to the range's first line.
void placeDiagnostic(Diagnostic &diagnostic, SourceRange range);

/// The diagnostics of one request, in the order found. Holds at most kMax errors and then one more
/// that says so; identical ones are kept once.
class DiagnosticList {
public:
  static constexpr size_t kMax = 20;

  void add(Diagnostic diagnostic);

  /// Adds the entry `id` at `range`, its texts filled from `args`.
  template <typename... Args>
  void report(DiagId id, SourceRange range, const Args &...args) {
    Diagnostic diagnostic = makeDiagnostic(id, args...);
    placeDiagnostic(diagnostic, range);
    add(std::move(diagnostic));
  }

  bool empty() const { return diagnostics.empty(); }
  bool full() const { return diagnostics.size() > kMax; }
  size_t size() const { return diagnostics.size(); }
  const std::vector<Diagnostic> &all() const { return diagnostics; }
  std::vector<Diagnostic> take() { return std::move(diagnostics); }

private:
  std::vector<Diagnostic> diagnostics;
};

} // namespace braid::dsl
