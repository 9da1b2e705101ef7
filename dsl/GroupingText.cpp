// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/GroupingText.h"

#include <algorithm>

namespace braid::dsl {

static constexpr Grammar kGrouping = {
    "a grouping is a list of groups separated by `|`, each a list of names, or fused, or unfused",
    "write for example `q8, w | index_k`"};

std::string GroupingText::canonical() const {
  if (form != Form::Groups)
    return form == Form::Fused ? "fused" : "unfused";
  std::string text;
  for (const std::vector<GroupingName> &group : groups) {
    std::vector<std::string> names;
    for (const GroupingName &name : group)
      names.push_back(name.name);
    std::sort(names.begin(), names.end());
    text += (text.empty() ? "" : " | ") + joinNames(names);
  }
  return text;
}

std::optional<GroupingText> parseGrouping(const Source &source, DiagnosticList &diagnostics) {
  const size_t before = diagnostics.size();
  Cursor cursor(lex(source, diagnostics), diagnostics);
  GroupingText grouping;
  if (cursor.peek(1).is(TokenKind::End) && (cursor.atWord("fused") || cursor.atWord("unfused"))) {
    grouping.form =
        cursor.atWord("fused") ? GroupingText::Form::Fused : GroupingText::Form::Unfused;
    return grouping;
  }
  do {
    std::vector<GroupingName> &group = grouping.groups.emplace_back();
    do {
      const Token *name = cursor.expect(TokenKind::Identifier, "a name", kGrouping);
      if (!name)
        return std::nullopt;
      group.push_back({std::string(name->text()), name->range});
    } while (cursor.accept(TokenKind::Comma));
  } while (cursor.accept(TokenKind::Bar));
  if (!cursor.at(TokenKind::End))
    cursor.reportExpected("`,` or `|`", kGrouping);
  if (diagnostics.size() > before)
    return std::nullopt;
  return grouping;
}

} // namespace braid::dsl
