// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row reductions. The sum is the balanced binary tree over the element index: index bits are walked
// upward, a register bit adds neighbouring registers, a lane bit is a butterfly step. All lanes of
// the row's group get the result.
#pragma once
#include "braid/device.h"
#include "braid/row.h"

namespace braid {

// One step of the sum: `values` holds kCount partial sums over the index bits below kBit.
template <class Rows, u32 kBit, u32 kCount>
BRAID_DEVICE f32 sumFrom(f32 (&values)[kCount]) {
  if constexpr (kBit == Rows::kElements) {
    return values[0];
  } else if constexpr ((Rows::kLaneMask & kBit) != 0) {
    constexpr u32 kDistance = Rows::laneOf(kBit);
#pragma unroll
    for (u32 i = 0; i < kCount; ++i)
      values[i] = values[i] + floatOf(laneButterfly<kDistance>(bitsOf(values[i])));
    return sumFrom<Rows, 2 * kBit>(values);
  } else {
    f32 sums[kCount / 2];
#pragma unroll
    for (u32 i = 0; i < kCount / 2; ++i)
      sums[i] = values[2 * i] + values[2 * i + 1];
    return sumFrom<Rows, 2 * kBit>(sums);
  }
}

template <class Rows, class T, u32 N>
BRAID_DEVICE f32 reduceSum(const Frag<T, N> &x) {
  static_assert(N == Rows::kPerLane, "the fragment belongs to another row map");
  f32 values[N];
#pragma unroll
  for (u32 i = 0; i < N; ++i)
    values[i] = elementAt(x, i);
  return sumFrom<Rows, 1>(values);
}

// The unsigned maximum of one word a lane over the lanes of a row.
template <u32 kLanes, u32 kDistance = 1>
BRAID_DEVICE u32 laneMax(u32 x) {
  if constexpr (kDistance == kLanes) {
    return x;
  } else {
    return laneMax<kLanes, 2 * kDistance>(larger(x, laneButterfly<kDistance>(x)));
  }
}

// The row's largest sign-cleared bit pattern, as f32 bits: NaN and Inf count as larger than every
// number.
template <class Rows, class T, u32 N>
BRAID_DEVICE u32 amaxBits(const Frag<T, N> &x) {
  static_assert(N == Rows::kPerLane, "the fragment belongs to another row map");
  if constexpr (kSame<T, bf16> || kSame<T, f16>) {
    u32 largest = x.words[0] & 0x7fff7fffu;
#pragma unroll
    for (u32 i = 1; i < Frag<T, N>::kWords; ++i)
      largest = packedMax(largest, x.words[i] & 0x7fff7fffu);
    // The upper halves decide the comparisons from here on; the lower ones are dropped at the end.
    largest = laneMax<Rows::kLanes>(larger(largest, largest << 16)) & 0xffff0000u;
    return kSame<T, bf16> ? largest : bitsOf(halfToFloat(largest >> 16));
  } else {
    u32 largest = 0;
#pragma unroll
    for (u32 i = 0; i < N; ++i)
      largest = larger(largest, bitsOf(elementAt(x, i)) & ~kSignBit);
    return laneMax<Rows::kLanes>(largest);
  }
}

// amax(x): a finite number, also for a row that holds NaN or Inf.
template <class Rows, class T, u32 N>
BRAID_DEVICE f32 reduceAmax(const Frag<T, N> &x) {
  return floatOf(smaller(amaxBits<Rows>(x), kLargestFiniteBits));
}

} // namespace braid
