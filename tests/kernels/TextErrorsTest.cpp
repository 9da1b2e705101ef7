// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults of ours that only a compiler or the interpreter can find: each comes back at the statement
// of the program.

#include "KernelCase.h"

#include "codegen/passes/PassWatch.h"
#include "runtime/tools/braid/TextErrors.h"

#include "llvm/ADT/StringExtras.h"

#include <gmock/gmock.h>

using namespace mlir;

namespace braid::test {
namespace {

constexpr const char *kProgram = R"(
kernel k() {
  axis   token
  input  x : f32[token, 64]
  output y : f32[token, 64]
  input  g : f32[64]
  input  b : f32[64]
  t = x * 2
  y = layer_norm(t, g, b, 1e-6)
}
)";

class TextErrors : public testing::Test {
protected:
  void SetUp() override {
    loadBraidDialects(context);
    program = dsl::parseProgram(context, {kProgram, "k.braid", "", "", {}});
    ASSERT_TRUE(program.module);
    FailureOr<GeneratedProgram> made = generateHip(*program.module, {"gfx942"});
    ASSERT_TRUE(succeeded(made));
    generated = *made;
  }

  // Compiles the text with `insertion` behind the first statement that comes from line `place` of
  // the program; the errors as the tool says them.
  std::string errorsWith(const std::string &insertion, StringRef place, bool strict) {
    std::string text;
    unsigned number = 0;
    bool inserted = false;
    for (StringRef each : llvm::split(generated.texts[0], "\n")) {
      text += each.str();
      ++number;
      for (const LineMeta &entry : generated.meta.kernels[0].lineMap)
        if (!inserted && entry.line == number && each.ends_with(";") &&
            StringRef(entry.program).starts_with((place + ":").str())) {
          text += " " + insertion;
          inserted = true;
        }
      text += "\n";
    }
    EXPECT_TRUE(inserted) << "no statement comes from line " << place.str();
    CompileOptions options;
    options.warnings = options.warningsAreErrors = strict;
    CompileResult result;
    Status status = compileAssembly(text, *lookupTarget("gfx942"), options, result);
    EXPECT_EQ(status.ok() ? "" : status.id,
              result.bytes.empty() ? errorId(Error::CompileFailed) : "");
    return tool::programErrors(result.diagnostics, generated.meta.kernels[0]);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  dsl::Program program;
  GeneratedProgram generated;
};

TEST_F(TextErrors, HaveThePlaceOfTheProgram) {
  EXPECT_THAT(errorsWith("this is no C++;", "8", false),
              testing::MatchesRegex(
                  "8:[0-9]+ of the program: kernel.hip:[0-9]+:[0-9]+: error: [^\n]+(\n.*)*"));
}

TEST_F(TextErrors, WarningsAreErrorsToo) {
  EXPECT_THAT(errorsWith("int unused;", "9", true), testing::StartsWith("9:"));
  EXPECT_THAT(errorsWith("int unused;", "9", true), testing::HasSubstr("-Wunused-variable"));
  EXPECT_EQ(errorsWith("int unused;", "9", false), "");
}

TEST_F(TextErrors, AnErrorInAHeaderHasThePlaceOfTheCall) {
  // What `line` calls is declared after the headers, so put the failing template before them.
  generated.texts[0].insert(0, "template <class T> __attribute__((device)) void refuses(T) { "
                               "static_assert(sizeof(T) == 0); }\n");
  for (LineMeta &line : generated.meta.kernels[0].lineMap)
    ++line.line;
  EXPECT_THAT(errorsWith("refuses(1);", "9", false),
              testing::MatchesRegex("9:[0-9]+ of the program: kernel.hip:1:[^\n]+(\n.*)*"));
}

TEST_F(TextErrors, OfTheEmulatorAreRead) {
  const std::string line = std::to_string(generated.meta.kernels[0].lineMap.back().line);
  EXPECT_EQ(tool::programErrors("cannot load: kernel.hip:" + line + ":4: error: this",
                                generated.meta.kernels[0]),
            generated.meta.kernels[0].lineMap.back().program +
                " of the program: kernel.hip:" + line + ":4: error: this");
  EXPECT_EQ(tool::programErrors("kernel.hip:1:1: error: a header", generated.meta.kernels[0]),
            "kernel.hip:1:1: error: a header");
  EXPECT_EQ(
      tool::programErrors("nothing of it\nkernel.hip:x:1: error: no", generated.meta.kernels[0]),
      "");
}

TEST_F(TextErrors, AFailedInterpreterIsAnInternalError) {
  tool::Verifier verifier;
  Status status;
  ASSERT_TRUE(succeeded(verifier.prepare(*program.module, {"gfx942"}, status)));
  ASSERT_TRUE(status.ok()) << status.text();
  (*program.module)->setAttr(kTestFaultAttribute, StringAttr::get(&context, "silent"));
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  EXPECT_EQ(verifier.verify({}).status.id, errorId(Error::InterpreterFailed));
}

} // namespace
} // namespace braid::test
