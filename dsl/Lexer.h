// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens of a program. Keywords are contextual, so every word is an identifier here. Lexing never
// fails: what is no token is reported and left out.

#pragma once

#include "dsl/Diagnostics.h"
#include "dsl/Source.h"

#include <vector>

namespace braid::dsl {

enum class TokenKind : uint8_t {
  Identifier,
  Integer,
  Float,
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Comma,
  Colon,
  Equal,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Range, ///< `..`
  Bar,
  Compare, ///< == != < <= > >=
  Bad,     ///< reported already; what the parser expected instead is not worth a second report
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  bool firstOnLine = false;
  uint32_t line = 0, column = 0; ///< 1-based, in bytes
  SourceRange range;

  std::string_view text() const { return range.text(); }
  bool is(TokenKind other) const { return kind == other; }
  bool isWord(std::string_view word) const { return is(TokenKind::Identifier) && text() == word; }
};

/// The tokens of `source`, closed by one End token.
std::vector<Token> lex(const Source &source, DiagnosticList &diagnostics);

/// The token as a message names it: "`rope`", "the end of the file".
std::string describe(const Token &token);

/// `)` for `(` and so on; End for a token that opens nothing.
TokenKind closerOf(TokenKind opener);
bool isCloser(TokenKind kind);

} // namespace braid::dsl
