// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An internal error leaves a folder behind: all that the command read, what it had made so far, and
// reproduce.sh, which runs the command again there. One for the process; one thread.

#pragma once

#include "runtime/Status.h"

#include <string>
#include <utility>
#include <vector>

namespace braid::tool {

class Reproduction {
public:
  static Reproduction &current();

  /// The command line. `--reproduce-dir DIR` in it says where folders go.
  void begin(int argc, char **argv);

  /// A file that the folder gets too: generated text, or the module before a pass.
  void add(std::string name, std::string text);

  /// Writes the folder into --reproduce-dir, BRAID_REPRODUCE_DIR, the temporary or the current
  /// directory, whichever is the first that can be written. `message` says what happened. Empty if
  /// none can.
  std::string write(const std::string &message) const;

  /// The command line as a shell takes it.
  std::string commandLine() const;

private:
  std::string fill(const std::string &parent, const std::string &message) const;
  std::string script(const std::string &folder) const;

  std::vector<std::string> arguments;
  std::string directory;
  std::vector<std::pair<std::string, std::string>> files;
};

} // namespace braid::tool
