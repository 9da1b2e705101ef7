// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/CommandLine.h"

#include "codegen/targets/Targets.h"
#include "runtime/Env.h"

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

int fail(const Status &status, bool json, const nlohmann::ordered_json &more) {
  nlohmann::ordered_json error = {
      {"id", status.id}, {"what", status.what}, {"why", status.why}, {"fix", status.fix}};
  error.update(more);
  if (json)
    print({{"error", error}});
  else
    fmt::print(stderr, "{}\n", status.text());
  return static_cast<int>(status.code);
}

void print(const nlohmann::ordered_json &value) { fmt::print("{}\n", value.dump(2)); }

} // namespace braid::tool
