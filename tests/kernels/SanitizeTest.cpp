// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --sanitize: faults planted into generated text are found and named with both lines, and clean
// kernels give the same bytes. The texts are edited here, since the compiler makes no such text.

#include "KernelCase.h"

#include <algorithm>

using namespace mlir;

namespace braid::test {
namespace {

// A program whose statements have lines of their own.
constexpr const char *kProgram = R"(kernel k() {
  axis token
  input x : f32[token, 64]
  input slot : i64[token]
  output y : f32[token, 64]
  cache keys : linear(page_size = 4, dim = 64)
  y = x * 2
  c, s = quantize(x, fp8, scale = ue8m0, floor = 1e-4)
  keys[slot] = value: c, scale: s
}
)";

class Sanitize : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    ASSERT_TRUE(kernel.prepare(kProgram, "", {}, GetParam()));
    kernel.fill("x", {3, 64}, 0x3f);
    kernel.setInts("slot", {3}, {2, 7, 5});
    kernel.fill("y", {3, 64}, 0);
    kernel.fill("keys", {2, 4 * 64 + 16}, 0);
  }

  Status sanitized() {
    tool::OperandSet set;
    for (const OperandMeta &operand : kernel.generated.signature().operands)
      set.arrays.push_back(kernel.operands.at(operand.name));
    return tool::runSanitized(kernel.generated, set, {}, finding);
  }

  // Replaces text of the first line after the headers that has `line`; remembers its number.
  void edit(const std::string &line, const std::string &from, const std::string &to) {
    std::string &text = kernel.generated.texts[0];
    size_t at = text.find(line, text.find("using namespace braid;"));
    ASSERT_NE(at, std::string::npos) << text;
    at = text.rfind('\n', at) + 1;
    edited = static_cast<unsigned>(std::count(text.begin(), text.begin() + at, '\n')) + 1;
    size_t where = text.find(from, at);
    ASSERT_LT(where, text.find('\n', at)) << "the line has no " << from;
    text.replace(where, from.size(), to);
  }

  void expectFound(const Status &status, const std::string &operand, const std::string &program) {
    EXPECT_EQ(status.id, errorId(Error::SanitizerFinding)) << status.text();
    EXPECT_EQ(static_cast<int>(status.code), 1);
    EXPECT_EQ(finding.operand, operand) << status.text();
    EXPECT_EQ(finding.statementLine, edited) << status.text();
    EXPECT_EQ(finding.program.substr(0, finding.program.find(':')), program) << status.text();
    EXPECT_FALSE(finding.line == 0 || status.why.empty() || status.fix.empty());
  }

  KernelCase kernel;
  tool::SanitizerFinding finding;
  unsigned edited = 0;
};

INSTANTIATE_TEST_SUITE_P(Targets, Sanitize, testing::Values("gfx942", "gfx950", "sm_90"));

TEST_P(Sanitize, CleanText) {
  Status status = sanitized();
  EXPECT_TRUE(status.ok()) << status.text();
}

TEST_P(Sanitize, StoreOneBytePastThePage) {
  edit("u8* const scale_place", "u8* const scale_place",
       "keys_page[272] = 0; u8* const scale_place");
  Status status = sanitized();
  expectFound(status, "keys", "9");
  EXPECT_EQ(finding.access, "writes 1 byte");
  EXPECT_EQ(finding.place, "at byte 272 of page [0], which has 272");
}

TEST_P(Sanitize, LoadBeyondTheRow) {
  edit("loadRow<Rows>(x", "loadRow<Rows>(x", "loadRow<Rows>(x + 4");
  Status status = sanitized();
  expectFound(status, "x", "7");
  EXPECT_EQ(finding.access.substr(0, 5), "reads");
}

TEST_P(Sanitize, OperandShorterThanTheMetadataSays) {
  for (KernelMeta *meta : {&kernel.generated.meta.kernels[0], &kernel.generated.meta.signature})
    for (OperandMeta &operand : meta->operands)
      if (operand.name == "x")
        operand.axes.back().extent = 32;
  kernel.fill("x", {3, 32}, 0x3f);
  Status status = sanitized();
  EXPECT_EQ(status.id, errorId(Error::SanitizerFinding)) << status.text();
  EXPECT_EQ(finding.operand, "x");
  EXPECT_EQ(finding.place, "at byte 128 of row [0], which has 128");
}

TEST_P(Sanitize, LoadFarAway) {
  edit("loadRow<Rows>(x", "loadRow<Rows>(x", "loadRow<Rows>(x + (u64(1) << 44)");
  Status status = sanitized();
  expectFound(status, "", "7");
}

TEST_P(Sanitize, UndefinedOperation) {
  edit("// y = x * 2", "// y = x * 2", "int most = 2147483647; most += int(threadId()) + 1;");
  Status status = sanitized();
  EXPECT_EQ(status.id, errorId(Error::SanitizerFinding)) << status.text();
  EXPECT_EQ(finding.access, "add overflow");
  EXPECT_EQ(finding.line, edited);
}

// What a kernel stores between kernels has bounds too, and the finding names it.
TEST_P(Sanitize, WorkspaceOfAGrouping) {
  KernelCase parted;
  parted.grouping = "c, s | y, keys";
  ASSERT_TRUE(parted.prepare(kProgram, "", {}, GetParam()));
  tool::OperandSet set;
  for (const OperandMeta &operand : parted.generated.signature().operands)
    set.arrays.push_back(kernel.operands.at(operand.name));
  Status status = tool::runSanitized(parted.generated, set, {}, finding);
  EXPECT_TRUE(status.ok()) << status.text();
  std::string &text = parted.generated.texts[1];
  const size_t at = text.find("loadRow<Rows>(c", text.find("using namespace braid;"));
  ASSERT_NE(at, std::string::npos) << text;
  text.insert(at + std::string("loadRow<Rows>(c").size(), " + 16");
  status = tool::runSanitized(parted.generated, set, {}, finding);
  EXPECT_EQ(status.id, errorId(Error::SanitizerFinding)) << status.text();
  EXPECT_EQ(finding.operand, "c");
}

// Each kernel counts in a process of its own; together they report what a launch reports.
TEST_P(Sanitize, FaultsOfAGrouping) {
  for (const char *grouping : {"fused", "c, s | y, keys", "y | c | keys"})
    for (const char *padding : {"padding=skip_store", "padding=skip_all(slot)"}) {
      SCOPED_TRACE(std::string(grouping) + " " + padding);
      KernelCase parted;
      parted.grouping = grouping;
      parted.checked = true;
      ASSERT_TRUE(parted.prepare(kProgram, "", {padding}, GetParam()));
      parted.operands = kernel.operands;
      parted.setInts("slot", {3}, {8, 7, -5});
      parted.run();
      ASSERT_EQ(parted.faults.size(), 1u);
      EXPECT_EQ(parted.faults[0].text(),
                "`slot`: 2 values lie outside `keys`; first: token 0, value 8, limit 8");
      const std::vector<uint8_t> launched = parted.bytes("keys");
      parted.fill("keys", {2, 4 * 64 + 16}, 0);
      tool::OperandSet set;
      for (const OperandMeta &operand : parted.generated.signature().operands)
        set.arrays.push_back(parted.operands.at(operand.name));
      std::vector<Fault> faults;
      Status status = tool::runSanitized(parted.generated, set, {}, finding, &faults);
      EXPECT_TRUE(status.ok()) << status.text();
      ASSERT_EQ(faults.size(), 1u);
      EXPECT_EQ(faults[0].text(), parted.faults[0].text());
      EXPECT_EQ(parted.bytes("keys"), launched);
    }
}

TEST_P(Sanitize, TextThatDoesNotCompile) {
  kernel.generated.texts[0] += "nonsense";
  EXPECT_EQ(sanitized().id, errorId(Error::ImageRefused));
}

TEST_P(Sanitize, SameBytesOnRandomOperands) {
  for (const char *preset : {"deepseek_v32", "glm5"}) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    loadBraidDialects(context);
    dsl::Program program =
        dsl::parseProgram(context, {dsaIndexer(), "dsa_indexer.braid", "", preset});
    ASSERT_TRUE(program.module);
    for (const char *grouping : {"fused", "qr | q8, w | kr | index_k"}) {
      SCOPED_TRACE(grouping);
      tool::Verifier verifier;
      Status status;
      ASSERT_TRUE(succeeded(verifier.prepare(*program.module, {GetParam(), {}, grouping}, status)));
      tool::VerifyOptions options;
      options.sanitize = options.nonfinite = true;
      tool::VerifyResult result = verifier.verify(options);
      EXPECT_TRUE(result.equal()) << result.status.text() << result.differences;
    }
  }
}

} // namespace
} // namespace braid::test
