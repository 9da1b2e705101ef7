// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The outcome of a request: what happened, why, what to do. Returned by value, owned by the caller,
// and free of heap memory when all is well (so that a successful launch allocates nothing).

#pragma once

#include <string>
#include <string_view>

namespace braid {

/// The values are the exit codes of the command.
enum class StatusCode : int {
  Right = 0,
  WrongAnswer = 1,
  RequestWrong = 2,
  EnvironmentWrong = 3,
  Internal = 4,
};

enum class Error : int {
#define BRAID_ERROR(Enumerator, Id, Code, When) Enumerator,
#include "runtime/Errors.def"
};

struct [[nodiscard]] Status {
  StatusCode code = StatusCode::Right;
  std::string id;   // "BR5305"; empty when right
  std::string what; // one sentence that names the thing
  std::string why;  // the rule that it breaks
  std::string fix;  // what the caller can do

  bool ok() const { return code == StatusCode::Right; }

  /// Several lines: "error[id]: what", "  why : ...", "  fix : ..."; empty when right. No final
  /// newline.
  std::string text() const;
};

/// A status of the table's id and class.
Status makeError(Error error, std::string what, std::string why, std::string fix);

/// The id of an error, for tests and documentation, for example "BR5305".
std::string_view errorId(Error error);

} // namespace braid
