// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `braid targets`, `braid ops`: the tables that the compiler works from.

#include "codegen/dialect/OpTable.h"
#include "codegen/targets/Targets.h"
#include "runtime/tools/braid/CommandLine.h"

#include <fmt/format.h>

namespace braid::tool {

static void listTargets(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Target &target : allTargets()) {
    list.push_back({{"target", target.name},
                    {"products", target.products},
                    {"wave_size", target.waveSize},
                    {"fp8", std::string(dtypeName(target.fp8))},
                    {"fp8_max", target.fp8Max},
                    {"lds_bytes", target.ldsBytes},
                    {"code_object", !target.clangCpu.empty()}});
    if (!json)
      fmt::print("{:8} {:24} wave {:2}  fp8 = {} (max {})  LDS {} B{}\n", target.name, target.products,
                 target.waveSize, dtypeName(target.fp8), target.fp8Max, target.ldsBytes,
                 target.clangCpu.empty() ? "  text only" : "");
  }
  if (json)
    print(list);
}

static void listOps(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OpSpec &op : OpTable::get().specs()) {
    nlohmann::ordered_json params = nlohmann::ordered_json::array();
    for (const ParamSpec &param : op.params)
      params.push_back({{"name", param.name}, {"required", param.required}, {"doc", param.doc}});
    list.push_back({{"op", op.name}, {"signature", op.signature}, {"summary", op.summary},
                    {"parameters", params}});
    if (!json)
      fmt::print("{}\n    {}\n", op.signature, op.summary);
  }
  if (json)
    print(list);
}

static void addList(CLI::App &app, const char *name, const char *summary, void (*list)(bool), int &exitCode) {
  auto json = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand(name, summary);
  command->add_flag("--json", *json, "Print one JSON value instead of text");
  command->callback([json, list, &exitCode] {
    list(*json);
    exitCode = 0;
  });
}

void addListCommands(CLI::App &app, int &exitCode) {
  addList(app, "targets", "List the targets: products, wave size, fp8 flavour", listTargets,
          exitCode);
  addList(app, "ops", "List the ops of the language", listOps, exitCode);
}

} // namespace braid::tool
