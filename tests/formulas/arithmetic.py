# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""f32 arithmetic on numpy arrays, one IEEE operation each, and what numpy lacks: fused multiply-add,
bf16, narrow float codes, the declared order of a sum. Written from docs/semantics.md; it shares no
code with Braid.

Rows lie on the last axis. Values are float32 arrays, bf16 values too.
"""

import numpy as np

F32 = np.float32


def fma(a, b, c):
    """a * b + c, rounded once. In double the product is exact; the sum is rounded to odd, which a
    second rounding, to float32, cannot spoil."""
    product = np.multiply(a, b, dtype=np.float64)
    c = np.asarray(c, np.float64)
    total = product + c
    back = total - product
    error = (product - (total - back)) + (c - back)
    bits = total.view(np.uint64)
    # Where the sum was rounded away from zero, the number next to it towards zero was cut off.
    away = (error != 0) & ((error > 0) == (total < 0))
    bits = bits - away.astype(np.uint64)
    odd = np.where(error != 0, bits | np.uint64(1), bits)
    return odd.view(np.float64).astype(F32)


def bf16_bits(x):
    """Nearest even; for numbers."""
    bits = np.ascontiguousarray(x, F32).view(np.uint32)
    return ((bits + (np.uint32(0x7FFF) + (bits >> 16 & 1))) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(F32)


def bf16(x):
    return from_bf16(bf16_bits(x))


def tree_sum(x):
    """Neighbours, then neighbours of the sums; rows of more than 2,048 in strips first."""
    n = x.shape[-1]
    if n > 2048:
        strips = -(-n // 2048)
        x = pad(x, strips * 2048).reshape(*x.shape[:-1], strips, 2048)
        total = x[..., 0, :]
        for i in range(1, strips):
            total = total + x[..., i, :]
        x = total
    x = pad(x, 1 << (x.shape[-1] - 1).bit_length())
    while x.shape[-1] > 1:
        x = x[..., 0::2] + x[..., 1::2]
    return x[..., 0]


def pad(x, length):
    """The row with zeros behind it."""
    return np.concatenate([x, np.zeros((*x.shape[:-1], length - x.shape[-1]), F32)], axis=-1)


def power_of_two_scale(amax, largest):
    """The least power of two s with largest * s >= amax."""
    mantissa, exponent = np.frexp(amax.astype(np.float64) / largest)
    return np.ldexp(1.0, exponent - (mantissa == 0.5)).astype(F32)


class Format:
    """A sign, an exponent, `mantissa` bits. Without a negative zero (fnuz) its code is the only NaN."""

    def __init__(self, mantissa, bias, largest, nan, width=8):
        self.mantissa, self.bias, self.largest, self.nan = mantissa, bias, F32(largest), nan
        self.sign = 1 << (width - 1)
        self.negative_zero = nan != 0x80

    def encode(self, x):
        """Codes of float32 numbers: nearest even, at most the largest."""
        nan = np.isnan(x)
        magnitude = np.minimum(np.abs(np.where(nan, 0, x)).astype(np.float64), self.largest)
        lowest = 1 - self.bias  # exponent of the least normal number
        _, exponent = np.frexp(np.maximum(magnitude, np.ldexp(1.0, lowest)))
        step = exponent - 1 - self.mantissa
        units = np.rint(np.ldexp(magnitude, -step))  # of 2^step; may carry into the next binade
        # Codes count: a binade has 2^mantissa of them, and subnormals come before the first.
        code = units + np.ldexp(1.0, self.mantissa) * (step + self.mantissa - lowest)
        code = code.astype(np.uint8)
        negative = np.signbit(x) & (self.negative_zero | (code != 0))
        code = code | negative.astype(np.uint8) * np.uint8(self.sign)
        return np.where(nan, np.uint8(self.nan), code) if self.nan is not None else code


    def values(self):
        """What each code stands for."""
        code = np.arange(2 * self.sign)
        exponent, fraction = code % self.sign >> self.mantissa, code & ((1 << self.mantissa) - 1)
        normal = exponent > 0
        magnitude = np.ldexp(fraction + (normal << self.mantissa), np.maximum(exponent, 1) - self.bias - self.mantissa)
        magnitude[magnitude > self.largest] = np.nan
        value = np.where(code & self.sign, -magnitude, magnitude)
        if self.nan is not None:
            value[self.nan] = np.nan
        return value

    def step(self, value):
        """The distance of neighbouring codes where `value` lies."""
        _, exponent = np.frexp(np.maximum(np.abs(value), np.ldexp(1.0, 1 - self.bias)))
        return np.ldexp(1.0, exponent - 1 - self.mantissa)


FORMATS = {
    "f8e4m3fn": Format(3, 7, 448, 0x7F),
    "f8e4m3fnuz": Format(3, 8, 240, 0x80),
    "f8e5m2": Format(2, 15, 57344, 0x7F),
    "f8e5m2fnuz": Format(2, 16, 57344, 0x80),
    "f4e2m1": Format(1, 1, 6, None, width=4),
}


def exp(x):
    """The language's exp, whose bits are by definition those of these steps and constants."""
    rounder, x = F32(float.fromhex("0x1.8p23")), np.clip(x, F32(-104), F32(89))
    rounded = fma(x, F32(float.fromhex("0x1.715476p0")), rounder)
    k = rounded - rounder
    r = fma(k, F32(float.fromhex("-0x1.62e4p-1")), x)
    r = fma(k, F32(float.fromhex("-0x1.7f7d1cp-20")), r)
    p = np.full_like(r, float.fromhex("0x1.6a23dp-10"))
    for factor in ("0x1.123a2p-7", "0x1.5558f2p-5", "0x1.555492p-3", "0x1.fffffcp-2", "0x1p0", "0x1p0"):
        p = fma(p, r, F32(float.fromhex(factor)))
    half = np.floor(k / 2).astype(np.int32)
    with np.errstate(over="ignore"):
        return p * np.ldexp(F32(1), half) * np.ldexp(F32(1), k.astype(np.int32) - half)
