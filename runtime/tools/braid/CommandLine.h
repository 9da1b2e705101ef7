// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `braid` command: options that several subcommands share, and one function a subcommand. Each
// returns an exit code: 0 right, 1 wrong answer, 2 wrong request, 3 wrong environment, 4 internal.

#pragma once

#include "runtime/Status.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace braid::tool {

/// What names one kernel of a program, bound.
struct ProgramOptions {
  std::string path;
  std::string kernel;
  std::string preset;
  std::vector<std::string> sets;
  std::vector<std::string> targets;
  std::vector<std::string> outputs;
  std::string grouping;
  bool checked = false;
  bool json = false;

  void addTo(CLI::App &app);
  /// Targets from the environment where none is given. Errors: RequestIncomplete.
  Status resolveTargets();
};

void addCompileCommand(CLI::App &app, int &exitCode);
void addVerifyCommand(CLI::App &app, int &exitCode);
void addRunCommands(CLI::App &app, int &exitCode);  ///< run and reference
void addListCommands(CLI::App &app, int &exitCode); ///< targets, ops
void addLayoutsCommand(CLI::App &app, int &exitCode);

/// What the option parser refuses, as an error: CommandUnknown, OptionUnknown, OptionValue,
/// RequestIncomplete.
Status usageError(const CLI::App &app, const CLI::ParseError &error, int argc, char **argv);

/// A check of an option whose value is one of `words`; usageError knows its text.
CLI::Validator oneOf(std::vector<std::string> words);

/// Prints an error to stderr (text, or a JSON object on stdout, with the keys of `more` after its
/// own) and gives its exit code. An internal error leaves a folder that reproduces it.
int fail(const Status &status, bool json,
         const nlohmann::ordered_json &more = nlohmann::ordered_json::object());

/// Prints one JSON object to stdout.
void print(const nlohmann::ordered_json &value);

} // namespace braid::tool
