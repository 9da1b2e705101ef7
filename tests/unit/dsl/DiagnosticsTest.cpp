// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Diagnostics.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace braid::dsl;
using braid::nearestName;

namespace {

Diagnostic sample() {
  Diagnostic diagnostic;
  diagnostic.id = "BR0203";
  diagnostic.file = "indexer.braid";
  diagnostic.line = 14;
  diagnostic.column = 3;
  diagnostic.length = 4;
  diagnostic.message = "the message";
  diagnostic.why = "the rule";
  diagnostic.fix = "what to do";
  diagnostic.sourceLine = "\tx  = y";
  return diagnostic;
}

TEST(Diagnostics, TextShowsTheLineAndACaret) {
  Diagnostic diagnostic = sample();
  diagnostic.sourceLine = "  qr = round(x)";
  EXPECT_EQ(renderText(diagnostic), "indexer.braid:14:3: error[BR0203]: the message\n"
                                    "   14 |   qr = round(x)\n"
                                    "      |   ^^^^\n"
                                    "  why : the rule\n"
                                    "  fix : what to do\n");
}

TEST(Diagnostics, TabsKeepTheCaretInPlace) {
  EXPECT_NE(renderText(sample()).find("| \t ^^^^\n"), std::string::npos);
}

TEST(Diagnostics, LongLinesAreCutAroundTheCaret) {
  Diagnostic diagnostic = sample();
  diagnostic.sourceLine = std::string(1000000, 'x');
  diagnostic.column = 500000;
  const std::string text = renderText(diagnostic);
  EXPECT_LT(text.size(), 600u);
  EXPECT_NE(text.find("^^^^"), std::string::npos);
}

TEST(Diagnostics, WithoutAPlaceThereIsNoExcerpt) {
  Diagnostic diagnostic = sample();
  diagnostic.file.clear();
  diagnostic.line = 0;
  EXPECT_EQ(renderText(diagnostic).substr(0, 28), "error[BR0203]: the message\n ");
}

TEST(Diagnostics, JsonHasEveryMember) {
  Diagnostic diagnostic = sample();
  diagnostic.message = "not UTF-8: \xff";
  const auto array = nlohmann::json::parse(renderJson({&diagnostic, 1}));
  ASSERT_EQ(array.size(), 1u);
  EXPECT_EQ(array[0]["id"], "BR0203");
  EXPECT_EQ(array[0]["severity"], "error");
  EXPECT_EQ(array[0]["file"], "indexer.braid");
  EXPECT_EQ(array[0]["line"], 14);
  EXPECT_EQ(array[0]["column"], 3);
  EXPECT_EQ(array[0]["length"], 4);
  EXPECT_EQ(array[0]["why"], "the rule");
  EXPECT_EQ(array[0]["fix"], "what to do");
}

TEST(Diagnostics, SuggestsTheNearestName) {
  const std::vector<std::string> names = {"rope", "round", "layer_norm"};
  EXPECT_EQ(nearestName("ronud", names), "round");
  EXPECT_EQ(nearestName("layernorm", names), "layer_norm");
  EXPECT_EQ(nearestName("softmax", names), "");
  EXPECT_EQ(nearestName("rope", names), ""); // what is there was not misspelt
  EXPECT_EQ(nearestName("", names), "");
  const std::vector<std::string> dtypes = {"fp8", "f32"};
  EXPECT_EQ(nearestName("f23", dtypes), "f32"); // exchanged neighbours are one mistake
}

} // namespace
