// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two operands of a launch share a byte. Pure functions.

#pragma once

#include <cstdint>

namespace braid::runtime {

/// The bytes that a launch touches of one operand: `rows` pieces of `span` bytes (gaps inside
/// counted), `stride` apart.
struct Footprint {
  uint64_t begin = 0;  // address
  uint64_t rows = 0;   // 0: nothing is touched
  uint64_t stride = 0; // bytes; of no meaning for one row
  uint64_t span = 0;   // bytes of one row, > 0
  uint64_t end() const { return begin + (rows - 1) * stride + span; }
};

/// Footprints of equal stride are compared by the columns that their rows take, so that slices of
/// one packed buffer count as apart; others by address interval. May say true of exotic
/// interleavings, never false of a shared byte.
bool sharesBytes(const Footprint &a, const Footprint &b);

} // namespace braid::runtime
