// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hadamard: the Walsh-Hadamard transform of a row, times a scale. Index bits are walked upward: of
// the two elements that differ in a bit the lower becomes a + b, the upper a - b. A register bit
// pairs registers, a lane or wave bit lanes.
#pragma once
#include "braid/device.h"
#include "braid/exchange.h"
#include "braid/row.h"

namespace braid {

// The butterflies over index bits kBit and above.
template <class Rows, u32 kBit, u32 N>
BRAID_DEVICE void hadamardFrom(Frag<f32, N> &x, u32 lane) {
  if constexpr (kBit < Rows::kElements) {
    if constexpr ((Rows::kLaneMask & kBit) != 0) {
      constexpr u32 kDistance = Rows::laneOf(kBit);
      // a - b is a + (-b): the upper lane flips the sign of its own element.
      const u32 flip = (lane & kDistance) != 0 ? kSignBit : 0;
      const Frag<f32, N> other = neighboursByLane<Rows, kBit>(x);
#pragma unroll
      for (u32 i = 0; i < N; ++i)
        x.values[i] = other.values[i] + floatOf(bitsOf(x.values[i]) ^ flip);
    } else {
      constexpr u32 kDistance = Rows::registerOf(kBit);
#pragma unroll
      for (u32 i = 0; i < N; ++i)
        if ((i & kDistance) == 0) {
          const f32 a = x.values[i], b = x.values[i + kDistance];
          x.values[i] = a + b;
          x.values[i + kDistance] = a - b;
        }
    }
    hadamardFrom<Rows, 2 * kBit>(x, lane);
  }
}

template <class Rows, class T, u32 N>
BRAID_DEVICE Frag<f32, N> hadamard(const Frag<T, N> &x, f32 scale, u32 lane) {
  static_assert(N == Rows::kPerLane && isPowerOfTwo(Rows::kElements),
                "the fragment belongs to this row map, of a power of two of elements");
  Frag<f32, N> result = roundTo<f32>(x);
  hadamardFrom<Rows, 1>(result, lane);
#pragma unroll
  for (u32 i = 0; i < N; ++i)
    result.values[i] = result.values[i] * scale;
  return result;
}

} // namespace braid
