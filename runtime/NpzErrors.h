// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ids of NpzErrors.def. Constant; may be used from any thread.

#pragma once

#include "runtime/Status.h"

#include <string>
#include <string_view>
#include <utility>

namespace braid {

enum class NpzError : int {
#define BRAID_ERROR(Enumerator, Id, Code, When) Enumerator,
#include "runtime/NpzErrors.def"
};

/// A status of the table's id and class.
inline Status makeError(NpzError error, std::string what, std::string why, std::string fix) {
  struct Row {
    std::string_view id;
    StatusCode code;
  };
  static constexpr Row kRows[] = {
#define BRAID_ERROR(Enumerator, Id, Code, When) {Id, StatusCode::Code},
#include "runtime/NpzErrors.def"
  };
  const Row &row = kRows[static_cast<unsigned>(error)];
  return {row.code, std::string(row.id), std::move(what), std::move(why), std::move(fix)};
}

} // namespace braid
