// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `braid` command.

#include "runtime/tools/braid/CommandLine.h"
#include "runtime/tools/braid/Reproduction.h"
#include "runtime/tools/braid/Supervisor.h"

#include <algorithm>
#include <string_view>

using namespace braid;

static int runCommand(int argc, char **argv, bool json) {
  CLI::App app("Braid: fused row kernels from a program to verified code objects", "braid");
  app.require_subcommand(1);
  int exitCode = 0;
  tool::addCompileCommand(app, exitCode);
  tool::addVerifyCommand(app, exitCode);
  tool::addRunCommands(app, exitCode);
  tool::addListCommands(app, exitCode);
  tool::addLayoutsCommand(app, exitCode);
  std::string taken; // Reproduction::begin has read it, as both processes need it
  for (CLI::App *command : app.get_subcommands({}))
    command->add_option("--reproduce-dir", taken,
                        "Where the folder of an internal error goes (BRAID_REPRODUCE_DIR)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error); // help
    return tool::fail(tool::usageError(app, error, argc, argv), json);
  }
  return exitCode;
}

int main(int argc, char **argv) {
  const bool json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
  tool::Reproduction::current().begin(argc, argv);
  return tool::supervise([&] { return runCommand(argc, argv, json); }, json);
}
