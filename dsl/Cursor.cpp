// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Cursor.h"

#include <algorithm>

namespace braid::dsl {

Cursor::Cursor(std::vector<Token> list, DiagnosticList &diagnostics) : sink(diagnostics) {
  reset(std::move(list));
}

void Cursor::reset(std::vector<Token> list) {
  tokens = std::move(list);
  index = 0;
  if (tokens.empty() || !tokens.back().is(TokenKind::End)) {
    Token end;
    if (!tokens.empty()) {
      end = tokens.back();
      end.kind = TokenKind::End;
      end.column += end.range.end - end.range.begin;
      end.range.begin = end.range.end;
    }
    tokens.push_back(end);
  }
  last = tokens.front().range;
}

const Token &Cursor::peek(size_t ahead) const {
  return tokens[std::min(index + ahead, tokens.size() - 1)];
}

const Token &Cursor::next() {
  const Token &token = peek();
  if (index + 1 < tokens.size())
    ++index;
  last = token.range;
  return token;
}

bool Cursor::accept(TokenKind kind) {
  if (!at(kind))
    return false;
  next();
  return true;
}

const Token *Cursor::expect(TokenKind kind, std::string_view what, Grammar grammar) {
  if (at(kind))
    return &next();
  reportExpected(what, grammar);
  return nullptr;
}

void Cursor::reportExpected(std::string_view what, Grammar grammar) {
  if (!at(TokenKind::Bad))
    sink.report(DiagId::expected, peek().range, what, describe(peek()), grammar.why, grammar.fix);
}

std::vector<Token> Cursor::takeUntil(std::initializer_list<TokenKind> stops) {
  std::vector<Token> taken;
  size_t depth = 0;
  for (; !at(TokenKind::End); taken.push_back(next())) {
    const TokenKind kind = peek().kind;
    if (depth == 0 &&
        (isCloser(kind) || std::find(stops.begin(), stops.end(), kind) != stops.end()))
      break;
    if (closerOf(kind) != TokenKind::End)
      ++depth;
    else if (isCloser(kind))
      --depth;
  }
  return taken;
}

} // namespace braid::dsl
