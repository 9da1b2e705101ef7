// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Env.h"

#include <cstdlib>

namespace braid {
namespace {

constexpr const char *kNames[] = {
#define BRAID_ENV(Enumerator, Name, What) Name,
#include "runtime/Env.def"
};

} // namespace

std::string_view envName(Env variable) { return kNames[static_cast<unsigned>(variable)]; }

std::optional<std::string> envValue(Env variable) {
  const char *value = std::getenv(kNames[static_cast<unsigned>(variable)]);
  if (!value || !*value)
    return std::nullopt;
  return value;
}

} // namespace braid
