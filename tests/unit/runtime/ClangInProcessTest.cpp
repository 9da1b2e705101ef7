// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang and lld inside the process: code objects, diagnostics, resource usage, and that nothing
// ends the process.

#include "codegen/compile/ClangInProcess.h"

#include "codegen/compile/CompileGuard.h"
#include "codegen/compile/LinkInProcess.h"
#include "codegen/compile/ResourceUsage.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

namespace braid {
namespace {

constexpr std::string_view kText = R"(
#define __global__ __attribute__((global))
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 128))) void triple(float *x, unsigned n) {
  __attribute__((shared)) static float lds[128];
  const unsigned i = __builtin_amdgcn_workitem_id_x();
  lds[i] = x[i];
  __builtin_amdgcn_s_barrier();
  if (i < n)
    x[i] = lds[127 - i] * 3.0f + 1.0f;
}
)";

std::vector<Target> compiledTargets() {
  std::vector<Target> targets;
  for (const Target &target : allTargets())
    if (!target.clangCpu.empty())
      targets.push_back(target);
  return targets;
}

TEST(ClangInProcess, MakesACodeObjectForEveryTarget) {
  for (const Target &target : compiledTargets()) {
    CompileResult result;
    Status status = compileCodeObject(kText, target, {}, result);
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_TRUE(result.diagnostics.empty());
    CodeObjectInfo info;
    status = readCodeObject(result.bytes, info);
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_EQ(info.targetId, target.name);
    EXPECT_EQ(info.abiVersion, 3u); // code object version 5
    ASSERT_EQ(info.kernels.size(), 1u);
    const KernelResources &kernel = info.kernels[0];
    EXPECT_EQ(kernel.symbol, "triple");
    EXPECT_EQ(kernel.waveSize, target.waveSize);
    EXPECT_EQ(kernel.ldsBytes, 512u);
    EXPECT_EQ(kernel.kernargBytes, 12u);
    EXPECT_EQ(kernel.workgroupLimit, 128u);
    EXPECT_EQ(kernel.scratchBytes, 0u);
    EXPECT_EQ(kernel.vgprSpills + kernel.sgprSpills, 0u);
    EXPECT_GT(kernel.vgprs, 0u);
  }
}

TEST(ClangInProcess, EqualTextGivesEqualBytes) {
  CompileResult a, b;
  ASSERT_TRUE(compileCodeObject(kText, *lookupTarget("gfx942"), {}, a).ok());
  ASSERT_TRUE(compileCodeObject(kText, *lookupTarget("gfx942"), {}, b).ok());
  EXPECT_EQ(a.bytes, b.bytes);
}

TEST(ClangInProcess, DoesNotContract) {
  CompileResult result;
  const Status status = compileAssembly(kText, *lookupTarget("gfx950"), {}, result);
  ASSERT_TRUE(status.ok()) << status.text();
  EXPECT_NE(result.bytes.find("v_mul_f32"), std::string::npos);
  EXPECT_EQ(result.bytes.find("v_fma"), std::string::npos);
}

TEST(ClangInProcess, ErrorsComeWithLineAndColumn) {
  CompileResult result;
  const Status status = compileCodeObject("int f() {\n  return q;\n}\nint g() { return 1 }\n",
                                          *lookupTarget("gfx942"), {}, result);
  EXPECT_EQ(status.id, errorId(Error::CompileFailed));
  ASSERT_EQ(result.diagnostics.size(), 2u);
  EXPECT_EQ(result.diagnostics[0].severity, Severity::Error);
  EXPECT_EQ(result.diagnostics[0].line, 2u);
  EXPECT_EQ(result.diagnostics[0].column, 10u);
  EXPECT_NE(result.diagnostics[0].message.find("'q'"), std::string::npos);
  EXPECT_EQ(result.diagnostics[1].line, 4u);
  EXPECT_NE(status.what.find("kernel.hip:2:10: error:"), std::string::npos);
}

TEST(ClangInProcess, WarningsAreListedWithTheirFlagAndMayBeErrors) {
  constexpr std::string_view text = "int f(int used) { int idle; return used; }\n";
  CompileOptions options;
  options.warnings = true;
  CompileResult result;
  EXPECT_TRUE(compileCodeObject(text, *lookupTarget("gfx942"), options, result).ok());
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.diagnostics[0].severity, Severity::Warning);
  EXPECT_EQ(result.diagnostics[0].option, "-Wunused-variable");
  options.warningsAreErrors = true;
  EXPECT_EQ(compileCodeObject(text, *lookupTarget("gfx942"), options, result).id,
            errorId(Error::CompileFailed));
}

TEST(ClangInProcess, TheBackEndsErrorsAreCaughtToo) {
  constexpr std::string_view text = R"(
extern "C" __attribute__((global)) void k(float *x) {
  __attribute__((shared)) static float lds[20000];
  lds[__builtin_amdgcn_workitem_id_x()] = *x;
  __builtin_amdgcn_s_barrier();
  *x = lds[19999 - __builtin_amdgcn_workitem_id_x()];
}
)";
  CompileResult result;
  const Status status = compileCodeObject(text, *lookupTarget("gfx942"), {}, result);
  EXPECT_EQ(status.id, errorId(Error::CompileFailed)) << status.text();
  EXPECT_NE(status.what.find("65536"), std::string::npos) << status.text();
  EXPECT_TRUE(compileCodeObject(text, *lookupTarget("gfx950"), {}, result).ok());
}

TEST(ClangInProcess, AnUndefinedFunctionIsALinkError) {
  constexpr std::string_view text = R"(
__attribute__((device)) float missing(float);
extern "C" __attribute__((global)) void k(float *x) { *x = missing(*x); }
)";
  CompileResult result;
  const Status status = compileCodeObject(text, *lookupTarget("gfx942"), {}, result);
  EXPECT_EQ(status.id, errorId(Error::LinkFailed)) << status.text();
  EXPECT_NE(status.what.find("missing"), std::string::npos);
  EXPECT_TRUE(
      compileCodeObject(kText, *lookupTarget("gfx942"), {}, result).ok()); // and lld runs again
}

TEST(ClangInProcess, FilesOfTheMachineAreNotSeen) {
  CompileResult result;
  EXPECT_EQ(compileCodeObject("#include <stddef.h>\n", *lookupTarget("gfx942"), {}, result).id,
            errorId(Error::CompileFailed));
  EXPECT_EQ(compileCodeObject("#include \"/etc/passwd\"\n", *lookupTarget("gfx942"), {}, result).id,
            errorId(Error::CompileFailed));
}

TEST(ClangInProcess, ATextOnlyTargetIsRefused) {
  CompileResult result;
  for (const Target &target : allTargets())
    if (target.clangCpu.empty())
      EXPECT_EQ(compileCodeObject(kText, target, {}, result).id, errorId(Error::TextOnlyTarget));
}

TEST(ClangInProcess, DefinesReachTheText) {
  CompileOptions options;
  options.defines = {"SIZE=3"};
  CompileResult result;
  EXPECT_TRUE(
      compileCodeObject("static_assert(SIZE == 3);\n", *lookupTarget("gfx942"), options, result)
          .ok());
}

TEST(ClangInProcess, HostCodeIsAModule) {
  HostModule module;
  const Status status =
      compileHostModule("extern \"C\" void k(float *x) { *x = *x * 2.0f; }\n", {}, module);
  ASSERT_TRUE(status.ok()) << status.text();
  EXPECT_NE(module.module->getFunction("k"), nullptr);
}

TEST(ClangInProcess, SeveralThreadsCompileAtOnce) {
  std::vector<CompileResult> results(4);
  std::vector<std::thread> threads;
  for (CompileResult &result : results)
    threads.emplace_back(
        [&] { (void)compileCodeObject(kText, *lookupTarget("gfx942"), {}, result); });
  for (std::thread &thread : threads)
    thread.join();
  for (const CompileResult &result : results)
    EXPECT_EQ(result.bytes, results[0].bytes);
  EXPECT_FALSE(results[0].bytes.empty());
}

TEST(CompileGuard, AFatalErrorBecomesAStatus) {
  const Status status = runGuarded("testing", [] { llvm::report_fatal_error("the end is near"); });
  EXPECT_EQ(status.id, errorId(Error::CompilerCrashed));
  EXPECT_NE(status.what.find("the end is near"), std::string::npos);
}

TEST(CompileGuard, ASignalBecomesAStatus) {
  const Status status = runGuarded("testing", [] { std::raise(SIGSEGV); });
  EXPECT_EQ(status.id, errorId(Error::CompilerCrashed));
  EXPECT_TRUE(runGuarded("testing", [] {}).ok());
}

TEST(LinkInProcess, LeavesNoTemporaryFile) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "braid-link-test";
  std::filesystem::create_directory(folder);
  setenv("TMPDIR", folder.c_str(), 1);
  CompileResult result;
  EXPECT_TRUE(compileCodeObject(kText, *lookupTarget("gfx942"), {}, result).ok());
  std::string linked;
  EXPECT_EQ(linkCodeObject("no object", linked).id, errorId(Error::LinkFailed));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
  EXPECT_EQ(linkCodeObject("no object", linked).id, errorId(Error::CompilerUnusable));
  unsetenv("TMPDIR");
}

TEST(ResourceUsage, OtherBytesAreRefused) {
  CodeObjectInfo info;
  EXPECT_EQ(readCodeObject("", info).id, errorId(Error::CodeObjectMalformed));
  EXPECT_EQ(readCodeObject("__CLANG_OFFLOAD_BUNDLE__", info).id,
            errorId(Error::CodeObjectMalformed));
  CompileResult result;
  ASSERT_TRUE(compileCodeObject(kText, *lookupTarget("gfx942"), {}, result).ok());
  for (size_t length = 0; length < result.bytes.size(); length += 97)
    EXPECT_FALSE(readCodeObject(std::string_view(result.bytes).substr(0, length), info).ok() &&
                 info.kernels.empty());
}

} // namespace
} // namespace braid
