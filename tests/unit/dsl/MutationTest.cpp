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

// A layout of the program, evaluated for a cache where it can be.
TEST_F(MutationTest, LayoutBlocks) {
  const std::string layout = R"(
layout mine(page_size: int, dim: int = 64, value: dtype = fp8) {
  index t in 0..page_size
  field value : value [h in 0..2, d in 0..dim/2] at (t*2 + h)*(dim/2) + d%16 + d/16*16
  field scale : f32 [] at page_size*dim*bytes(value) + 4*t
  field other : f4e2m1 [g in 0..max(2, 4)] at bits 16*t + 4*g in buffer 1
  bytes page_size*(dim*bytes(value) + 4)
  bytes page_size*2 in buffer 1
  require page_size % 4 == 0, dim >= 16 // use more
}
)";
  const std::string kernel = R"(
kernel k(page: layout = mine(page_size = 8)) {
  preset glm5 { page = mine(page_size = 4, dim = 32) }
  axis token
  input x : f32[token, 64]
  output y : f32[token, 64]
  cache c : page
  y = x * 2
}
)";
  check(layout + kernel);
  static constexpr std::string_view kBytes = "(){}[],:=+-*/%.<>!|xtdh019 \n";
  std::mt19937 random(4);
  for (int i = 0; i < 3000; ++i) {
    std::string text = layout;
    for (unsigned edits = 1 + random() % 3; edits; --edits) {
      const size_t at = random() % text.size();
      if (random() % 2)
        text[at] = kBytes[random() % kBytes.size()];
      else
        text.erase(at, 1 + random() % 8);
    }
    ASSERT_NO_FATAL_FAILURE(check(text + kernel));
  }
  for (const char *piece : {"(", "-", "1 + ", "2 * (", "min(", "bytes("}) {
    std::string nested;
    for (int i = 0; i < 20000; ++i)
      nested += piece;
    ASSERT_NO_FATAL_FAILURE(check("layout l(n: int) { index t in 0.." + nested + "1\n}\n" + kernel));
    ASSERT_NO_FATAL_FAILURE(check("layout l(n: int) { index t in 0..n\nfield f : fp8 [] at " + nested +
                                  "t\nbytes n\n}\n" + kernel));
  }
}

} // namespace
