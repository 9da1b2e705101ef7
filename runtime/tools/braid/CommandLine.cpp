// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/CommandLine.h"

#include "codegen/targets/Targets.h"
#include "runtime/Env.h"
#include "runtime/tools/braid/Reproduction.h"

#include <fmt/format.h>

#include <cstdio>

namespace braid::tool {

void ProgramOptions::addTo(CLI::App &app) {
  app.add_option("program", path, "A .braid program, or the dialect's text (.mlir)")->required();
  app.add_option("--kernel", kernel, "The kernel, where the file has several");
  app.add_option("--preset", preset, "A preset of the kernel");
  app.add_option("--set", sets, "A parameter, name=value; may be given again")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--target", targets, "Target ids, such as gfx942,gfx950")->delimiter(',');
  app.add_option("--outputs", outputs, "Outputs and caches to keep (all by default)")
      ->delimiter(',');
  app.add_option(
      "--grouping", grouping,
      "What each kernel stores, such as 'q8, w | index_k'; fused (the default), unfused");
  app.add_flag("--checked", checked, "Count slots and positions outside their cache or table");
  app.add_flag("--json", json, "Print one JSON value instead of text");
}

Status ProgramOptions::resolveTargets() {
  if (targets.empty())
    targets = CLI::detail::split(envValue(Env::Target).value_or(""), ',');
  std::erase(targets, "");
  if (targets.empty())
    return makeError(Error::RequestIncomplete, "no target is given",
                     "a target fixes the wave size, the fp8 flavour and the instructions",
                     "name it with --target or BRAID_TARGET: " + targetNames());
  return {};
}

// What to do about an internal error: the folder, or all that would be in it.
static std::string leaveFolder(const Status &status, nlohmann::ordered_json &error) {
  const std::string folder = Reproduction::current().write(status.text());
  if (folder.empty())
    return fmt::format("no folder can be written (set {}); report the program with: {}",
                       envName(Env::ReproduceDir), Reproduction::current().commandLine());
  error["folder"] = folder;
  error["reproduce"] = fmt::format("sh {}/reproduce.sh", folder);
  return fmt::format("run `sh {0}/reproduce.sh` to see it again; report it with the folder {0}",
                     folder);
}

int fail(const Status &status, bool json, const nlohmann::ordered_json &more) {
  nlohmann::ordered_json error = {
      {"id", status.id}, {"what", status.what}, {"why", status.why}, {"fix", status.fix}};
  error.update(more);
  Status shown = status;
  if (status.code == StatusCode::Internal)
    error["fix"] = shown.fix = leaveFolder(status, error);
  if (json)
    print({{"error", error}});
  else
    fmt::print(stderr, "{}\n", shown.text());
  return static_cast<int>(status.code);
}

void print(const nlohmann::ordered_json &value) {
  // Names and messages may hold bytes that are not UTF-8.
  fmt::print("{}\n", value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

} // namespace braid::tool
