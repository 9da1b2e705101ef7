// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Env.h"

#include <cstdlib>

namespace braid {
namespace {

constexpr EnvRow kRows[] = {
#define BRAID_ENV(Enumerator, Name, What) {Env::Enumerator, Name},
#include "runtime/Env.def"
};

} // namespace

std::string_view envName(Env variable) { return kRows[static_cast<unsigned>(variable)].name; }

std::span<const EnvRow> allEnv() { return kRows; }

std::optional<std::string> envValue(Env variable) {
  const char *value = std::getenv(envName(variable).data());
  if (!value || !*value)
    return std::nullopt;
  return value;
}

} // namespace braid
