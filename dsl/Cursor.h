// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A position in a list of tokens: the reading half of every parser of dsl/. Borrows the
// diagnostics.

#pragma once

#include "dsl/Lexer.h"

namespace braid::dsl {

/// What a missing token means to the reader: the rule, and an example of it kept.
struct Grammar {
  std::string_view why, fix;
};

class Cursor {
public:
  /// Reads `tokens`; a list that does not end with End is closed with one.
  Cursor(std::vector<Token> tokens, DiagnosticList &diagnostics);

  /// Goes on with other tokens.
  void reset(std::vector<Token> list);

  const Token &peek(size_t ahead = 0) const;
  const Token &next(); ///< Stays at the End token.
  bool at(TokenKind kind) const { return peek().is(kind); }
  bool atWord(std::string_view word) const { return peek().isWord(word); }
  bool accept(TokenKind kind);

  /// Takes a token of that kind, or reports what was expected. `what` names it, for example "`)`".
  const Token *expect(TokenKind kind, std::string_view what, Grammar grammar);
  void reportExpected(std::string_view what, Grammar grammar);

  /// Takes tokens up to (not including) one of `stops` outside brackets opened on the way, a
  /// closing bracket that none of them opened, or the end.
  std::vector<Token> takeUntil(std::initializer_list<TokenKind> stops);

  SourceRange lastRange() const { return last; } ///< of the token taken last
  DiagnosticList &diagnostics() { return sink; }

private:
  std::vector<Token> tokens;
  size_t index = 0;
  SourceRange last;
  DiagnosticList &sink;
};

} // namespace braid::dsl
