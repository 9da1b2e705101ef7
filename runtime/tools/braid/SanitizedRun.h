// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch on the emulated wave under AddressSanitizer, in a process of its own (braid-emu-asan).

#pragma once

#include "codegen/Compiler.h"
#include "runtime/tools/braid/OperandSet.h"

namespace braid::tool {

/// What generated code did that it may not do.
struct SanitizerFinding {
  std::string access;         ///< "writes 4 bytes", or an undefined operation
  std::string operand;        ///< empty: memory of no operand, or no access
  std::string place;          ///< in the operand
  unsigned line = 0;          ///< of the text: the access itself
  unsigned statementLine = 0; ///< of the text: the statement of the kernel around it; may be `line`
  std::string program;        ///< line:column of the program; empty: unknown
};

/// Launches once, each kernel in a process of its own, and copies the results into the arrays of
/// `set`; `faults` gets those of a checked build. Errors: SanitizerFinding (`finding` says more),
/// SanitizerUnusable, and those of the launch.
Status runSanitized(const GeneratedProgram &generated, OperandSet &set,
                    const RequestedCounts &requested, SanitizerFinding &finding,
                    std::vector<Fault> *faults = nullptr);

/// As fail(), but the JSON object of a SanitizerFinding also has `finding`.
int failSanitized(const Status &status, const SanitizerFinding &finding, bool json);

} // namespace braid::tool
