#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a peer's own arithmetic is from its profile: each formula as declared, and with one step as
the peer's machine does it, over 100,000 rows. Prints the table of docs/profiles.md.

  differences.py                     the table
  differences.py --check PROFILES.md exit code 1 if that file has another table
"""

import sys

import numpy as np

import arithmetic as f
import page_table
import profiles
import steps
from arithmetic import F32
from check_mixed_writers import steps_apart
from rows import Rows
from steps import Declared

ROWS, BLOCK, POSITIONS = 100_000, 2_000, 4096


# --- steps as other machines do them --------------------------------------------------------------------


class WaveSums(Declared):
    """Two waves of 64 lanes, each folded in halves, then both."""

    @staticmethod
    def sum(x):
        x = x.reshape(*x.shape[:-1], 2, 64)
        while x.shape[-1] > 1:
            x = x[..., : x.shape[-1] // 2] + x[..., x.shape[-1] // 2:]
        return x[..., 0, 0] + x[..., 1, 0]


class LaneSums(Declared):
    """32 lanes of 4 elements, added in order, then folded in halves."""

    @staticmethod
    def sum(x):
        x = x.reshape(*x.shape[:-1], 32, 4)
        x = ((x[..., 0] + x[..., 1]) + x[..., 2]) + x[..., 3]
        while x.shape[-1] > 1:
            x = x[..., : x.shape[-1] // 2] + x[..., x.shape[-1] // 2:]
        return x[..., 0]


class RoundedOnce(Declared):
    """1 / sqrt(x) with one rounding: the best that an instruction can give."""

    @staticmethod
    def reciprocal_sqrt(x):
        return (1 / np.sqrt(x.astype(np.float64))).astype(F32)


class OneUlpHigh(Declared):
    """1 / sqrt(x) a unit in the last place too large: the worst that its description allows."""

    @staticmethod
    def reciprocal_sqrt(x):
        return np.nextafter((1 / np.sqrt(x.astype(np.float64))).astype(F32), F32(np.inf))


class WaveSumsRoundedOnce(WaveSums):
    reciprocal_sqrt = staticmethod(RoundedOnce.reciprocal_sqrt)


class Uncontracted(Declared):
    """Products and sums rounded by themselves."""

    @staticmethod
    def rotate(first, second, cos, sin):
        return first * cos - second * sin, second * cos + first * sin

    @staticmethod
    def weigh(x, gamma, beta):
        return x * gamma + beta


class OtherProduct(Declared):
    """The other product of each sum is the fused one."""

    @staticmethod
    def rotate(first, second, cos, sin):
        return f.fma(-second, sin, first * cos), f.fma(first, sin, second * cos)


class ApproximateReciprocal(Declared):
    """1 / s a unit in the last place too large, as rcp.approx may give it."""

    @staticmethod
    def reciprocal(x):
        return np.nextafter(F32(1) / x, F32(np.inf))


class FarButterflies(Declared):
    """The transform from stride 64 down."""

    @staticmethod
    def hadamard(x, scale):
        return steps.hadamard(x, scale, [64, 32, 16, 8, 4, 2, 1])


class Logarithm(Declared):
    """exp2(ceil(log2(amax / max))) in f32, the logarithm rounded correctly."""

    @staticmethod
    def power_of_two_scale(amax, largest):
        ratio = amax / F32(largest)
        return np.exp2(np.ceil(np.log2(ratio.astype(np.float64)).astype(F32))).astype(F32)


# --- counting -------------------------------------------------------------------------------------------


def blocks(side, heads, style):
    """Operands of ROWS rows, a block at a time."""
    for seed in range(ROWS // BLOCK):
        rows = Rows(seed)
        if side == "k":
            turn = rows.angles(POSITIONS, 64)[rows.positions(BLOCK, POSITIONS)]
            yield rows.activations(BLOCK, 128), rows.weights(128), rows.biases(128), turn, style
        else:
            tokens = BLOCK // heads
            turn = rows.angles(POSITIONS, 64)[rows.positions(tokens, POSITIONS)][:, None]
            yield rows.activations(tokens, heads, 128), f.bf16(rows.normal(tokens, heads)), turn, style


def count(formula, side, style, other, name="f8e4m3fn", heads=20):
    """Codes and scales (of queries: gates) that differ, and the largest distance of codes."""
    counts, totals, furthest = np.zeros(2, int), np.zeros(2, int), 0
    for operands in blocks(side, heads, style):
        own, others = formula(*operands, name), other(*operands, name)
        counts += [int((a != b).sum()) for a, b in zip(own, others)]
        totals += [a.size for a in own]
        furthest = max(furthest, int(steps_apart(own[0], others[0]).max()))
    return counts, totals, furthest


def with_step(formula, variant):
    if variant is None:  # the one that is no step of the arithmetic
        return lambda *operands: formula(*operands, first_product=lambda gate: gate)
    return lambda *operands: formula(*operands, a=variant())


CASES = [
    ("AITER keys: sums by waves", profiles.aiter_k, "k", "neox", WaveSums),
    ("AITER keys: 1/sqrt rounded once", profiles.aiter_k, "k", "neox", RoundedOnce),
    ("AITER keys: 1/sqrt an ulp high", profiles.aiter_k, "k", "neox", OneUlpHigh),
    ("AITER keys: sums by waves, 1/sqrt rounded once", profiles.aiter_k, "k", "neox", WaveSumsRoundedOnce),
    ("AITER keys: no contraction", profiles.aiter_k, "k", "neox", Uncontracted),
    ("AITER keys: power of two by log2", profiles.aiter_k, "k", "neox", Logarithm),
    ("SGLang keys (CUDA): sums by lanes", profiles.sglang_k, "k", "gptj", LaneSums),
    ("SGLang keys (CUDA): 1/s an ulp high", profiles.sglang_k, "k", "gptj", ApproximateReciprocal),
    ("vLLM queries: no contraction", profiles.vllm_q, "q", "neox", Uncontracted),
    ("vLLM queries: the other product fused", profiles.vllm_q, "q", "neox", OtherProduct),
    ("SGLang queries (CUDA): no contraction", profiles.sglang_q, "q", "gptj", Uncontracted),
    ("SGLang queries (CUDA): 1/s an ulp high", profiles.sglang_q, "q", "gptj", ApproximateReciprocal),
    ("DeepSeek queries: complex product without contraction", profiles.deepseek_q, "q", "neox", Uncontracted),
    ("DeepSeek queries: butterflies from far to near", profiles.deepseek_q, "q", "neox", FarButterflies),
    ("SGLang gates (ROCm, unfused): first product in f32", profiles.sglang_rocm_unfused_q, "q", "gptj", None),
]


def table():
    yield "| step | codes that differ | scales or gates that differ | furthest, in steps |"
    yield "|---|---|---|---|"
    for title, formula, side, style, variant in CASES:
        counts, totals, furthest = count(formula, side, style, with_step(formula, variant))
        yield (f"| {title} | {counts[0]:,} of {totals[0]:,} | {counts[1]:,} of {totals[1]:,} | {furthest} |")


# Facts about scales that need no rows.


def scale_facts():
    finite = f.from_bf16(np.arange(1, 0x7F80, dtype=np.uint16))
    usual = finite[(finite >= 1e-10) & (finite < 2.0**100)]
    for largest in (448, 240, 224):
        bits = f.power_of_two_scale(usual, largest)
        by_log = Logarithm.power_of_two_scale(usual, largest)
        yield f"- log2 and bits: {int((bits != by_log).sum())} of {usual.size:,} bf16 magnitudes have another scale, max {largest}."
    for largest in (448, 240, 224):
        edges = np.array([largest * 2.0**k for k in range(-30, 31)], F32)
        above = edges[:, None].view(np.uint32) + np.arange(1, 65, dtype=np.uint32)
        above = above.view(F32)
        short = f.power_of_two_scale(above, largest) != Logarithm.power_of_two_scale(above, largest)
        yield (f"- log2 and bits: of the f32 right above {largest} * 2^k, k = -30 .. 30, at most {int(short.sum(axis=1).max())} "
               f"an edge get half the scale, {int(short.sum())} in all.")
    mantissas = f.from_bf16(np.arange(0x3F80, 0x4000, dtype=np.uint16))
    other = f.power_of_two_scale(mantissas, 240) != f.power_of_two_scale(mantissas, 224)
    yield f"- max 240 and 224: another scale for {int(other.sum())} of 128 bf16 mantissas."
    divided, multiplied = usual / F32(448), usual * F32(1 / 448)
    yield f"- amax / 448 and amax * (1/448): {int((divided != multiplied).sum()):,} of {usual.size:,} bf16 magnitudes have another f32 scale."


def report():
    return "\n".join([*table(), "", *scale_facts()])


if __name__ == "__main__":
    sys.exit(page_table.main(report()))
