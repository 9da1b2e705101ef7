// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch on a device of a provider: operands there, kernel, results back.

#pragma once

#include "codegen/Compiler.h"
#include "runtime/Program.h"
#include "runtime/tools/braid/OperandSet.h"

namespace braid::tool {

/// Loads the kernels on the first device of their target. `provider`: `emu`, `amd` or a library's
/// path.
Status prepareOn(const std::string &provider, const GeneratedProgram &generated,
                 std::unique_ptr<runtime::Program> &program, const runtime::HipApi *&api);

/// Copies all operands to the device, launches, waits, and copies them back. Operands that share
/// bytes here share them there. `faults` gets what a checked program has counted.
Status runOnce(const runtime::HipApi &api, const runtime::Program &program, OperandSet &set,
               const RequestedCounts &requested, std::vector<Fault> *faults = nullptr);

} // namespace braid::tool
