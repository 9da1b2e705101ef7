// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a grouping, `q8, w | index_k`: its groups and the place of each name. Whether the
// names mean anything is codegen/grouping's business. No MLIR here.

#pragma once

#include "dsl/Cursor.h"

#include <optional>

namespace braid::dsl {

struct GroupingName {
  std::string name;
  SourceRange range;
};

struct GroupingText {
  enum class Form { Groups, Fused, Unfused };

  Form form = Form::Groups;
  std::vector<std::vector<GroupingName>> groups; ///< of Groups; none is empty

  /// Names sorted inside a group, groups as they are written.
  std::string canonical() const;
};

/// Reads all of `source`. Nothing after a report.
std::optional<GroupingText> parseGrouping(const Source &source, DiagnosticList &diagnostics);

} // namespace braid::dsl
