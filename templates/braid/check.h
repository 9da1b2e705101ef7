// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked builds: what is counted of an index outside its table or cache. The fault buffer has four
// words a check, all 0 before the launch: the number of faults; the first fault's index number with
// the high and with the low half of its value, both inverted, so that the largest word belongs to
// the smallest number; the limit. No lane waits for another, and the result does not depend on
// their order.
#pragma once
#include "braid/device.h"

namespace braid {

inline constexpr u32 kFaultWords = 4;

BRAID_DEVICE void countFault(u64 *faults, u32 check, u32 number, i64 value, u64 limit) {
  u64 *const words = faults + u64(check) * kFaultWords;
  const u64 bits = static_cast<u64>(value);
  atomicAdd64(words, 1);
  atomicMax64(words + 1, ~(u64(number) << 32 | bits >> 32));
  atomicMax64(words + 2, ~(u64(number) << 32 | (bits & 0xffffffffu)));
  atomicMax64(words + 3, limit); // the same for every fault of a check
}

// A slot is right inside the cache; -1 is padding.
BRAID_DEVICE void checkSlot(u64 *faults, u32 check, u32 number, i64 slot, u64 capacity) {
  if (slot != -1 && static_cast<u64>(slot) >= capacity)
    countFault(faults, check, number, slot, capacity);
}

// A position is right inside the table.
BRAID_DEVICE void checkPosition(u64 *faults, u32 check, u32 number, i64 position, u64 rows) {
  if (static_cast<u64>(position) >= rows)
    countFault(faults, check, number, position, rows);
}

} // namespace braid
