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

// The files of one kernel, KERNEL.TARGET.* or KERNEL.gN.TARGET.*.
class KernelFiles {
public:
  KernelFiles(const CompileOptionsOfCommand &options, const std::string &text,
              const KernelMeta &meta, std::string stem)
      : options(options), text(text), meta(meta), stem(std::move(stem)) {}

  Status write(nlohmann::ordered_json &report) {
    auto start = std::chrono::steady_clock::now();
    report["kernel"] = meta.kernel;
    report["symbol"] = meta.symbol;
    report["hip_lines"] = std::count(text.begin(), text.end(), '\n');
    report["kernel_lines"] = kernelLines();
    if (Status status = writeFile(options, stem + ".hip", text, report); !status.ok())
      return status;
    if (Status status = writeFile(options, stem + ".json", toJson(meta), report); !status.ok())
      return status;
    const Target *target = nullptr;
    if (Status status = findTarget(meta.target, target); !status.ok())
      return status;
    if (Status status = writeCode(*target, report); !status.ok())
      return status;
    report["code_milliseconds"] = milliseconds(std::chrono::steady_clock::now() - start);
    return {};
  }

  void summarise(const nlohmann::ordered_json &report, double textMilliseconds) const {
    fmt::print("{} for {}: {} lines of kernel ({} with headers), text in {:.1f} ms", meta.kernel,
               meta.target, report["kernel_lines"].get<int64_t>(),
               report["hip_lines"].get<int64_t>(), textMilliseconds);
    if (report.contains("resources")) {
      const auto &kernel = report["resources"][0];
      fmt::print(", code in {:.0f} ms\n  {} VGPRs, {} SGPRs, {} spills, {} B scratch, {} B LDS; {} "
                 "B code object",
                 report["code_milliseconds"].get<double>(), kernel["vgprs"].get<int>(),
                 kernel["sgprs"].get<int>(), kernel["spills"].get<int>(),
                 kernel["scratch_bytes"].get<int>(), kernel["lds_bytes"].get<int>(),
                 report["code_bytes"].get<int64_t>());
    } else if (options.emit != "hip" && options.emit != "asm") {
      fmt::print("; text only, as this target has no compiler here");
    }
    fmt::print("\n");
    printFiles(report);
  }

  static double milliseconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  }

  static void printFiles(const nlohmann::ordered_json &report) {
    for (const auto &file : report["files"])
      fmt::print("  {}\n", file.get<std::string>());
  }

  static Status writeFile(const CompileOptionsOfCommand &options, const std::string &name,
                          llvm::StringRef bytes, nlohmann::ordered_json &report) {
    llvm::SmallString<128> path(options.directory);
    llvm::sys::path::append(path, name);
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    if (!error) {
      file << bytes;
      file.close();
      error = file.error();
      file.clear_error();
    }
    if (error)
      return makeError(Error::FileUnwritable,
                       fmt::format("{}: {}", std::string(path), error.message()),
                       "the results go into this folder", "check -o and its permissions");
    report["files"].push_back(std::string(path));
    return {};
  }

private:
  // Lines of the kernel itself, without the inlined headers.
  int64_t kernelLines() const {
    size_t begin = text.find("using namespace braid;");
    return std::count(text.begin() + begin, text.end(), '\n');
  }

  Status writeCode(const Target &target, nlohmann::ordered_json &report) const {
    if (options.emit == "hip" || target.clangCpu.empty())
      return {};
    bool assembly = options.emit == "asm";
    CompileResult code;
    Status status = assembly ? compileAssembly(text, target, {}, code)
                             : compileCodeObject(text, target, {}, code);
    if (!status.ok())
      return refusedText(status, programErrors(code.diagnostics, meta), text, meta);
    if (status = writeFile(options, stem + (assembly ? ".s" : ".co"), code.bytes, report);
        !status.ok() || assembly)
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

  const CompileOptionsOfCommand &options;
  const std::string &text;
  const KernelMeta &meta;
  std::string stem;
};

// One target of one request.
class TargetCompilation {
public:
  TargetCompilation(const CompileOptionsOfCommand &options, ProgramInput &input,
                    const std::string &target)
      : options(options), input(input), request{target, options.program.outputs,
                                                options.program.grouping, options.program.checked} {
  }

  int run(nlohmann::ordered_json &report) {
    if (options.emit == "mlir" || options.emit == "schedule" || options.emit == "emitc")
      return writeIr();
    auto start = std::chrono::steady_clock::now();
    int code = input.compile(options.program.json, [&](ModuleOp module) -> LogicalResult {
      FailureOr<GeneratedProgram> result = generateHip(module, request);
      if (succeeded(result))
        generated = std::move(*result);
      return success(succeeded(result));
    });
    if (code)
      return code;
    double textMilliseconds = KernelFiles::milliseconds(std::chrono::steady_clock::now() - start);
    report["target"] = generated.signature().target;
    report["grouping"] = generated.meta.grouping;
    report["text_milliseconds"] = textMilliseconds;
    if (std::error_code error = llvm::sys::fs::create_directories(options.directory))
      return fail(makeError(Error::FileUnwritable,
                            fmt::format("{}: {}", options.directory, error.message()),
                            "the results go into this folder", "choose another folder with -o"),
                  options.program.json);
    Status status = generated.texts.size() == 1
                        ? writeOne(0, generated.meta.kernel + ending(), report, textMilliseconds)
                        : writeAll(report, textMilliseconds);
    return status.ok() ? 0 : fail(status, options.program.json);
  }

private:
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

  std::string ending() const { return "." + generated.signature().target; }

  Status writeOne(size_t number, const std::string &stem, nlohmann::ordered_json &report,
                  double textMilliseconds) {
    KernelFiles files(options, generated.texts[number], generated.meta.kernels[number], stem);
    if (Status status = files.write(report); !status.ok())
      return status;
    if (!options.program.json)
      files.summarise(report, textMilliseconds);
    return {};
  }

  // KERNEL.gN.TARGET.* for each group, in launch order, and the list of them.
  Status writeAll(nlohmann::ordered_json &report, double textMilliseconds) {
    std::vector<std::string> stems;
    for (size_t number = 0; number < generated.texts.size(); ++number) {
      stems.push_back(fmt::format("{}.g{}{}", generated.meta.kernel, number, ending()));
      nlohmann::ordered_json &kernel = report["kernels"].emplace_back();
      if (Status status = writeOne(number, stems.back(), kernel, textMilliseconds); !status.ok())
        return status;
    }
    if (Status status = KernelFiles::writeFile(options, generated.meta.kernel + ending() + ".json",
                                               toJson(generated.meta, stems), report);
        !status.ok())
      return status;
    if (!options.program.json) {
      fmt::print("{} for {} in {} kernels: {}\n", generated.meta.kernel,
                 generated.signature().target, stems.size(), generated.meta.grouping);
      KernelFiles::printFiles(report);
    }
    return {};
  }

  const CompileOptionsOfCommand &options;
  ProgramInput &input;
  CompileRequest request;
  GeneratedProgram generated;
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
