// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of rows: their elements change lanes, and keep their bits.
#pragma once
#include "braid/device.h"
#include "braid/exchange.h"
#include "braid/row.h"

namespace braid {

// x[kBegin .. kBegin + the length of To] as a row of its own.
template <class To, class From, u32 kBegin, class T>
BRAID_DEVICE Frag<T, To::kPerLane> sliceRow(const Frag<T, From::kPerLane> &x) {
  static_assert(kBegin + To::kElements <= From::kElements, "the part lies inside the row");
  Frag<T, To::kPerLane> result = {};
  const u32 lane = To::lane();
  takeElements<From, To::kLanes, kBegin, kBegin + To::kElements>(
      x, result, [&](u32 r) { return To::laneBase(lane) + To::registerBase(r) + kBegin; });
  return result;
}

// `to` with the row x at element kBegin.
template <class To, class From, u32 kBegin, class T>
BRAID_DEVICE Frag<T, To::kPerLane> placeRow(Frag<T, To::kPerLane> to,
                                            const Frag<T, From::kPerLane> &x) {
  static_assert(kBegin + From::kElements <= To::kElements, "the part lies inside the row");
  const u32 lane = To::lane();
  takeElements<From, To::kLanes>(
      x, to, [&](u32 r) { return To::laneBase(lane) + To::registerBase(r) - kBegin; });
  return to;
}

} // namespace braid
