// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target table as plain data: what the front end, the schedule, the compiler driver and the
// emulator know of a chip. Constant, any thread. No LLVM here.

#pragma once

#include "runtime/DType.h"
#include "runtime/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace braid {

struct Target {
  std::string_view name; // "gfx942"
  unsigned waveSize;     // lanes
  DType fp8;             // what `fp8` means in a program
  float fp8Max;          // its largest finite value
  uint32_t ldsBytes;     // most LDS of one workgroup
  std::string_view products;
  std::string_view clangCpu; // empty: text only
};

/// All rows, in the order of the table. A row's number is the device ordinal of the emulator.
std::span<const Target> allTargets();

/// "gfx942, gfx950, ...", for messages.
std::string targetNames();

/// What to do about a target that is not in the table: the nearest one, and all of them.
std::string suggestTarget(std::string_view targetId);

/// The chip of a target id: features and the mark of the emulator are cut off
/// ("gfx942:sramecc+:xnack-" and "gfx942@emu" give "gfx942").
std::string_view targetChip(std::string_view targetId);

/// The row of a target id, or null. Features are ignored: they never change the generated text.
const Target *lookupTarget(std::string_view targetId);

/// As lookupTarget; a failure (UnknownTarget) lists the known names.
Status findTarget(std::string_view targetId, const Target *&target);

} // namespace braid
