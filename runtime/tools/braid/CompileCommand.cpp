// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `braid compile`: a program to HIP text, code object and metadata for each target.

#include "codegen/compile/ClangInProcess.h"
#include "codegen/compile/ResourceUsage.h"
#include "runtime/tools/braid/ProgramInput.h"
#include "runtime/tools/braid/TextErrors.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <chrono>

using namespace mlir;

namespace braid::tool {

namespace {

struct CompileOptionsOfCommand {
  ProgramOptions program;
  std::string directory = ".";
  std::string emit = "co";
};

// One target of one request.
class TargetCompilation {
public:
  TargetCompilation(const CompileOptionsOfCommand &options, ProgramInput &input,
                    const std::string &target)
      : options(options), input(input),
        request{target, options.program.outputs, options.program.checked} {}

  int run(nlohmann::ordered_json &report) {
    if (options.emit == "mlir" || options.emit == "schedule" || options.emit == "emitc")
      return writeIr();
    auto start = std::chrono::steady_clock::now();
    int code = input.compile(options.program.json, [&](ModuleOp module) -> LogicalResult {
      FailureOr<GeneratedKernel> result = generateHip(module, request);
      if (succeeded(result))
        generated = std::move(*result);
      return success(succeeded(result));
    });
    if (code)
      return code;
    auto textDone = std::chrono::steady_clock::now();
    report["target"] = generated.meta.target;
    report["kernel"] = generated.meta.kernel;
    report["symbol"] = generated.meta.symbol;
    report["hip_lines"] = std::count(generated.hip.begin(), generated.hip.end(), '\n');
    report["kernel_lines"] = kernelLines();
    report["text_milliseconds"] = milliseconds(textDone - start);
    if (Status status = write(report); !status.ok())
      return fail(status, options.program.json);
    report["code_milliseconds"] = milliseconds(std::chrono::steady_clock::now() - textDone);
    if (!options.program.json)
      summarise(report);
    return 0;
  }

private:
  static double milliseconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  }

  // Lines of the kernel itself, without the inlined headers.
  int64_t kernelLines() const {
    size_t begin = generated.hip.find("using namespace braid;");
    return std::count(generated.hip.begin() + begin, generated.hip.end(), '\n');
  }

  int writeIr() {
    Stage stage = options.emit == "mlir"       ? Stage::Program
                  : options.emit == "schedule" ? Stage::Schedule
                                               : Stage::EmitC;
    return input.compile(options.program.json, [&](ModuleOp module) -> LogicalResult {
      FailureOr<OwningOpRef<ModuleOp>> result = runPipeline(module, request, stage);
      if (failed(result))
        return failure();
      // The names of several results would be one, with commas.
      (*result)->walk([](Operation *op) {
        auto name = dyn_cast<NameLoc>(op->getLoc());
        if (!name || op->getNumResults() < 2)
          return;
        std::string joined = name.getName().str();
        std::erase(joined, ' ');
        std::ranges::replace(joined, ',', '_');
        op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), joined), name.getChildLoc()));
      });
      std::string text;
      llvm::raw_string_ostream stream(text);
      (*result)->print(stream, OpPrintingFlags().printNameLocAsPrefix());
      fmt::print("{}\n", text);
      return success();
    });
  }

  std::string pathOf(const std::string &extension) const {
    llvm::SmallString<128> path(options.directory);
    llvm::sys::path::append(path, generated.meta.kernel + "." + generated.meta.target + extension);
    return std::string(path);
  }

  Status writeFile(const std::string &extension, llvm::StringRef bytes,
                   nlohmann::ordered_json &report) {
    std::error_code error;
    llvm::raw_fd_ostream file(pathOf(extension), error);
    if (!error) {
      file << bytes;
      file.close();
      error = file.error();
      file.clear_error();
    }
    if (error)
      return makeError(Error::FileUnwritable,
                       fmt::format("{}: {}", pathOf(extension), error.message()),
                       "the results go into this folder", "check -o and its permissions");
    report["files"].push_back(pathOf(extension));
    return {};
  }

  Status write(nlohmann::ordered_json &report) {
    if (std::error_code error = llvm::sys::fs::create_directories(options.directory))
      return makeError(Error::FileUnwritable,
                       fmt::format("{}: {}", options.directory, error.message()),
                       "the results go into this folder", "choose another folder with -o");
    if (Status status = writeFile(".hip", generated.hip, report); !status.ok())
      return status;
    if (Status status = writeFile(".json", toJson(generated.meta), report); !status.ok())
      return status;
    const Target *target = nullptr;
    if (Status status = findTarget(generated.meta.target, target); !status.ok())
      return status;
    if (options.emit == "hip" || target->clangCpu.empty())
      return {};
    bool assembly = options.emit == "asm";
    CompileResult code;
    Status status = assembly ? compileAssembly(generated.hip, *target, {}, code)
                             : compileCodeObject(generated.hip, *target, {}, code);
    if (!status.ok())
      return refusedText(status, programErrors(code.diagnostics, generated.meta), generated);
    if (status = writeFile(assembly ? ".s" : ".co", code.bytes, report); !status.ok() || assembly)
      return status;
    return reportResources(code.bytes, report);
  }

  Status reportResources(const std::string &bytes, nlohmann::ordered_json &report) const {
    CodeObjectInfo info;
    if (Status status = readCodeObject(bytes, info); !status.ok())
      return status;
    report["code_bytes"] = bytes.size();
    for (const KernelResources &kernel : info.kernels)
      report["resources"].push_back({{"symbol", kernel.symbol},
                                     {"vgprs", kernel.vgprs},
                                     {"sgprs", kernel.sgprs},
                                     {"scratch_bytes", kernel.scratchBytes},
                                     {"spills", kernel.vgprSpills + kernel.sgprSpills},
                                     {"lds_bytes", kernel.ldsBytes},
                                     {"kernarg_bytes", kernel.kernargBytes}});
    return {};
  }

  void summarise(const nlohmann::ordered_json &report) const {
    fmt::print("{} for {}: {} lines of kernel ({} with headers), text in {:.1f} ms",
               generated.meta.kernel, generated.meta.target, report["kernel_lines"].get<int64_t>(),
               report["hip_lines"].get<int64_t>(), report["text_milliseconds"].get<double>());
    if (report.contains("resources")) {
      const auto &kernel = report["resources"][0];
      fmt::print(", code in {:.0f} ms\n  {} VGPRs, {} SGPRs, {} spills, {} B scratch, {} B LDS; {} "
                 "B code object",
                 report["code_milliseconds"].get<double>(), kernel["vgprs"].get<int>(),
                 kernel["sgprs"].get<int>(), kernel["spills"].get<int>(),
                 kernel["scratch_bytes"].get<int>(), kernel["lds_bytes"].get<int>(),
                 report["code_bytes"].get<int64_t>());
    } else if (options.emit != "hip" && options.emit != "asm")
      fmt::print("; text only, as this target has no compiler here");
    fmt::print("\n");
    for (const auto &file : report["files"])
      fmt::print("  {}\n", file.get<std::string>());
  }

  const CompileOptionsOfCommand &options;
  ProgramInput &input;
  CompileRequest request;
  GeneratedKernel generated;
};

int compileProgram(CompileOptionsOfCommand &options) {
  if (Status status = options.program.resolveTargets(); !status.ok())
    return fail(status, options.program.json);
  ProgramInput input;
  if (int code = input.load(options.program))
    return code;
  nlohmann::ordered_json reports = nlohmann::ordered_json::array();
  for (const std::string &target : options.program.targets) {
    nlohmann::ordered_json report;
    if (int code = TargetCompilation(options, input, target).run(report))
      return code;
    reports.push_back(std::move(report));
  }
  if (options.program.json)
    print(reports);
  return 0;
}

} // namespace

void addCompileCommand(CLI::App &app, int &exitCode) {
  auto options = std::make_shared<CompileOptionsOfCommand>();
  CLI::App *command =
      app.add_subcommand("compile", "Write KERNEL.TARGET.{hip,co,json} for each target");
  options->program.addTo(*command);
  command->add_option("-o,--output", options->directory, "Folder for the files");
  command
      ->add_option("--emit", options->emit, "mlir, schedule, emitc (printed); hip, asm, co (files)")
      ->check(oneOf({"mlir", "schedule", "emitc", "hip", "asm", "co"}));
  command->callback([options, &exitCode] { exitCode = compileProgram(*options); });
}

} // namespace braid::tool
