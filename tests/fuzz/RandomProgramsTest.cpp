// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs: generated code on the emulated wave == reference, on every target, fused and in
// a random grouping (of odd seeds a checked build). By default as many as 60 s allow
// (BRAID_FUZZ_SECONDS), and on until all features have occurred; BRAID_FULL=1: 1,000.
// BRAID_FUZZ_SEED starts elsewhere; a failure prints its seed and the program.

#include "tests/fuzz/RandomPrograms.h"
#include "codegen/grouping/Grouping.h"
#include "codegen/targets/Targets.h"
#include "dsl/Parser.h"
#include "runtime/tools/braid/Verification.h"
#include "tests/fuzz/FuzzTime.h"
#include "tests/fuzz/Randomness.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace mlir;

namespace braid::fuzz {
namespace {

constexpr uint64_t kFullPrograms = 1000;
constexpr size_t kMostGroups = 4;
constexpr const char *kSeveralGroups = "several groups";

class RandomPrograms : public testing::Test {
protected:
  void check(uint64_t seed) {
    const RandomProgram program = randomProgram(seed);
    // Left behind by a crash.
    std::ofstream("fuzz_random.braid") << "// seed " << seed << "\n" << program.text;
    MLIRContext context(MLIRContext::Threading::DISABLED);
    loadBraidDialects(context);
    dsl::Program parsed = dsl::parseProgram(context, {program.text, "random.braid"});
    for (const dsl::Diagnostic &diagnostic : parsed.diagnostics)
      ADD_FAILURE() << renderText(diagnostic);
    ASSERT_TRUE(parsed.module) << "seed " << seed << "\n" << program.text;
    for (const Target &target : allTargets())
      ASSERT_NO_FATAL_FAILURE(checkOn(std::string(target.name), *parsed.module, program, seed));
    for (const auto &[feature, count] : program.features)
      coverage[feature] += count;
  }

  void checkOn(const std::string &target, ModuleOp module, const RandomProgram &program,
               uint64_t seed) {
    CompileRequest request{target, program.outputs};
    ASSERT_NO_FATAL_FAILURE(checkRequest(request, module, program, seed));
    FailureOr<OwningOpRef<ModuleOp>> resolved = runPipeline(module, request, Stage::Program);
    ASSERT_TRUE(succeeded(resolved)) << "seed " << seed << "\n" << program.text;
    const GroupingModel model(*(*resolved)->getOps<KernelOp>().begin());
    Randomness random(seed);
    const Groups groups =
        model.sample(kMostGroups, [&](uint64_t bound) { return random.bits() % bound; });
    if (groups.size() == 1)
      return;
    request.grouping = model.text(groups);
    request.checked = seed % 2;
    ++coverage[kSeveralGroups];
    ASSERT_NO_FATAL_FAILURE(checkRequest(request, module, program, seed));
  }

  void checkRequest(const CompileRequest &request, ModuleOp module, const RandomProgram &program,
                    uint64_t seed) {
    std::string shown =
        "seed " + std::to_string(seed) + " on " + request.target + "\n" + program.text;
    if (!request.grouping.empty())
      shown += "--grouping '" + request.grouping + "'\n";
    for (const std::string &output : program.outputs)
      shown += "--outputs " + output + "\n";
    tool::Verifier verifier;
    Status status;
    ASSERT_TRUE(succeeded(verifier.prepare(module, request, status))) << shown;
    ASSERT_TRUE(status.ok()) << status.text() << "\n" << shown;
    Randomness random(seed);
    tool::VerifyOptions options;
    options.tokens = random.between(1, 40);
    options.seed = seed;
    options.nonfinite = seed % 2;
    tool::VerifyResult result = verifier.verify(options);
    ASSERT_TRUE(result.equal()) << options.tokens << " tokens: " << result.status.text()
                                << result.differences << shown;
    elements += result.compared;
  }

  std::string missing() const {
    std::string names;
    std::vector<std::string> demanded = demandedFeatures();
    demanded.push_back(kSeveralGroups);
    for (const std::string &feature : demanded)
      if (!coverage.contains(feature))
        names += feature + "; ";
    return names;
  }

  void printCoverage() const {
    for (const auto &[feature, count] : coverage)
      std::printf("  %-32s %6d\n", feature.c_str(), count);
  }

  std::map<std::string, int> coverage;
  int64_t elements = 0;
};

TEST_F(RandomPrograms, EqualTheReference) {
  const char *full = std::getenv("BRAID_FULL"), *first = std::getenv("BRAID_FUZZ_SEED");
  const bool isFull = full && std::string(full) == "1";
  const uint64_t begin = first ? std::strtoull(first, nullptr, 10) : 1;
  FuzzTime time(60);
  uint64_t seed = begin;
  // A slow machine goes on until everything has occurred.
  auto isDone = [&] { return !isFull && time.isOver() && missing().empty(); };
  for (; seed - begin < kFullPrograms && !isDone(); ++seed)
    ASSERT_NO_FATAL_FAILURE(check(seed));
  std::printf("seeds %llu to %llu on %zu targets, %lld elements equal, %.0f s\n",
              static_cast<unsigned long long>(begin), static_cast<unsigned long long>(seed - 1),
              allTargets().size(), static_cast<long long>(elements), time.spent());
  std::filesystem::remove("fuzz_random.braid");
  printCoverage();
  EXPECT_EQ(missing(), "") << "never occurred";
}

} // namespace
} // namespace braid::fuzz
