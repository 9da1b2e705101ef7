// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars: conversion between storage types and f32, and loads and stores of one value. Widening is
// exact, `roundTo` rounds to nearest even, overflows to infinity and keeps NaN a NaN.
#pragma once
#include "braid/device.h"
#include "braid/fp8.h"

namespace braid {

// Element `place` of a packed word, as f32; place 0 is lowest.
template <class T>
BRAID_DEVICE f32 wordElement(u32 word, u32 place) {
  if constexpr (kSame<T, bf16>)
    return floatOf(place == 0 ? word << 16 : word & 0xffff0000u);
  else if constexpr (kSame<T, f16>)
    return halfToFloat(place == 0 ? word & 0xffff : word >> 16);
  else if constexpr (kSame<T, f4e2m1>)
    return decodeF4(word >> 4 * place & 0xf);
  else
    return decodeFp8<T>(word >> 8 * place & 0xff);
}

BRAID_DEVICE u32 packF16(f32 low, f32 high) { return floatToHalf(low) | floatToHalf(high) << 16; }

// Two values rounded to T (bf16 or f16) in one word, x lowest.
template <class T>
BRAID_DEVICE u32 packPair(Pair value) {
  if constexpr (kSame<T, bf16>)
    return packBf16(value.x, value.y);
  else
    return packF16(value.x, value.y);
}

BRAID_DEVICE f32 toFloat(f32 x) { return x; }
template <class T>
BRAID_DEVICE f32 toFloat(T x) {
  return wordElement<T>(x.bits, 0);
}

template <class To>
BRAID_DEVICE To roundTo(f32 x) {
  if constexpr (kSame<To, f32>)
    return x;
  else if constexpr (kSame<To, bf16>)
    return bf16{static_cast<u16>(packBf16(x, 0.0f))};
  else
    return f16{static_cast<u16>(floatToHalf(x))};
}

// Loads one value: floating-point types as f32, integers (positions, slots) as i64.
template <class T>
BRAID_DEVICE f32 loadScalar(const T *from) {
  return toFloat(*from);
}
BRAID_DEVICE i64 loadScalar(const i64 *from) { return *from; }
BRAID_DEVICE i64 loadScalar(const i32 *from) { return *from; }

// Stores one value of the target's own type; a power of two as its biased exponent where the target
// is e8m0.
template <class T>
BRAID_DEVICE void storeScalar(T *to, T value) {
  *to = value;
}
BRAID_DEVICE void storeScalar(e8m0 *to, f32 scale) {
  to->bits = static_cast<u8>(bitsOf(scale) >> 23);
}

// Stores a row's scalar where `condition` holds (usually lane == 0). All lanes compute the value,
// so that what it was loaded from is requested with the rest of the row and not under the
// condition.
template <class T>
BRAID_DEVICE void storeScalarIf(bool condition, T *to, f32 value) {
  const f32 ready = settled(value);
  if (condition)
    storeScalar(to, roundTo<T>(ready));
}

} // namespace braid
