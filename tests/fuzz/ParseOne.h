// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One text through head, lexer, parser and the passes to HIP text, as `braid compile` takes it.

#pragma once

#include <string>

namespace mlir {
class MLIRContext;
}

namespace braid::fuzz {

/// Every kernel of the text under its first preset, for one target. Returns what is broken: a
/// program that neither parses nor has a diagnostic, IR that does not verify, a failure without a
/// diagnostic or with one that no id explains. Empty: all is well, refused or not.
std::string parseOne(mlir::MLIRContext &context, const std::string &text);

} // namespace braid::fuzz
