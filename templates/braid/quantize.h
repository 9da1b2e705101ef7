// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quantize: a row to codes of a narrow float format and one scale (value = code * scale). The scale
// is found from the row's amax, or given.
#pragma once
#include "braid/device.h"
#include "braid/fp8.h"
#include "braid/reduce.h"
#include "braid/row.h"

namespace braid {

template <class F, u32 N>
struct Quantized {
  Frag<F, N> codes;
  f32 scale;
};

// How a value meets the scale: x * (1 / s), or x / s.
enum class ValueRule { multiply, divide };

// x * inverse of element i; past the end of a short fragment, zero.
template <ValueRule kRule, class T, u32 N>
BRAID_DEVICE Pair scaledPair(const Frag<T, N> &x, u32 i, f32 factor) {
  if (i >= N)
    return {0.0f, 0.0f};
  const Pair value = pairAt(x, i);
  if constexpr (kRule == ValueRule::divide)
    return {value.x / factor, value.y / factor};
  else
    return value * Pair{factor, factor};
}

// Codes of x * factor (or x / factor). With kSaturate what lies past +-max becomes +-max; without
// it the caller knows that nothing does.
template <class F, ValueRule kRule, bool kSaturate, class T, u32 N>
BRAID_DEVICE Frag<F, N> encodeRow(const Frag<T, N> &x, f32 factor, f32 max) {
  constexpr u32 kPerWord = Frag<F, N>::kPerWord;
  Frag<F, N> codes;
#pragma unroll
  for (u32 i = 0; i < N; i += 4) {
    Pair low = scaledPair<kRule>(x, i, factor);
    Pair high = scaledPair<kRule>(x, i + 2, factor);
    if constexpr (kSaturate) {
      low = {saturate(low.x, max), saturate(low.y, max)};
      high = {saturate(high.x, max), saturate(high.y, max)};
    }
    const u32 four = encodeFour<F>(low.x, low.y, high.x, high.y);
    if (i % kPerWord == 0)
      codes.words[i / kPerWord] = four;
    else
      codes.words[i / kPerWord] |= four << i % kPerWord * kBits<F>;
  }
  return codes;
}

// max(amax, floor) as f32 bits, finite.
template <class Rows, class T, u32 N>
BRAID_DEVICE u32 flooredAmax(const Frag<T, N> &x, f32 floor) {
  return smaller(larger(amaxBits<Rows>(x), bitsOf(floor)), kLargestFiniteBits);
}

// scale = ue8m0: the least power of two s with max * s >= amax, from exponent and mantissa bits. s
// and 1 / s are normal numbers; the floor sees to it that s is not too small.
BRAID_DEVICE u32 ue8m0Bits(u32 amax, f32 max) {
  const u32 mantissa = bitsOf(max) & 0x7fffff;
  const u32 exponent = (bitsOf(max) & kInfinityBits) - 0x3f800000u;
  return (amax + (0x7fffff - mantissa - exponent)) & kInfinityBits;
}

template <class Rows, class F, class T, u32 N>
BRAID_DEVICE Quantized<F, N> quantizeUe8m0(const Frag<T, N> &x, f32 floor, f32 max) {
  const u32 scale = ue8m0Bits(flooredAmax<Rows>(x, floor), max);
  // 1 / 2^e = 2^-e; x / s and x * (1 / s) are the same for a power of two.
  const f32 inverse = floatOf(0x7f000000u - scale);
  return {encodeRow<F, ValueRule::multiply, false>(x, inverse, max), floatOf(scale)};
}

// Codes for a scale. Where it is of the row's own amax, values past +-max need to be cut only if
// max is no number of the format: a rounding error could take them past a midpoint.
template <class F, ValueRule kRule, bool kSaturate, class T, u32 N>
BRAID_DEVICE Quantized<F, N> quantizeBy(const Frag<T, N> &x, f32 scale, f32 max) {
  const f32 factor = kRule == ValueRule::divide ? scale : 1.0f / scale;
  return {encodeRow<F, kRule, kSaturate>(x, factor, max), scale};
}

// scale = f32_divide: amax / max.
template <class Rows, class F, ValueRule kRule = ValueRule::multiply, bool kSaturate = false,
          class T, u32 N>
BRAID_DEVICE Quantized<F, N> quantizeDivide(const Frag<T, N> &x, f32 floor, f32 max) {
  return quantizeBy<F, kRule, kSaturate>(x, floatOf(flooredAmax<Rows>(x, floor)) / max, max);
}

// scale = f32_reciprocal: amax * (1 / max).
template <class Rows, class F, ValueRule kRule = ValueRule::multiply, bool kSaturate = false,
          class T, u32 N>
BRAID_DEVICE Quantized<F, N> quantizeReciprocal(const Frag<T, N> &x, f32 floor, f32 max) {
  return quantizeBy<F, kRule, kSaturate>(x, floatOf(flooredAmax<Rows>(x, floor)) * (1.0f / max),
                                         max);
}

// scale = given(s): no amax, so values past +-max are cut.
template <class F, ValueRule kRule = ValueRule::multiply, class T, u32 N>
BRAID_DEVICE Quantized<F, N> quantizeGiven(const Frag<T, N> &x, f32 scale, f32 max) {
  return quantizeBy<F, kRule, true>(x, scale, max);
}

} // namespace braid
