// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number formats of the oracle, from their definitions alone: codes are decoded by exponent and
// fraction, and encoded by comparing with the exact midpoints of neighbouring codes in double.
// Nothing is shared with templates/, whose encoders shift and add bits. Constant tables, built once
// on first use; safe from any thread.

#pragma once

#include "runtime/DType.h"

#include <cstdint>

namespace braid::reference {

/// What the codes mean that do not follow sign, exponent and fraction.
enum class SpecialCodes : uint8_t {
  Ieee,         ///< Highest exponent: infinity, and NaN where the fraction is not 0.
  HighestIsNan, ///< All exponent and fraction bits set: NaN. No infinity (e4m3fn).
  MinusZeroNan, ///< The code of -0: the only NaN. No infinity, no -0 (fnuz).
  None,         ///< Every code is a finite number (f4e2m1).
};

struct FloatFormat {
  DType dtype;
  unsigned exponentBits, fractionBits;
  int bias;
  SpecialCodes special;

  unsigned bits() const { return 1 + exponentBits + fractionBits; }
  uint32_t signBit() const { return 1u << (exponentBits + fractionBits); }
};

/// Null for the integers and for e8m0, which has neither sign nor fraction.
const FloatFormat *floatFormat(DType dtype);

/// The largest finite value: 448, 240, 57344, 57344, 6, ...
double largestFinite(DType floatType);

bool isNanCode(DType dtype, uint64_t code);

/// The value of a code; e8m0 and the integers too. Exact, except for i64 beyond 2^53.
double decode(DType dtype, uint64_t code);

/// Nearest even. bf16 and f16: overflow gives infinity. fp8 (NaN and infinity give NaN, fnuz has no
/// -0) and f4e2m1 (without a NaN code: NaN gives +6, infinity its sign's 6) saturate at the largest
/// finite value. f32: the bits.
uint32_t encode(DType floatType, float value);

/// As encode for formats under 16 bits, but saturating at +-max, a value of the format, for example
/// 224 for f8e4m3fnuz.
uint32_t encodeUpTo(DType floatType, float value, float max);

/// The value rounded to a format and converted back: `round(x, T)`.
float roundTo(DType floatType, float value);

} // namespace braid::reference
