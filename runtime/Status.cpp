// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Status.h"

#include <utility>

namespace braid {
namespace {

struct Row {
  std::string_view id;
  StatusCode code;
};

constexpr Row kRows[] = {
#define BRAID_ERROR(Enumerator, Id, Code, When) {Id, StatusCode::Code},
#include "runtime/Errors.def"
};

} // namespace

std::string_view errorId(Error error) { return kRows[static_cast<unsigned>(error)].id; }

Status makeError(Error error, std::string what, std::string why, std::string fix) {
  const Row &row = kRows[static_cast<unsigned>(error)];
  return {row.code, std::string(row.id), std::move(what), std::move(why), std::move(fix)};
}

std::string Status::text() const {
  if (ok())
    return {};
  std::string lines = "error[" + id + "]: " + what;
  if (!why.empty())
    lines += "\n  why : " + why;
  if (!fix.empty())
    lines += "\n  fix : " + fix;
  return lines;
}

} // namespace braid
