// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Fault.h"

#include <fmt/format.h>

namespace braid {

std::string Fault::text() const {
  return fmt::format("`{}`: {} {} outside `{}`; first: token {}, value {}, limit {}", index, count,
                     count == 1 ? "value lies" : "values lie", chosenFrom, token, value, limit);
}

} // namespace braid
