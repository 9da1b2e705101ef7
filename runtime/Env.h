// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only way to the environment. Read when asked for, so a process that changes its environment
// while threads run must do so before; the functions themselves keep no state.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace braid {

enum class Env {
#define BRAID_ENV(Enumerator, Name, What) Enumerator,
#include "runtime/Env.def"
};

struct EnvRow {
  Env variable;
  std::string_view name;
};

/// All of them, in the order of the table.
std::span<const EnvRow> allEnv();

/// "BRAID_DEVICE", for messages.
std::string_view envName(Env variable);

/// The value; nothing if the variable is absent or empty.
std::optional<std::string> envValue(Env variable);

} // namespace braid
