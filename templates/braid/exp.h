// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp(x), the one implementation that kernels and the reference share: its bits are part of the
// language. With k = round(x * log2(e)) and r = x - k * ln(2) by two fused steps, |r| <= 0.3467:
// exp(x) = p(r) * 2^k, p a polynomial of degree 6 within 2^-28 of exp, relative. The power of two
// is applied in two factors, the second of which rounds once where the result is subnormal. Over
// all f32 the result is within 0.90 units in the last place of the true value, subnormal ones too;
// exp(NaN) = NaN, exp(-inf) = +0, exp(inf) = inf, exp(+-0) = 1.
#pragma once
#include "braid/device.h"

namespace braid {

BRAID_DEVICE f32 expOf(f32 x) {
  // Past these bounds the factors give 0 and infinity; NaN passes both comparisons by.
  const f32 above = x < -104.0f ? -104.0f : x;
  const f32 bounded = above > 89.0f ? 89.0f : above;
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
  constexpr f32 kRounder = 0x1.8p23f;
  const f32 rounded = mulAdd(bounded, 0x1.715476p0f, kRounder);
  const f32 k = rounded - kRounder;
  // The first part of ln(2) has few bits, so that k times it is exact.
  f32 r = mulAdd(k, -0x1.62e4p-1f, bounded);
  r = mulAdd(k, -0x1.7f7d1cp-20f, r);
  f32 p = 0x1.6a23dp-10f;
  p = mulAdd(p, r, 0x1.123a2p-7f);
  p = mulAdd(p, r, 0x1.5558f2p-5f);
  p = mulAdd(p, r, 0x1.555492p-3f);
  p = mulAdd(p, r, 0x1.fffffcp-2f);
  p = mulAdd(p, r, 1.0f);
  p = mulAdd(p, r, 1.0f);
  const u32 exponent = bitsOf(rounded) - 0x4b400000u;
  const u32 half = static_cast<u32>(static_cast<i32>(exponent) >> 1);
  return p * floatOf((half + 127) << 23) * floatOf((exponent - half + 127) << 23);
}

} // namespace braid
