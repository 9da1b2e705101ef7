// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch on a device of a provider: operands there, kernel, results back.

#pragma once

#include "codegen/Compiler.h"
#include "runtime/Kernel.h"
#include "runtime/tools/braid/OperandSet.h"

namespace braid::tool {

/// Loads the kernel on the first device of its target. `provider`: `emu`, `amd` or a library's
/// path.
Status prepareOn(const std::string &provider, const GeneratedKernel &generated,
                 std::unique_ptr<runtime::Kernel> &kernel, const runtime::HipApi *&api);

/// Copies all operands to the device, launches, waits, and copies them back. Operands that share
/// bytes here share them there. `faults` gets what a checked kernel has counted.
Status runOnce(const runtime::HipApi &api, const runtime::Kernel &kernel, OperandSet &set,
               const RequestedCounts &requested, std::vector<Fault> *faults = nullptr);

} // namespace braid::tool
