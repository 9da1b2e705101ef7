// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Value expressions.
#include "dsl/BodyParser.h"

using namespace mlir;

namespace braid::dsl {

namespace {
const Grammar kExpression = {"a value, a number, `(` or an op call stands here",
                             "write for example round(x, bf16)"};

bool isSum(const Token &token) { return token.is(TokenKind::Plus) || token.is(TokenKind::Minus); }
bool isProduct(const Token &token) {
  return token.is(TokenKind::Star) || token.is(TokenKind::Slash) || token.is(TokenKind::Percent);
}
} // namespace

Expr BodyParser::combineAt(const Token &op, SourceRange begin, const Expr &left,
                           const Expr &right) {
  if (op.is(TokenKind::Percent)) {
    builder.diagnostics().report(DiagId::integerOnly, op.range);
    return fail(), Expr();
  }
  if (op.is(TokenKind::Slash) && left.number() && right.number() && right.number()->value == 0) {
    builder.diagnostics().report(DiagId::divisionByZero, op.range);
    return fail(), Expr();
  }
  pin(begin.to(cursor.lastRange()));
  return combine(op.text().front(), left, right);
}

Expr BodyParser::parseSum() {
  const SourceRange begin = cursor.peek().range;
  Expr left = parseProduct();
  while (!failed && isSum(cursor.peek())) {
    const Token op = cursor.next();
    Expr right = parseProduct();
    if (!failed)
      left = combineAt(op, begin, left, right);
  }
  return left;
}

Expr BodyParser::parseProduct() {
  const SourceRange begin = cursor.peek().range;
  Expr left = parseUnary();
  while (!failed && isProduct(cursor.peek())) {
    const Token op = cursor.next();
    Expr right = parseUnary();
    if (!failed)
      left = combineAt(op, begin, left, right);
  }
  return left;
}

Expr BodyParser::parseUnary() {
  if (depth >= kMaxNesting) {
    builder.diagnostics().report(DiagId::nestedTooDeep, cursor.peek().range, kMaxNesting);
    return fail(), Expr();
  }
  ++depth;
  const SourceRange begin = cursor.peek().range;
  Expr value;
  if (cursor.accept(TokenKind::Minus)) {
    value = parseUnary();
    if (!failed) {
      pin(begin.to(cursor.lastRange()));
      value = negate(value);
    }
  } else {
    value = parsePostfix();
  }
  --depth;
  return value;
}

Expr BodyParser::parsePostfix() {
  const SourceRange begin = cursor.peek().range;
  Expr value = parsePrimary();
  while (!failed && cursor.at(TokenKind::LeftBracket)) {
    if (atSlice()) {
      value = parseSlice(begin, value);
      continue;
    }
    cursor.next();
    Expr index = parseSum();
    if (failed || !cursor.expect(TokenKind::RightBracket, "`]`",
                                 {"an index is one value in brackets", "add `]`"}))
      return fail(), Expr();
    if (value.number()) {
      builder.diagnostics().report(DiagId::notIndexable, begin, begin.text(),
                                   "index an input table");
      return fail(), Expr();
    }
    pin(begin.to(cursor.lastRange()));
    value = builder.gather(value, index);
  }
  return value;
}

// True at `[a..b]`.
bool BodyParser::atSlice() const {
  int depth = 0;
  for (size_t ahead = 0; !cursor.peek(ahead).is(TokenKind::End); ++ahead) {
    const TokenKind kind = cursor.peek(ahead).kind;
    depth += closerOf(kind) != TokenKind::End;
    depth -= isCloser(kind);
    if (depth == 0)
      return false;
    if (depth == 1 && kind == TokenKind::Range)
      return true;
  }
  return false;
}

Expr BodyParser::parseSlice(SourceRange begin, const Expr &value) {
  cursor.next(); // `[`
  const SourceRange first = cursor.peek().range;
  std::optional<Arg> range = parseIntegers();
  if (!range)
    return Expr();
  range->loc = locate(first.to(cursor.lastRange()));
  if (!cursor.expect(TokenKind::RightBracket, "`]`",
                     {"a part of a row is one range in brackets", "add `]`"}))
    return fail(), Expr();
  pin(begin.to(cursor.lastRange()));
  Expr part = builder.callOne("slice", {Arg(value), std::move(*range)});
  return part ? part : (fail(), Expr());
}

Expr BodyParser::parsePrimary() {
  const Token token = cursor.peek();
  switch (token.kind) {
  case TokenKind::Integer:
  case TokenKind::Float: {
    std::optional<ConstantValue> value = numberValue(cursor.next(), false, builder.diagnostics());
    if (!value)
      return fail(), Expr();
    return Expr(Number{std::get<double>(*value), token.is(TokenKind::Integer)})
        .at(locate(token.range));
  }
  case TokenKind::LeftParen: {
    cursor.next();
    Expr value = parseSum();
    if (failed || !cursor.expect(TokenKind::RightParen, "`)`",
                                 {"every `(` has its `)` in the same statement", "add `)`"}))
      return fail(), Expr();
    return value;
  }
  case TokenKind::Identifier: {
    if (!cursor.peek(1).is(TokenKind::LeftParen))
      return parseName();
    std::vector<Expr> results = parseCall();
    if (results.size() > 1) {
      builder.diagnostics().report(DiagId::resultCount, token.range,
                                   fmt::format("`{}`", token.text()),
                                   fmt::format("{} results", results.size()), "one is");
      return fail(), Expr();
    }
    return results.empty() ? Expr() : results.front();
  }
  default:
    cursor.reportExpected("an expression", kExpression);
    return fail(), Expr();
  }
}

Expr BodyParser::parseName() {
  const Token token = cursor.next();
  const std::string name(token.text());
  if (const BoundParam *param = params.find(name)) {
    if (auto *whole = std::get_if<int64_t>(&param->value))
      return Number{double(*whole), true};
    if (auto *real = std::get_if<double>(&param->value))
      return Number{*real, false};
    builder.diagnostics().report(DiagId::valueExpected, token.range,
                                 fmt::format("the parameter `{}`", name),
                                 "use an int or f32 parameter, a tensor or an earlier name");
    return fail(), Expr();
  }
  bool found = false;
  Expr value = builder.lookup(name, found);
  if (found)
    return value.at(locate(token.range));
  builder.diagnostics().report(
      DiagId::nameUnknown, token.range, name,
      suggest(name, builder.valueNames(), "declare it as an input, or assign it before"));
  return fail(), Expr();
}

} // namespace braid::dsl
