// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row reductions. The sum is the balanced binary tree over the element index: strips are added one
// after another, then index bits are walked upward, a register bit adds neighbouring registers, a
// lane bit is a butterfly step, and at the first wave bit the waves' sums go through LDS to all
// lanes, which walk the bits that are left. Absent elements count as +0. All lanes of the row's
// group get the result.
#pragma once
#include "braid/device.h"
#include "braid/exchange.h"
#include "braid/row.h"

namespace braid {

// The balanced tree over values that one lane holds.
template <u32 kCount>
BRAID_DEVICE f32 sumInLane(const f32 (&values)[kCount]) {
  if constexpr (kCount == 1) {
    return values[0];
  } else {
    f32 sums[kCount / 2];
#pragma unroll
    for (u32 i = 0; i < kCount / 2; ++i)
      sums[i] = values[2 * i] + values[2 * i + 1];
    return sumInLane(sums);
  }
}

// The rest of the sum from the first wave bit on: the lanes of a wave agree on `values` by then.
template <class Rows, u32 kBit, u32 kCount>
BRAID_DEVICE f32 sumOverWaves(const f32 (&values)[kCount]) {
  u32 own[kCount];
#pragma unroll
  for (u32 i = 0; i < kCount; ++i)
    own[i] = bitsOf(values[i]);
  const u32 *words = wordsOfWaves<Rows>(own);
  constexpr u32 kRest = Rows::kStrip / kBit; // bits above are those of waves and of registers
  static_assert(kRest == Rows::kWaves * kCount, "every index bit is walked once");
  f32 rest[kRest];
#pragma unroll
  for (u32 i = 0; i < kRest; ++i) {
    const u32 wave = Rows::laneOf(i * kBit) / Rows::Group::kWave;
    const u32 reg = extractBits<Rows::kRegisterMask & ~(kBit - 1)>(i * kBit);
    rest[i] = floatOf(words[wave * kCount + reg]);
  }
  return sumInLane(rest);
}

// One step of the sum: `values` holds kCount partial sums over the index bits below kBit.
template <class Rows, u32 kBit, u32 kCount>
BRAID_DEVICE f32 sumFrom(f32 (&values)[kCount]) {
  if constexpr (kBit == Rows::kStrip) {
    return values[0];
  } else if constexpr ((Rows::kLaneMask & kBit) != 0 && Rows::laneOf(kBit) >= Rows::Group::kWave) {
    return sumOverWaves<Rows, kBit>(values);
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
  constexpr u32 kPerStrip = Rows::kStrip / Rows::kLanes;
  const Frag<T, N> row = presentOnly<Rows>(x);
  f32 values[kPerStrip];
#pragma unroll
  for (u32 i = 0; i < kPerStrip; ++i)
    values[i] = i < N ? elementAt(row, i) : 0.0f;
#pragma unroll
  for (u32 strip = kPerStrip; strip * Rows::kLanes < Rows::kElements; strip += kPerStrip)
#pragma unroll
    for (u32 i = 0; i < kPerStrip; ++i)
      values[i] = values[i] + (strip + i < N ? elementAt(row, strip + i) : 0.0f);
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

// The unsigned maximum of one word a lane over all lanes of a row, of several waves too.
template <class Rows>
BRAID_DEVICE u32 rowMax(u32 x) {
  const u32 own[1] = {laneMax<Rows::kLanes / Rows::kWaves>(x)};
  if constexpr (!Rows::kSpansWaves) {
    return own[0];
  } else {
    const u32 *words = wordsOfWaves<Rows>(own);
    u32 largest = words[0];
#pragma unroll
    for (u32 i = 1; i < Rows::kWaves; ++i)
      largest = larger(largest, words[i]);
    return largest;
  }
}

// The row's largest sign-cleared bit pattern, as f32 bits: NaN and Inf count as larger than every
// number.
template <class Rows, class T, u32 N>
BRAID_DEVICE u32 amaxBits(const Frag<T, N> &row) {
  const Frag<T, N> x = presentOnly<Rows>(row);
  if constexpr (kSame<T, bf16> || kSame<T, f16>) {
    u32 largest = x.words[0] & 0x7fff7fffu;
#pragma unroll
    for (u32 i = 1; i < Frag<T, N>::kWords; ++i)
      largest = packedMax(largest, x.words[i] & 0x7fff7fffu);
    // The upper halves decide the comparisons from here on; the lower ones are dropped at the end.
    largest = rowMax<Rows>(larger(largest, largest << 16)) & 0xffff0000u;
    return kSame<T, bf16> ? largest : bitsOf(halfToFloat(largest >> 16));
  } else {
    u32 largest = 0;
#pragma unroll
    for (u32 i = 0; i < N; ++i)
      largest = larger(largest, bitsOf(elementAt(x, i)) & ~kSignBit);
    return rowMax<Rows>(largest);
  }
}

// amax(x): a finite number, also for a row that holds NaN or Inf.
template <class Rows, class T, u32 N>
BRAID_DEVICE f32 reduceAmax(const Frag<T, N> &x) {
  return floatOf(smaller(amaxBits<Rows>(x), kLargestFiniteBits));
}

} // namespace braid
