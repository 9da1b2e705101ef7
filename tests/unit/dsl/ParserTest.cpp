// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Parser.h"

#include "codegen/emit/ProgramLocation.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

using namespace braid;
using namespace braid::dsl;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class ParserTest : public testing::Test {
protected:
  /// Parses; `ir` is the module's text without locations, or the rendered diagnostics.
  void parse(std::string text, std::string preset = "", std::vector<std::string> sets = {}) {
    ProgramRequest request;
    request.text = std::move(text);
    request.preset = std::move(preset);
    request.sets = std::move(sets);
    program = parseProgram(context, request);
    ir.clear();
    llvm::raw_string_ostream out(ir);
    if (program.module)
      program.module->print(out);
    for (const dsl::Diagnostic &diagnostic : program.diagnostics)
      out << renderText(diagnostic);
  }
  mlir::Operation *find(llvm::StringRef op) {
    mlir::Operation *found = nullptr;
    program.module->walk([&](mlir::Operation *other) {
      if (!found && other->getName().getStringRef() == op)
        found = other;
    });
    return found;
  }

  mlir::MLIRContext context;
  Program program;
  std::string ir;
};

TEST_F(ParserTest, KeywordsAreContextual) {
  parse(R"(kernel kernel() {
    axis   axis, key
    input  input : f32[axis, 8]
    output output : f32[axis, 8]
    preset = input * 2
    cache = preset - 1
    output = cache / preset
  })");
  EXPECT_THAT(program.diagnostics, IsEmpty()) << ir;
  EXPECT_THAT(ir, HasSubstr("braid.kernel @kernel axes [\"axis\", \"key\"]"));
}

TEST_F(ParserTest, LinesJoin) {
  parse(R"(kernel k() {
    axis token
    input x : f32[token,
                  8]   // comment
    output y : f32[token, 8]
    a =
      x *
      2
      + max(x,
            1)
    y = (a
         - x) y2 = a
  })");
  EXPECT_THAT(ir,
              HasSubstr(":12:15: error[BR0105]: expected the end of the statement, found `y2`"));
  EXPECT_EQ(program.diagnostics.size(), 1u) << ir;
}

TEST_F(ParserTest, PrecedenceIsTheUsual) {
  parse(R"(kernel k(n: int = 3) {
    axis token
    input x : f32[token, 8]
    output y : f32[token, 8]
    y = -x + x * (2 + n * 2 - 8 / 4) / -(1)
  })");
  ASSERT_THAT(program.diagnostics, IsEmpty()) << ir;
  EXPECT_THAT(ir, HasSubstr("braid.constant 6.0"));
  EXPECT_THAT(ir, HasSubstr("braid.constant -1.0"));
  EXPECT_LT(ir.find("braid.mul"), ir.find("braid.div"));
  EXPECT_LT(ir.find("braid.div"), ir.find("braid.add"));
}

TEST_F(ParserTest, AxesFollowTheRules) {
  parse(R"(kernel k(heads: int = 4, dim: int = 8) {
    axis token
    input  x : f32[token, heads, dim]
    input  h : f32[heads]
    input  u : f32[2 * dim / 2]
    output y : f32[token, heads, dim]
    y = x * h + u
  })");
  ASSERT_THAT(program.diagnostics, IsEmpty()) << ir;
  EXPECT_THAT(ir, HasSubstr("\"x\" : !braid.tensor<[token, heads = 4, dim = 8] x f32>"));
  EXPECT_THAT(ir, HasSubstr("\"u\" : !braid.tensor<[8] x f32>"));
}

TEST_F(ParserTest, LocationsCarryNameStatementAndPlace) {
  parse("kernel k() {\n  axis token\n  input  x : f32[token, 8]\n  output c : fp8[token, 8]\n"
        "  c, s = quantize(round(x, bf16),   fp8,\n                  scale = ue8m0, floor = "
        "1e-4)\n}\n");
  ASSERT_THAT(program.diagnostics, IsEmpty()) << ir;
  mlir::Operation *quantize = find("braid.quantize"), *round = find("braid.round");
  EXPECT_EQ(programName(quantize->getResult(0)), "c");
  EXPECT_EQ(programName(quantize->getResult(1)), "s");
  EXPECT_EQ(programName(round->getResult(0)), "");
  EXPECT_EQ(programStatement(quantize->getLoc()),
            "c, s = quantize(round(x, bf16), fp8, scale = ue8m0, floor = 1e-4)");
  EXPECT_EQ(programPlace(quantize->getLoc()), "5:10");
  EXPECT_EQ(programPlace(round->getLoc()), "5:19");
  EXPECT_EQ(ir.find("<program>"), std::string::npos);
}

TEST_F(ParserTest, OutputsMayBeUsedOnceAssigned) {
  parse(R"(kernel k() {
    axis token
    input  x : f32[token, 8]
    output y : f32[token, 8]
    output z : f32[token, 8]
    y = x * 2
    z = y * 2
  })");
  EXPECT_THAT(program.diagnostics, IsEmpty()) << ir;
}

TEST_F(ParserTest, LayoutsMayStandInTheDeclaration) {
  parse(R"(kernel k(dim: int = 64, fp: dtype = fp8) {
    axis token
    input  x : f32[token, dim]
    input  slot : i32[token]
    cache  keys : tiled16(page_size = 2 * 8, dim = dim, value = fp)
    c, s = quantize(x, fp, scale = ue8m0, floor = 1e-4)
    keys[slot] = scale: s, value: c
  })");
  EXPECT_THAT(program.diagnostics, IsEmpty()) << ir;
}

TEST_F(ParserTest, EveryWrongStatementIsReported) {
  parse(R"(kernel k() {
    axis token
    input  x : f32[token, 8]
    output y : f32[token, 8]
    a = x +
    b = x * * 2
    c = ronud(x, bf16)
    y = a + b + c
  })");
  std::vector<unsigned> lines;
  for (const dsl::Diagnostic &diagnostic : program.diagnostics)
    lines.push_back(diagnostic.line);
  EXPECT_THAT(lines, ElementsAre(5u, 6u, 7u)) << ir;
}

TEST_F(ParserTest, TheExampleHasItsPresets) {
  std::ifstream file(BRAID_EXAMPLES "/dsa_indexer.braid");
  std::stringstream text;
  text << file.rdbuf();
  std::vector<dsl::Diagnostic> diagnostics;
  std::vector<KernelListing> kernels = listKernels(text.str(), "dsa_indexer.braid", diagnostics);
  EXPECT_THAT(diagnostics, IsEmpty());
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].kernel, "dsa_indexer");
  EXPECT_THAT(kernels[0].presets, ElementsAre("deepseek_v32", "glm5", "glm5_1", "glm5_2"));
  for (const std::string &preset : kernels[0].presets) {
    parse(text.str(), preset);
    EXPECT_THAT(program.diagnostics, IsEmpty()) << ir;
  }
  parse(text.str(), "deepseek_v32", {"heads=8", "io=f16", "ids=i32"});
  EXPECT_THAT(program.diagnostics, IsEmpty()) << ir;
}

} // namespace
