// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged programs give diagnostics, never a crash, and a program that parses is one that verifies.
#include "dsl/Parser.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

using namespace braid::dsl;

namespace {

std::string readExample() {
  std::ifstream file(BRAID_EXAMPLES "/dsa_indexer.braid");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class MutationTest : public testing::Test {
protected:
  void check(std::string text) {
    ProgramRequest request;
    request.text = std::move(text);
    request.preset = "glm5";
    Program program = parseProgram(context, request);
    ASSERT_EQ(bool(program.module), program.diagnostics.empty()) << request.text;
    ASSERT_LE(program.diagnostics.size(), DiagnosticList::kMax + 1);
    if (program.module)
      ASSERT_TRUE(succeeded(mlir::verify(*program.module))) << request.text;
    for (const Diagnostic &diagnostic : program.diagnostics) {
      ASSERT_FALSE(renderText(diagnostic).empty());
      ASSERT_NE(diagnostic.id, "BR0198") << diagnostic.message << "\n" << request.text;
    }
    renderJson(program.diagnostics);
  }

  mlir::MLIRContext context;
  const std::string example = readExample();
};

TEST_F(MutationTest, Truncation) {
  for (size_t length = 0; length <= example.size(); length += 3)
    ASSERT_NO_FATAL_FAILURE(check(example.substr(0, length)));
  ASSERT_NO_FATAL_FAILURE(check(example));
}

TEST_F(MutationTest, Bytes) {
  static constexpr std::string_view kBytes = "(){}[],:=+-*/%.|xk0 \n\"#\x80\xff";
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text = example;
    for (unsigned edits = 1 + random() % 4; edits; --edits) {
      const size_t at = random() % text.size();
      const char byte = random() % 50 ? kBytes[random() % kBytes.size()] : '\0';
      switch (random() % 3) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      default:
        text.erase(at, 1 + random() % 8);
      }
    }
    ASSERT_NO_FATAL_FAILURE(check(text));
  }
}

TEST_F(MutationTest, Words) {
  DiagnosticList ignored;
  const Source source("t", example);
  const std::vector<Token> tokens = lex(source, ignored);
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const Token &from = tokens[random() % (tokens.size() - 1)],
                &to = tokens[random() % (tokens.size() - 1)];
    std::string text = example;
    text.replace(to.range.begin, to.range.end - to.range.begin, from.text());
    ASSERT_NO_FATAL_FAILURE(check(text));
  }
}

TEST_F(MutationTest, Lines) {
  std::vector<std::string> lines;
  std::stringstream stream(example);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::string> changed = lines;
    switch (random() % 3) {
    case 0:
      changed.erase(changed.begin() + random() % changed.size());
      break;
    case 1:
      std::swap(changed[random() % changed.size()], changed[random() % changed.size()]);
      break;
    default:
      changed.insert(changed.begin() + random() % changed.size(), lines[random() % lines.size()]);
    }
    std::string text;
    for (const std::string &line : changed)
      text += line + "\n";
    ASSERT_NO_FATAL_FAILURE(check(text));
  }
}

TEST_F(MutationTest, Depth) {
  for (const char *piece : {"(", "-", "round(", "q[", "sqrt(", "[", "{", "rope(q, "}) {
    std::string nested;
    for (int i = 0; i < 20000; ++i)
      nested += piece;
    ASSERT_NO_FATAL_FAILURE(
        check(example.substr(0, example.rfind('}')) + "  z = " + nested + "q\n}\n"));
    ASSERT_NO_FATAL_FAILURE(check("kernel k(n: int = " + nested + ") {}"));
    ASSERT_NO_FATAL_FAILURE(check(nested));
  }
}

} // namespace
