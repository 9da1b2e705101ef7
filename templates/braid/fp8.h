// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fp8 codes, four to a word, and f4e2m1, eight to a word. Encoding fp8 rounds to nearest even; NaN
// and Inf give the NaN code. The target's own flavour of e4m3 is converted by its instruction, the
// other formats in integer arithmetic by the same rules.
#pragma once
#include "braid/device.h"

namespace braid {

// What a format's codes mean: sign, exponent and kFraction bits of fraction, and special codes.
template <class F>
struct Fp8Format;
template <>
struct Fp8Format<f8e4m3fn> {
  static constexpr u32 kFraction = 3;
  static constexpr u32 kBias = 7;
  static constexpr u32 kLargest = 0x7e; // 448
  static constexpr u32 kNan = 0x7f;
  static constexpr bool kNegativeZero = true;
};
template <>
struct Fp8Format<f8e4m3fnuz> {
  static constexpr u32 kFraction = 3;
  static constexpr u32 kBias = 8;
  static constexpr u32 kLargest = 0x7f; // 240
  static constexpr u32 kNan = 0x80;
  static constexpr bool kNegativeZero = false;
};
template <>
struct Fp8Format<f8e5m2> {
  static constexpr u32 kFraction = 2;
  static constexpr u32 kBias = 15;
  static constexpr u32 kLargest = 0x7b; // 57344; then infinity, which encoding never gives, and NaN
  static constexpr u32 kNan = 0x7e;
  static constexpr bool kNegativeZero = true;
};
template <>
struct Fp8Format<f8e5m2fnuz> {
  static constexpr u32 kFraction = 2;
  static constexpr u32 kBias = 16;
  static constexpr u32 kLargest = 0x7f; // 57344
  static constexpr u32 kNan = 0x80;
  static constexpr bool kNegativeZero = false;
};

// The value of a code, exactly.
template <class F>
BRAID_DEVICE f32 decodeFp8(u32 code) {
  using Format = Fp8Format<F>;
  const u32 sign = (code & 0x80) << 24;
  const u32 magnitude = code & 0x7f;
  // The code's exponent and fraction as an f32 of another bias; exact, for subnormals too.
  const f32 value =
      floatOf(magnitude << (23 - Format::kFraction)) * floatOf((127 + 127 - Format::kBias) << 23);
  if constexpr (kSame<F, f8e5m2>) {
    // Its specials are those of f32, an exponent of ones.
    const u32 special = kInfinityBits | (magnitude & 3) << 21;
    return floatOf((magnitude > Format::kLargest ? special : bitsOf(value)) | sign);
  } else {
    const bool nan = Format::kNegativeZero ? magnitude == Format::kNan : code == Format::kNan;
    return floatOf(nan ? kNanBits : bitsOf(value) | sign);
  }
}

// The code of a magnitude (an f32 without its sign), rounded to nearest even; past the largest
// number it counts on.
template <u32 kFraction, u32 kBias>
BRAID_DEVICE u32 encodeMagnitude(u32 magnitude) {
  constexpr u32 kSmallestNormal = (127 + 1 - kBias) << 23;
  constexpr u32 kDropped = 23 - kFraction;
  const u32 normal =
      ((magnitude + (magnitude >> kDropped & 1) + (1u << (kDropped - 1)) - 1) >> kDropped) -
      ((127 - kBias) << kFraction);
  // Below the normals the sum's last bit is the smallest subnormal, 2^(1 - bias - fraction), so the
  // adder rounds.
  constexpr u32 kAnchor = (127 + 23 + 1 - kBias - kFraction) << 23;
  const u32 subnormal = bitsOf(floatOf(magnitude) + floatOf(kAnchor)) - kAnchor;
  return magnitude < kSmallestNormal ? subnormal : normal;
}

// One code in integer arithmetic. What rounds past the largest number gives NaN, as AMD's
// instruction does.
template <class F>
BRAID_DEVICE u32 encodeFp8(f32 x) {
  using Format = Fp8Format<F>;
  const u32 magnitude = bitsOf(x) & ~kSignBit;
  const u32 code = encodeMagnitude<Format::kFraction, Format::kBias>(magnitude);
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

// f4e2m1: 1 bit of fraction, bias 1; neither NaN nor Inf. What lies past 6 gives 6, NaN gives 6.
BRAID_DEVICE f32 decodeF4(u32 code) {
  const f32 value = floatOf((code & 7) << 22) * floatOf((127 + 127 - 1) << 23);
  return floatOf(bitsOf(value) | (code & 8) << 28);
}
BRAID_DEVICE u32 encodeF4(f32 x) {
  const u32 magnitude = bitsOf(x) & ~kSignBit;
  const u32 code = smaller(encodeMagnitude<1, 1>(magnitude), 7);
  return magnitude > kInfinityBits ? 7 : code | (bitsOf(x) >> 28 & 8);
}

// Four codes, the first lowest: a word of fp8, half a word of f4e2m1.
template <class F>
BRAID_DEVICE u32 encodeFour(f32 a, f32 b, f32 c, f32 d) {
  if constexpr (kSame<F, f4e2m1>)
    return encodeF4(a) | encodeF4(b) << 4 | encodeF4(c) << 8 | encodeF4(d) << 12;
  else
    return encodeFp8Word<F>(a, b, c, d);
}

// x cut to +-max (a number of the format), but NaN and Inf stay.
BRAID_DEVICE f32 saturate(f32 x, f32 max) {
  const u32 magnitude = bitsOf(x) & ~kSignBit;
  const bool cut = magnitude > bitsOf(max) && magnitude < kInfinityBits;
  return cut ? floatOf(bitsOf(max) | (bitsOf(x) & kSignBit)) : x;
}

} // namespace braid
