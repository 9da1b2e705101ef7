// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/LayoutCall.h"

#include <algorithm>

namespace braid::dsl {

static const Grammar kLayout = {"a layout is `NAME(parameter = value, ...)`",
                                "write for example linear(page_size = 64, dim = 128)"};

std::optional<ConstantValue> constantOf(const BoundParam &param, const Token &name,
                                        DiagnosticList &diagnostics) {
  if (auto *whole = std::get_if<int64_t>(&param.value))
    return *whole;
  if (auto *real = std::get_if<double>(&param.value))
    return *real;
  diagnostics.report(DiagId::notConstant, name.range, name.text(),
                     ": it is a parameter of another kind", "use an int or f32 parameter");
  return std::nullopt;
}

/// One value of a layout call: a dtype, a dtype parameter or an integer expression.
static std::optional<std::variant<int64_t, std::string>>
parseLayoutValue(Cursor &cursor, const ParamResolver &resolve, const ConstantLookup &lookup) {
  const TokenKind after = cursor.peek(1).kind;
  const bool alone =
      after == TokenKind::Comma || after == TokenKind::RightParen || after == TokenKind::End;
  if (cursor.at(TokenKind::Identifier) && alone) {
    const Token &word = cursor.peek();
    const BoundParam *param = resolve(word);
    if (param && param->type == ParamType::Dtype) {
      cursor.next();
      return std::get<std::string>(param->value);
    }
    if (!param && isDtypeName(word.text()))
      return std::string(cursor.next().text());
    const std::vector<std::string> known = dtypeNameList();
    if (!param && !nearestName(word.text(), known).empty()) {
      cursor.diagnostics().report(DiagId::dtypeUnknown, word.range, word.text(), joinNames(known),
                                  suggest(word.text(), known, "use one of these"));
      return std::nullopt;
    }
  }
  std::optional<int64_t> whole = parseInteger(cursor, lookup);
  if (!whole)
    return std::nullopt;
  return *whole;
}

std::optional<BoundLayout> parseLayout(Cursor &cursor, const ParamResolver &resolve,
                                       const ConstantLookup &lookup) {
  const Token *name = cursor.expect(TokenKind::Identifier, "a layout", kLayout);
  if (!name || !cursor.expect(TokenKind::LeftParen, "`(`", kLayout))
    return std::nullopt;
  BoundLayout layout{std::string(name->text()), {}, name->range};
  while (!cursor.at(TokenKind::RightParen)) {
    const Token *param = cursor.expect(TokenKind::Identifier, "a layout parameter", kLayout);
    if (!param || !cursor.expect(TokenKind::Equal, "`=`", kLayout))
      return std::nullopt;
    const SourceRange begin = param->range;
    const std::string key(param->text());
    auto value = parseLayoutValue(cursor, resolve, lookup);
    if (!value)
      return std::nullopt;
    auto same = [&](const BoundLayoutArg &other) { return other.name == key; };
    if (std::any_of(layout.args.begin(), layout.args.end(), same)) {
      cursor.diagnostics().report(DiagId::argumentTwice, begin, layout.name, key);
      return std::nullopt;
    }
    layout.args.push_back({key, *value, begin.to(cursor.lastRange())});
    if (!cursor.accept(TokenKind::Comma))
      break;
  }
  if (!cursor.expect(TokenKind::RightParen, "`,` or `)`", kLayout))
    return std::nullopt;
  layout.range = layout.range.to(cursor.lastRange());
  std::sort(layout.args.begin(), layout.args.end(),
            [](const auto &a, const auto &b) { return a.name < b.name; });
  return layout;
}

std::optional<BoundLayout> parseLayoutCall(Cursor &cursor, const BoundParams &params) {
  const ParamResolver resolve = [&](const Token &name) { return params.find(name.text()); };
  return parseLayout(cursor, resolve, parameterLookup(params, cursor.diagnostics()));
}

} // namespace braid::dsl
