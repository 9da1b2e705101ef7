// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Lexer.h"

#include <gmock/gmock.h>

using namespace braid::dsl;
using testing::ElementsAre;

namespace {

struct Lexed {
  explicit Lexed(std::string text)
      : source("t", std::move(text)), tokens(lex(source, diagnostics)) {}
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Token &token : tokens)
      if (!token.is(TokenKind::End))
        all.emplace_back(token.text());
    return all;
  }
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const Diagnostic &diagnostic : diagnostics.all())
      all.push_back(diagnostic.id);
    return all;
  }
  DiagnosticList diagnostics;
  Source source;
  std::vector<Token> tokens;
};

TEST(Lexer, SplitsAStatement) {
  Lexed lexed("qr = rope(q, dims = 0..rope_dim) // comment\nw=1e-6|2.5E+3");
  EXPECT_THAT(lexed.texts(), ElementsAre("qr", "=", "rope", "(", "q", ",", "dims", "=", "0", "..",
                                         "rope_dim", ")", "w", "=", "1e-6", "|", "2.5E+3"));
  EXPECT_TRUE(lexed.diagnostics.empty());
}

TEST(Lexer, KnowsWhereTokensAre) {
  Lexed lexed("a\r\n  bc = 1\n");
  ASSERT_EQ(lexed.tokens.size(), 5u);
  EXPECT_EQ(lexed.tokens[1].line, 2u);
  EXPECT_EQ(lexed.tokens[1].column, 3u);
  EXPECT_TRUE(lexed.tokens[1].firstOnLine);
  EXPECT_FALSE(lexed.tokens[2].firstOnLine);
  EXPECT_EQ(lexed.source.lineText(1), "a");
}

TEST(Lexer, TellsIntegersFromFloats) {
  Lexed lexed("64 1.5 1e3 0..3");
  EXPECT_EQ(lexed.tokens[0].kind, TokenKind::Integer);
  EXPECT_EQ(lexed.tokens[1].kind, TokenKind::Float);
  EXPECT_EQ(lexed.tokens[2].kind, TokenKind::Float);
  EXPECT_EQ(lexed.tokens[3].kind, TokenKind::Integer);
  EXPECT_EQ(lexed.tokens[4].kind, TokenKind::Range);
}

TEST(Lexer, ReportsBadNumbers) {
  EXPECT_THAT(Lexed("1.").ids(), ElementsAre("BR0102"));
  EXPECT_THAT(Lexed("64abc").ids(), ElementsAre("BR0102"));
  EXPECT_THAT(Lexed("1e").ids(), ElementsAre("BR0102"));
}

TEST(Lexer, ReportsHostileBytes) {
  EXPECT_THAT(Lexed(std::string("a\0b", 3)).ids(), ElementsAre("BR0101"));
  EXPECT_THAT(Lexed("x = \xc3\xa9\xc3\xa9 + 1").ids(), ElementsAre("BR0101"));
  EXPECT_THAT(Lexed("\xff\xfe\x80").ids(), ElementsAre("BR0101"));
  EXPECT_THAT(Lexed(std::string(100000, 'a')).ids(), ElementsAre("BR0103"));
  EXPECT_THAT(Lexed(std::string(5 << 20, ' ')).ids(), ElementsAre("BR0104"));
}

TEST(Lexer, StopsReportingAfterTheCap) {
  Lexed lexed(std::string(100, '\n') + "@ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @");
  EXPECT_EQ(lexed.diagnostics.size(), DiagnosticList::kMax + 1);
  EXPECT_EQ(lexed.diagnostics.all().back().id, "BR0199");
}

} // namespace
