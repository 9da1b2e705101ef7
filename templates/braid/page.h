// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of cache pages, and the index rules around them. A page's address is known to be a
// multiple of kAlign bytes only.
#pragma once
#include "braid/device.h"
#include "braid/row.h"

namespace braid {

// A position, clamped to a table of `rows` rows (at least one).
BRAID_DEVICE u32 clampIndex(i64 index, u32 rows) {
  const i64 last = i64(rows) - 1;
  const i64 clamped = index < 0 ? 0 : index;
  return static_cast<u32>(clamped < last ? clamped : last);
}

// Stores chunk c of a lane's fragment (elements Rows::chunk(lane, c) and the kChunk - 1 after it)
// to neighbouring bytes.
template <class Rows, u32 kAlign, class T>
BRAID_DEVICE void storeChunk(u8 *to, const Frag<T, Rows::kPerLane> &x, u32 c) {
  storeRun<Rows::kChunk, kAlign>(to, x, c * Rows::kChunk);
}

} // namespace braid
