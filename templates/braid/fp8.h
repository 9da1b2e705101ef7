// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fp8 codes, four to a word. Encoding rounds to nearest even; NaN and Inf give the NaN code. The
// target's own flavour is converted by its instruction, the other one in integer arithmetic with
// the same result.
#pragma once
#include "braid/device.h"

namespace braid {

template <class F>
struct Fp8Format;
template <>
struct Fp8Format<f8e4m3fn> {
  static constexpr u32 kBias = 7;
  static constexpr u32 kLargest = 0x7e; // 448
  static constexpr u32 kNan = 0x7f;
  static constexpr bool kNegativeZero = true;
};
template <>
struct Fp8Format<f8e4m3fnuz> {
  static constexpr u32 kBias = 8;
  static constexpr u32 kLargest = 0x7f; // 240
  static constexpr u32 kNan = 0x80;
  static constexpr bool kNegativeZero = false;
};

// The value of a code, exactly.
template <class F>
BRAID_DEVICE f32 decodeFp8(u32 code) {
  using Format = Fp8Format<F>;
  const u32 sign = (code & 0x80) << 24;
  const u32 magnitude = code & 0x7f;
  // The code's exponent and mantissa as an f32 of another bias; exact, for subnormals too.
  const f32 value = floatOf(magnitude << 20) * floatOf((127 + 127 - Format::kBias) << 23);
  const bool nan = Format::kNegativeZero ? magnitude == Format::kNan : code == Format::kNan;
  return floatOf(nan ? kNanBits : bitsOf(value) | sign);
}

// One code in integer arithmetic. What rounds past the largest number gives NaN, as AMD's
// instruction does.
template <class F>
BRAID_DEVICE u32 encodeFp8(f32 x) {
  using Format = Fp8Format<F>;
  constexpr u32 kSmallestNormal = (127 + 1 - Format::kBias) << 23;
  const u32 magnitude = bitsOf(x) & ~kSignBit;
  const u32 normal =
      ((magnitude + (magnitude >> 20 & 1) + 0x7ffff) >> 20) - ((127 - Format::kBias) << 3);
  // Below the normals the sum's last bit is the smallest subnormal, 2^(1 - bias - 3), so the adder
  // rounds.
  constexpr u32 kAnchor = (127 + 23 + 1 - Format::kBias - 3) << 23;
  const u32 subnormal = bitsOf(floatOf(magnitude) + floatOf(kAnchor)) - kAnchor;
  const u32 code = magnitude < kSmallestNormal ? subnormal : normal;
  const u32 sign = bitsOf(x) >> 24 & 0x80;
  if (magnitude >= kInfinityBits || code > Format::kLargest)
    return Format::kNan;
  return Format::kNegativeZero || code != 0 ? code | sign : 0;
}

// Four codes of values that are known to round to at most the largest number (or are NaN or Inf).
template <class F>
BRAID_DEVICE u32 encodeFp8Word(f32 a, f32 b, f32 c, f32 d) {
  if constexpr (kSame<F, NativeFp8>)
    return nativeFp8Word(a, b, c, d);
  else
    return encodeFp8<F>(a) | encodeFp8<F>(b) << 8 | encodeFp8<F>(c) << 16 | encodeFp8<F>(d) << 24;
}

// x cut to +-max (a number of the format), but NaN and Inf stay.
BRAID_DEVICE f32 saturate(f32 x, f32 max) {
  const u32 magnitude = bitsOf(x) & ~kSignBit;
  const bool cut = magnitude > bitsOf(max) && magnitude < kInfinityBits;
  return cut ? floatOf(bitsOf(max) | (bitsOf(x) & kSignBit)) : x;
}

} // namespace braid
