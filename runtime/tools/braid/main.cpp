// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `braid` command.

#include "runtime/tools/braid/CommandLine.h"

using namespace braid;

int main(int argc, char **argv) {
  CLI::App app("Braid: fused row kernels from a program to verified code objects", "braid");
  app.require_subcommand(1);
  int exitCode = 0;
  tool::addCompileCommand(app, exitCode);
  tool::addVerifyCommand(app, exitCode);
  tool::addRunCommands(app, exitCode);
  tool::addListCommands(app, exitCode);
  tool::addLayoutsCommand(app, exitCode);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // 0: help was asked for; anything else is a wrong request.
    return app.exit(error) == 0 ? 0 : static_cast<int>(StatusCode::RequestWrong);
  }
  return exitCode;
}
