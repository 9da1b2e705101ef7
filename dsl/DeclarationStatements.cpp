// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `axis`, `input`, `output`, `inout` and `cache`.
#include "dsl/BodyParser.h"

using namespace mlir;

namespace braid::dsl {

static const Grammar kTensor = {"an operand is `input NAME : dtype[axis, ...]`",
                                "write for example `input q : bf16[token, 128]`"};
static const Grammar kCache = {"a cache is `cache NAME : layout`",
                               "write for example `cache k : page`"};

bool BodyParser::parseDeclaration() {
  // Keywords are contextual: only a word before another word declares.
  if (!cursor.peek(1).is(TokenKind::Identifier))
    return false;
  if (cursor.atWord("axis"))
    return parseAxis(), true;
  if (cursor.atWord("input"))
    return parseTensor(OperandRole::input), true;
  if (cursor.atWord("output"))
    return parseTensor(OperandRole::output), true;
  if (cursor.atWord("cache"))
    return parseCache(), true;
  if (cursor.atWord("inout"))
    return parseTensor(OperandRole::inout), true;
  return false;
}

void BodyParser::parseAxis() {
  cursor.next();
  do {
    const Token *name =
        cursor.expect(TokenKind::Identifier, "an axis name",
                      {"run-time axes are declared as `axis token, key`", "write a name"});
    if (!name)
      return;
    pin(name->range);
    builder.axis(std::string(name->text()));
  } while (cursor.accept(TokenKind::Comma));
  expectEnd();
}

void BodyParser::parseTensor(OperandRole role) {
  cursor.next();
  const Token name = cursor.next();
  if (!cursor.expect(TokenKind::Colon, "`:`", kTensor))
    return;
  Type dtype = parseDtypeUse();
  std::optional<std::vector<Extent>> extents = parseExtents();
  pin(name.range);
  const std::string text(name.text());
  // Declared also after an error (without a dtype), so that its uses are not reported too.
  if (!extents) {
    fail();
    dtype = Type();
    extents.emplace();
  }
  if (role == OperandRole::input)
    builder.input(text, dtype, std::move(*extents));
  else if (role == OperandRole::output)
    builder.output(text, dtype, std::move(*extents));
  else
    builder.inout(text, dtype, std::move(*extents));
  expectEnd();
}

std::optional<std::vector<Extent>> BodyParser::parseExtents() {
  std::vector<Extent> extents;
  if (failed || !cursor.expect(TokenKind::LeftBracket, "`[`", kTensor))
    return std::nullopt;
  while (!cursor.at(TokenKind::RightBracket)) {
    std::optional<Extent> extent = parseExtent();
    if (!extent)
      return std::nullopt;
    extents.push_back(std::move(*extent));
    if (!cursor.accept(TokenKind::Comma))
      break;
  }
  if (!cursor.expect(TokenKind::RightBracket, "`,` or `]`", kTensor))
    return std::nullopt;
  return extents;
}

std::optional<Extent> BodyParser::parseExtent() {
  const Token first = cursor.peek();
  const Token &after = cursor.peek(1);
  const bool alone =
      !after.is(TokenKind::LeftParen) && (!joinsLines(after.kind) || after.is(TokenKind::Comma));
  std::optional<Extent> extent;
  if (first.is(TokenKind::Identifier) && alone) {
    cursor.next();
    extent.emplace(std::string(first.text()));
    const BoundParam *param = params.find(first.text());
    if (param && param->type == ParamType::Int)
      extent->extent = std::get<int64_t>(param->value);
  } else if (std::optional<int64_t> value = parseInteger(cursor, constants)) {
    extent.emplace(*value);
  }
  if (extent)
    extent->loc = locate(first.range.to(cursor.lastRange()));
  return extent;
}

void BodyParser::parseCache() {
  cursor.next();
  const Token name = cursor.next();
  if (!cursor.expect(TokenKind::Colon, "`:`", kCache))
    return;
  LayoutAttr layout = parseLayoutUse();
  pin(name.range);
  builder.cache(std::string(name.text()), layout);
  if (layout)
    expectEnd();
}

LayoutAttr BodyParser::parseLayoutUse() {
  if (cursor.peek(1).is(TokenKind::LeftParen)) {
    std::optional<BoundLayout> layout = parseLayoutCall(cursor, params);
    return layout ? makeLayout(*layout) : LayoutAttr();
  }
  const Token *name = cursor.expect(TokenKind::Identifier, "a layout", kCache);
  if (!name)
    return {};
  const BoundParam *param = params.find(name->text());
  if (param && param->type == ParamType::Layout)
    return makeLayout(std::get<BoundLayout>(param->value));
  builder.diagnostics().report(DiagId::notConstant, name->range, name->text(), " that is a layout",
                               "use a layout parameter, or a layout with its arguments");
  return {};
}

LayoutAttr BodyParser::makeLayout(const BoundLayout &layout) {
  auto [slot, isNew] = layouts.try_emplace(layout.canonical());
  if (!isNew)
    return slot->second;
  std::vector<LayoutArgument> arguments;
  for (const BoundLayoutArg &arg : layout.args) {
    if (auto *dtype = std::get_if<std::string>(&arg.value))
      arguments.push_back({arg.name, parseDtype(builder.context(), *dtype), locate(arg.range)});
    else
      arguments.push_back({arg.name, std::get<int64_t>(arg.value), locate(arg.range)});
  }
  FailureOr<LayoutAttr> made = failure();
  builder.captured([&] {
    made = instantiateLayout(builder.context(), layout.name, arguments, locate(layout.range),
                             ownLayouts);
  });
  if (succeeded(made))
    slot->second = *made;
  return slot->second;
}

} // namespace braid::dsl
