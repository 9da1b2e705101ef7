// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spreads the workgroups of a launch over the processors. Results do not depend on the spreading:
// workgroups share no state but the operands. One launch at a time; further callers wait.

#pragma once

#include "runtime/providers/emu/Lanes.h"

namespace braid::emu {

/// Runs all workgroups. Returns false if one fails; `error` is that of the failing workgroup with
/// the lowest number, and workgroups after it may not have run. `serial`: one after another on the
/// calling thread (kernels with plain static variables need it).
bool runGrid(const Launch &launch, bool serial, std::string &error);

} // namespace braid::emu
