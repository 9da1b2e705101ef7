# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inverse frequencies of rotary tables, in double precision, and published check values.

Three rules: plain theta, YaRN, and the scaling of Llama 3. The factor that YaRN puts on cos and sin
is 1 for every model here: in DeepSeek-V3.2 and Kimi-K2 mscale and mscale_all_dim cancel, and
DeepSeek-V4 forces it.
"""

import math

import numpy as np


def plain(dims, theta):
    """theta^(-2i/dims) for the pairs i = 0 .. dims/2 - 1."""
    return theta ** (-np.arange(0, dims, 2, dtype=np.float64) / dims)


def yarn_ramp(dims, theta, original, beta_fast, beta_slow):
    """First and last pair of the ramp from unchanged to fully scaled frequencies."""

    def pair_of(rotations):
        return dims * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(theta))

    low = max(math.floor(pair_of(beta_fast)), 0)
    high = min(math.ceil(pair_of(beta_slow)), dims - 1)
    return low, high


def yarn(dims, theta, factor, original, beta_fast, beta_slow):
    low, high = yarn_ramp(dims, theta, original, beta_fast, beta_slow)
    pairs = np.arange(dims // 2, dtype=np.float64)
    ramp = np.clip((pairs - low) / max(high - low, 1e-3), 0, 1)
    base = plain(dims, theta)
    return base / factor * ramp + base * (1 - ramp)


def llama3(dims, theta, factor, low, high, original):
    """Wavelengths over original/low are stretched by factor, those under original/high are kept."""
    base = plain(dims, theta)
    rotations = original * base / (2 * math.pi)
    keep = np.clip((rotations - low) / (high - low), 0, 1)
    return base / factor * (1 - keep) + base * keep


def joined(inverse_frequencies, positions):
    """float32 [positions, dims]: the cosines, then the sines, computed in double, rounded once."""
    angles = np.arange(positions, dtype=np.float64)[:, None] * inverse_frequencies[None, :]
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


# name, rule, its arguments, ramp (YaRN only), pairs and their inverse frequencies
CHECKS = [
    ("DeepSeek-V3.2", yarn, (64, 1e4, 40, 4096, 32, 1), (10, 23),
     {0: 1, 8: 0.1, 16: 5.5e-3, 24: 2.5e-5, 31: 3.333804e-6}),
    ("DeepSeek-V4, compressed layers", yarn, (64, 1.6e5, 16, 65536, 32, 1), (15, 25),
     {0: 1, 8: 5e-2, 16: 2.265625e-3, 24: 1.953125e-5, 31: 5.680529e-7}),
    ("Kimi-K2-Instruct", yarn, (64, 5e4, 32, 4096, 1, 1), (19, 20),
     {0: 1, 8: 6.687403e-2, 16: 4.472136e-3, 24: 9.345930e-6, 31: 8.764413e-7}),
    ("Kimi-K2.5", yarn, (64, 5e4, 64, 4096, 1, 1), (19, 20),
     {0: 1, 8: 6.687403e-2, 16: 4.472136e-3, 24: 4.672965e-6, 31: 4.382206e-7}),
    ("Llama-3.1", llama3, (128, 5e5, 8, 1, 4, 8192), None,
     {0: 1, 28: 3.211446e-3, 32: 5.248462e-4, 36: 7.784655e-5, 63: 3.068926e-7}),
]


def equal_to_six_digits(value, published):
    return abs(value - published) <= 5e-7 * published


def check(report):
    """Compares every table with its published values, to six digits; True if all agree."""
    good = True
    for name, rule, arguments, ramp, expected in CHECKS:
        table = rule(*arguments)
        if ramp is not None:
            dims, theta, _, original, beta_fast, beta_slow = arguments
            found = yarn_ramp(dims, theta, original, beta_fast, beta_slow)
            same = found == ramp
            good &= same
            report(f"{name}: ramp {found[0]}..{found[1]}" + ("" if same else f", expected {ramp[0]}..{ramp[1]}"))
        for pair, value in expected.items():
            same = equal_to_six_digits(table[pair], value)
            good &= same
            report(f"{name}: pair {pair:2} {table[pair]:.6e}" + ("" if same else f", expected {value:.6e}"))
    # Llama 3 gives the edges of its middle band instead of a ramp.
    kept, scaled = plain(128, 5e5), llama3(128, 5e5, 8, 1, 4, 8192)
    first_changed = int(np.argmax(scaled != kept))
    fully_scaled = int(np.argmax(scaled == kept / 8))
    same = (first_changed, fully_scaled) == (29, 35)
    report(f"Llama-3.1: changed from pair {first_changed}, fully scaled from {fully_scaled}"
           + ("" if same else ", expected 29 and 35"))
    return good and same
