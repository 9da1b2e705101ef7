// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Lexer.h"

namespace braid::dsl {
namespace {

constexpr size_t kMaxProgram = 4u << 20;
constexpr size_t kMaxToken = 200;

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
public:
  Lexer(const Source &source, DiagnosticList &diagnostics)
      : source(source), text(source.text()), diagnostics(diagnostics) {}

  std::vector<Token> run() {
    if (text.size() > kMaxProgram) {
      diagnostics.report(DiagId::programTooLarge, {&source, 0, 1}, text.size(), kMaxProgram);
      text = {};
    }
    while (skipBlank(), at < text.size())
      lexToken();
    push(TokenKind::End, at);
    return std::move(tokens);
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }

  void newLine() {
    ++line;
    lineStart = at;
    firstOnLine = true;
  }

  void skipBlank() {
    while (at < text.size()) {
      const char c = text[at];
      if (c == '\n') {
        ++at;
        newLine();
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at;
      } else if (c == '/' && peek(1) == '/') {
        while (at < text.size() && text[at] != '\n')
          ++at;
      } else {
        return;
      }
    }
  }

  SourceRange rangeFrom(size_t begin) const {
    return {&source, static_cast<uint32_t>(begin), static_cast<uint32_t>(at)};
  }

  void push(TokenKind kind, size_t begin) {
    tokens.push_back(
        {kind, firstOnLine, line, static_cast<uint32_t>(begin - lineStart + 1), rangeFrom(begin)});
    firstOnLine = false;
  }

  void lexToken() {
    const size_t begin = at;
    if (isLetter(peek()))
      lexName(begin);
    else if (isDigit(peek()))
      lexNumber(begin);
    else
      lexPunctuation(begin);
  }

  void skipWord() {
    while (isLetter(peek()) || isDigit(peek()))
      ++at;
  }

  void refuseLong(size_t begin) {
    diagnostics.report(DiagId::tokenTooLong, rangeFrom(begin), at - begin, kMaxToken);
    push(TokenKind::Bad, begin);
  }

  void lexName(size_t begin) {
    skipWord();
    if (at - begin > kMaxToken)
      refuseLong(begin);
    else
      push(TokenKind::Identifier, begin);
  }

  void lexNumber(size_t begin) {
    auto digits = [&] {
      while (isDigit(peek()))
        ++at;
    };
    bool isFloat = false;
    digits();
    if (peek() == '.' && isDigit(peek(1))) {
      isFloat = true;
      ++at;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (isDigit(peek(1 + sign))) {
        isFloat = true;
        at += 1 + sign;
        digits();
      }
    }
    const bool pointAtEnd = peek() == '.' && peek(1) != '.';
    if (pointAtEnd || isLetter(peek())) { // `1.`, `64abc`, `1e`
      at += pointAtEnd;
      skipWord();
      diagnostics.report(DiagId::malformedNumber, rangeFrom(begin), clip(rangeFrom(begin).text()));
    } else if (at - begin > kMaxToken) {
      return refuseLong(begin);
    }
    push(isFloat ? TokenKind::Float : TokenKind::Integer, begin);
  }

  static std::string clip(std::string_view word) { return std::string(word.substr(0, 40)); }

  static TokenKind punctuation(char c) {
    switch (c) {
    case '(':
      return TokenKind::LeftParen;
    case ')':
      return TokenKind::RightParen;
    case '[':
      return TokenKind::LeftBracket;
    case ']':
      return TokenKind::RightBracket;
    case '{':
      return TokenKind::LeftBrace;
    case '}':
      return TokenKind::RightBrace;
    case ',':
      return TokenKind::Comma;
    case ':':
      return TokenKind::Colon;
    case '=':
      return TokenKind::Equal;
    case '+':
      return TokenKind::Plus;
    case '-':
      return TokenKind::Minus;
    case '*':
      return TokenKind::Star;
    case '/':
      return TokenKind::Slash;
    case '%':
      return TokenKind::Percent;
    case '|':
      return TokenKind::Bar;
    default:
      return TokenKind::End;
    }
  }

  void lexPunctuation(size_t begin) {
    if (peek() == '.' && peek(1) == '.') {
      at += 2;
      return push(TokenKind::Range, begin);
    }
    const char c = text[at++];
    if (((c == '=' || c == '!') && peek() == '=') || c == '<' || c == '>') {
      at += peek() == '=';
      return push(TokenKind::Compare, begin);
    }
    const TokenKind kind = punctuation(c);
    if (kind != TokenKind::End)
      return push(kind, begin);
    // One diagnostic for a run of bytes outside ASCII: they are one or more letters.
    const auto byte = static_cast<unsigned char>(c);
    while (byte >= 0x80 && at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80)
      ++at;
    const bool printable = byte > 0x20 && byte < 0x7f;
    diagnostics.report(DiagId::strayCharacter, rangeFrom(begin),
                       printable      ? fmt::format("`{}`", c)
                       : byte >= 0x80 ? std::string("a letter outside ASCII")
                                      : fmt::format("the byte {:#04x}", byte));
    push(TokenKind::Bad, begin);
  }

  const Source &source;
  std::string_view text;
  DiagnosticList &diagnostics;
  std::vector<Token> tokens;
  size_t at = 0, lineStart = 0;
  uint32_t line = 1;
  bool firstOnLine = true;
};

} // namespace

std::vector<Token> lex(const Source &source, DiagnosticList &diagnostics) {
  return Lexer(source, diagnostics).run();
}

std::string describe(const Token &token) {
  if (!token.is(TokenKind::End))
    return fmt::format("`{}`", token.text().substr(0, 60));
  const bool atEnd = !token.range.source || token.range.end >= token.range.source->text().size();
  return atEnd ? "the end of the text" : "the end of the statement";
}

TokenKind closerOf(TokenKind opener) {
  switch (opener) {
  case TokenKind::LeftParen:
    return TokenKind::RightParen;
  case TokenKind::LeftBracket:
    return TokenKind::RightBracket;
  case TokenKind::LeftBrace:
    return TokenKind::RightBrace;
  default:
    return TokenKind::End;
  }
}

bool isCloser(TokenKind kind) {
  return kind == TokenKind::RightParen || kind == TokenKind::RightBracket ||
         kind == TokenKind::RightBrace;
}

} // namespace braid::dsl
