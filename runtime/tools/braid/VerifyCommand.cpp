// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `braid verify`: generated code on the emulated wave == reference interpreter, bit for bit.

#include "runtime/tools/braid/ProgramInput.h"
#include "runtime/tools/braid/Verification.h"

#include <fmt/format.h>

using namespace mlir;

namespace braid::tool {

namespace {

struct VerifyCommandOptions {
  ProgramOptions program;
  VerifyOptions verify;
  std::vector<std::string> rows;
};

// One preset and target. Returns the exit code and adds to the report.
int verifyOne(const VerifyCommandOptions &options, const ProgramOptions &program,
              const std::string &target, nlohmann::ordered_json &reports) {
  ProgramInput input;
  if (int code = input.load(program))
    return code;
  Verifier verifier;
  Status status;
  if (int code = input.compile(program.json, [&](ModuleOp module) {
        return verifier.prepare(
            module, {target, program.outputs, program.grouping, program.checked}, status);
      }))
    return code;
  if (!status.ok())
    return fail(status, program.json);
  VerifyResult result = verifier.verify(options.verify);
  if (!result.status.ok())
    return failSanitized(result.status, result.finding, program.json);
  reports.push_back({{"kernel", input.kernelName()},
                     {"preset", program.preset},
                     {"target", target},
                     {"grouping", verifier.generated().meta.grouping},
                     {"device", target + "@emu"},
                     {"sanitized", options.verify.sanitize},
                     {"tokens", options.verify.tokens},
                     {"elements", result.compared},
                     {"differing", result.differing}});
  if (!program.json)
    fmt::print("{} {}on {}@emu, {} tokens: {}\n{}", input.kernelName(),
               program.preset.empty() ? "" : program.preset + " ", target, options.verify.tokens,
               result.equal()
                   ? fmt::format("equal to the reference, {} elements", result.compared)
                   : fmt::format("{} of {} elements differ", result.differing, result.compared),
               result.differences);
  return result.equal() ? 0 : static_cast<int>(StatusCode::WrongAnswer);
}

int verifyProgram(VerifyCommandOptions &options) {
  if (Status status = options.program.resolveTargets(); !status.ok())
    return fail(status, options.program.json);
  if (Status status = parseRows(options.rows, options.verify.requested); !status.ok())
    return fail(status, options.program.json);
  std::vector<ProgramOptions> requests = {options.program};
  if (options.program.preset.empty() && options.program.sets.empty()) {
    // Neither preset nor parameter: every preset of every kernel that was asked for.
    std::vector<dsl::KernelListing> kernels = listProgram(options.program.path);
    std::vector<ProgramOptions> all;
    for (const dsl::KernelListing &kernel : kernels)
      for (const std::string &preset : kernel.presets)
        if (options.program.kernel.empty() || options.program.kernel == kernel.kernel) {
          all.push_back(options.program);
          all.back().kernel = kernel.kernel;
          all.back().preset = preset;
        }
    if (!all.empty())
      requests = std::move(all);
  }
  nlohmann::ordered_json reports = nlohmann::ordered_json::array();
  int worst = 0;
  for (const ProgramOptions &request : requests)
    for (const std::string &target : options.program.targets) {
      int code = verifyOne(options, request, target, reports);
      if (code > static_cast<int>(StatusCode::WrongAnswer))
        return code;
      worst = std::max(worst, code);
    }
  if (options.program.json)
    print(reports);
  return worst;
}

} // namespace

void addVerifyCommand(CLI::App &app, int &exitCode) {
  auto options = std::make_shared<VerifyCommandOptions>();
  CLI::App *command = app.add_subcommand(
      "verify", "Compare generated code on the emulated wave with the reference, bit for bit");
  options->program.addTo(*command);
  command->add_option("--tokens", options->verify.tokens, "Extent of every run-time axis")
      ->check(CLI::Range(int64_t(0), int64_t(1) << 24));
  command->add_option("--rows", options->rows, "A smaller count, axis=n")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--seed", options->verify.seed, "Seed of the random operands");
  command->add_flag("--nonfinite", options->verify.nonfinite,
                    "Put NaN and infinity into some rows");
  command->add_flag("--sanitize", options->verify.sanitize,
                    "Check every access of the generated code");
  command->callback([options, &exitCode] { exitCode = verifyProgram(*options); });
}

} // namespace braid::tool
