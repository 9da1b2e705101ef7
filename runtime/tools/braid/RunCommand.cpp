// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `braid run` and `braid reference`: the same .npz in, the same out; one on a device, one on the
// interpreter.

#include "runtime/Env.h"
#include "runtime/tools/braid/DeviceRun.h"
#include "runtime/tools/braid/ProgramInput.h"
#include "runtime/tools/braid/SanitizedRun.h"

#include <fmt/format.h>

#include <chrono>
#include <limits>

using namespace mlir;

namespace braid::tool {

namespace {

struct RunOptions {
  ProgramOptions program;
  std::string input, output, device;
  std::optional<int64_t> tokens;
  bool sanitize = false;
  std::vector<std::string> rows, bindings;
};

// Binds, generates and reads the operands; both commands start so.
struct PreparedRun {
  ProgramInput input;
  CompileRequest request;
  GeneratedProgram generated;
  OperandSet operands;
  RequestedCounts counts;
  std::vector<Fault> faults; // of a checked build

  int prepare(RunOptions &options) {
    bool json = options.program.json;
    if (Status status = options.program.resolveTargets(); !status.ok())
      return fail(status, json);
    if (options.program.targets.size() > 1)
      return fail(makeError(Error::RequestIncomplete,
                            fmt::format("{} targets are given", options.program.targets.size()),
                            "one run has one target", "name one with --target"),
                  json);
    request = {options.program.targets.front(), options.program.outputs, options.program.grouping,
               options.program.checked};
    if (Status status = parseRows(options.rows, counts); !status.ok())
      return fail(status, json);
    std::vector<Binding> bindings;
    if (Status status = parseBindings(options.bindings, bindings); !status.ok())
      return fail(status, json);
    if (options.tokens)
      counts["*"] = *options.tokens;
    if (int code = input.load(options.program))
      return code;
    if (int code = input.compile(json, [&](ModuleOp module) -> LogicalResult {
          FailureOr<GeneratedProgram> result = generateHip(module, request);
          if (succeeded(result))
            generated = std::move(*result);
          return success(succeeded(result));
        }))
      return code;
    Npz npz;
    if (Status status = readNpz(options.input, npz); !status.ok())
      return fail(status, json);
    if (Status status = OperandSet::fromNpz(generated.signature(), npz, counts, bindings, operands);
        !status.ok())
      return fail(status, json);
    return 0;
  }

  int finish(const RunOptions &options, const std::string &where, double milliseconds) {
    Npz npz;
    if (Status status = operands.toNpz(generated.signature(), npz); !status.ok())
      return fail(status, options.program.json);
    if (Status status = writeNpz(options.output, npz); !status.ok())
      return fail(status, options.program.json);
    if (options.program.json)
      printJson(options, where, milliseconds);
    else
      fmt::print("{} on {}: {} ({:.0f} ms)\n", generated.signature().kernel, where, options.output,
                 milliseconds);
    if (!options.program.json && generated.signature().checked) {
      for (const Fault &fault : faults)
        fmt::print("fault: {}\n", fault.text());
      if (faults.empty())
        fmt::print("checked: no faults\n");
    }
    return faults.empty() ? 0 : static_cast<int>(StatusCode::WrongAnswer);
  }

  void printJson(const RunOptions &options, const std::string &where, double milliseconds) const {
    nlohmann::ordered_json report = {{"kernel", generated.signature().kernel},
                                     {"device", where},
                                     {"out", options.output},
                                     {"milliseconds", milliseconds}};
    if (generated.signature().checked)
      report["faults"] = nlohmann::ordered_json::array();
    for (const Fault &fault : faults)
      report["faults"].push_back({{"index", fault.index},
                                  {"chosen_from", fault.chosenFrom},
                                  {"count", fault.count},
                                  {"token", fault.token},
                                  {"value", fault.value},
                                  {"limit", fault.limit}});
    print(report);
  }
};

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

int runOnSanitizer(RunOptions &options) {
  if (!options.device.empty() && options.device != "emu")
    return fail(makeError(Error::RequestIncomplete,
                          fmt::format("--sanitize with --device {}", options.device),
                          "accesses can be checked on the emulated wave only",
                          "leave one of the two out"),
                options.program.json);
  PreparedRun run;
  if (int code = run.prepare(options))
    return code;
  SanitizerFinding finding;
  auto start = std::chrono::steady_clock::now();
  if (Status status = runSanitized(run.generated, run.operands, run.counts, finding, &run.faults);
      !status.ok())
    return failSanitized(status, finding, options.program.json);
  return run.finish(options, run.generated.signature().target + "@emu, sanitized", since(start));
}

int runOnDevice(RunOptions &options) {
  bool json = options.program.json;
  if (options.device.empty())
    options.device = envValue(Env::Device).value_or("");
  if (options.device.empty()) {
    options.device = "emu"; // the command, not the library, falls back to it, and says so below
    if (!json)
      fmt::print("no device named: running on the emulated wave\n");
  }
  PreparedRun run;
  if (int code = run.prepare(options))
    return code;
  const runtime::HipApi *api = nullptr;
  std::unique_ptr<runtime::Program> program;
  if (Status status = prepareOn(options.device, run.generated, program, api); !status.ok())
    return fail(status, json);
  auto start = std::chrono::steady_clock::now();
  if (Status status = runOnce(*api, *program, run.operands, run.counts, &run.faults); !status.ok())
    return fail(status, json);
  return run.finish(options, run.generated.signature().target + "@" + options.device, since(start));
}

int runReference(RunOptions &options) {
  PreparedRun run;
  if (int code = run.prepare(options))
    return code;
  llvm::StringMap<int64_t> counts;
  if (Status status = resolveCounts(run.generated.signature(), run.operands, run.counts, counts);
      !status.ok())
    return fail(status, options.program.json);
  auto start = std::chrono::steady_clock::now();
  std::vector<FaultCount> counted;
  if (int code = run.input.compile(options.program.json, [&](ModuleOp module) {
        return interpret(module, run.request, run.operands.byName(run.generated.signature()),
                         counts, &counted);
      }))
    return code;
  run.faults = runtime::namedFaults(run.generated.signature(), counted);
  return run.finish(options, "the reference", since(start));
}

std::shared_ptr<RunOptions> addOptions(CLI::App &command) {
  auto options = std::make_shared<RunOptions>();
  options->program.addTo(command);
  command.add_option("--in", options->input, "Operands, .npz")->required();
  command.add_option("--out", options->output, "Outputs and caches, .npz")->required();
  command
      .add_option("--tokens", options->tokens,
                  "Count of every run-time axis, at most what is bound")
      ->check(CLI::Range(int64_t(0), std::numeric_limits<int64_t>::max()));
  command.add_option("--rows", options->rows, "Count of one axis, axis=n")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--bind", options->bindings, "An operand as a slice of a member, 'k=kw[:,0:128]'")
      ->take_all()
      ->allow_extra_args(false);
  return options;
}

} // namespace

void addRunCommands(CLI::App &app, int &exitCode) {
  CLI::App *run = app.add_subcommand("run", "Run a kernel on a device");
  std::shared_ptr<RunOptions> runOptions = addOptions(*run);
  run->add_option("--device", runOptions->device, "emu, amd, or a provider library (BRAID_DEVICE)");
  run->add_flag("--sanitize", runOptions->sanitize,
                "Check every access of the generated code (emu only)");
  run->callback([runOptions, &exitCode] {
    exitCode = runOptions->sanitize ? runOnSanitizer(*runOptions) : runOnDevice(*runOptions);
  });

  CLI::App *reference =
      app.add_subcommand("reference", "Run a program on the reference interpreter");
  std::shared_ptr<RunOptions> referenceOptions = addOptions(*reference);
  reference->callback(
      [referenceOptions, &exitCode] { exitCode = runReference(*referenceOptions); });
}

} // namespace braid::tool
