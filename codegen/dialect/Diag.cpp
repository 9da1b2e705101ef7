// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/dialect/Diag.h"

using namespace mlir;

namespace braid {

static const DiagText kTexts[] = {
#define BRAID_DIAG(id, name, message, why, fix) {#id, message, why, fix},
#include "dsl/Diagnostics.def"
#undef BRAID_DIAG
};

const DiagText &diagText(Diag diag) { return kTexts[static_cast<size_t>(diag)]; }

LogicalResult detail::emitDiag(Location loc, Diag diag, llvm::StringRef argument,
                               fmt::format_args args) {
  const DiagText &text = diagText(diag);
  auto fill = [&](llvm::StringRef pattern) {
    return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), args);
  };
  InFlightDiagnostic error = emitError(loc);
  error << "[" << text.id << "] " << fill(text.message);
  if (!argument.empty())
    error.attachNote() << "argument: " << argument;
  error.attachNote() << "why: " << fill(text.why);
  error.attachNote() << "fix: " << fill(text.fix);
  return error;
}

} // namespace braid
