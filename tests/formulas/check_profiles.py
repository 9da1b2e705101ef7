#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A profile against its peer's formula, byte by byte, over 100,000 rows of the reference and a few of
generated code. Exit code: 0 nothing differs, 1 something does.

  check_profiles.py BRAID EXAMPLES PROFILE [--rows N]
"""

import argparse
import functools
import sys

import numpy as np

import arithmetic as f
import profiles
from command import Braid, differing, fill_index, stored
from rows import Rows

POSITIONS, PAGE = 4096, 64
EMULATED_TOKENS = 37

deepseek_f32_q = functools.partial(profiles.deepseek_q, rule="f32_reciprocal")
deepseek_f32_k = functools.partial(profiles.deepseek_k, rule="f32_reciprocal")


class Profile:
    """A preset of the library, and the formulas of its queries and keys (either may be missing)."""

    def __init__(self, style, name, q=None, k=None, layout="tiled16", heads=64, program=None):
        self.style, self.name, self.layout, self.heads, self.program = style, name, layout, heads, program
        self.formulas = {"q": q, "k": k}

    def target(self):
        return "gfx942" if self.name == "f8e4m3fnuz" else "gfx950"


FN, FNUZ = "f8e4m3fn", "f8e4m3fnuz"
PROFILES = {
    "aiter": Profile("neox", FN, profiles.aiter_q, profiles.aiter_k),
    "aiter_fnuz": Profile("neox", FNUZ, profiles.aiter_q, profiles.aiter_k),
    "vllm_q": Profile("neox", FN, profiles.vllm_q),
    "vllm_q_fnuz": Profile("neox", FNUZ, profiles.vllm_q),
    "vllm_k": Profile("neox", FN, None, profiles.vllm_k, "linear"),
    "vllm_k_fnuz": Profile("neox", FNUZ, None, profiles.vllm_k),
    "sglang_q": Profile("gptj", FN, profiles.sglang_q, heads=32),
    "sglang_k": Profile("gptj", FN, None, profiles.sglang_k, "linear"),
    "sglang_rocm_unfused": Profile("gptj", FN, profiles.sglang_rocm_unfused_q, profiles.sglang_rocm_unfused_k, heads=32),
    "sglang_rocm_unfused_fnuz": Profile("gptj", FNUZ, profiles.sglang_rocm_unfused_q, profiles.sglang_rocm_unfused_k, heads=32),
    "vllm_rocm_unfused": Profile("neox", FN, profiles.vllm_rocm_unfused_q, profiles.vllm_k),
    "vllm_rocm_unfused_fnuz": Profile("neox", FNUZ, profiles.vllm_rocm_unfused_q, profiles.vllm_k),
    "deepseek_ref": Profile("neox", FN, profiles.deepseek_q, profiles.deepseek_k, "linear", program="indexer_reference"),
    "deepseek_ref_f32": Profile("neox", FN, deepseek_f32_q, deepseek_f32_k, "linear", program="indexer_reference"),
}


def in_blocks(formula, rows, arrays, *constants):
    """The formula on `rows` tokens at a time: arrays of a few MB need no new pages from the system."""
    count = len(arrays[0])
    parts = [formula(*(array[at:at + rows] for array in arrays), *constants) for at in range(0, count, rows)]
    return [np.concatenate(results) for results in zip(*parts)]


def queries(profile, tokens, heads, seed):
    """Operands as arrays of numbers, and what the formula makes of them."""
    rows = Rows(seed)
    operands = {"q": rows.activations(tokens, heads, 128), "gate": f.bf16(rows.normal(tokens, heads)),
                "angle": rows.angles(POSITIONS, 64), "pos": rows.positions(tokens, POSITIONS)}
    angle = operands["angle"][operands["pos"]][:, None]
    codes, gates = in_blocks(profile.formulas["q"], 2048 // heads, (operands["q"], operands["gate"], angle),
                             profile.style, profile.name)
    return operands, {"q8": codes, "w": gates}


def keys(profile, tokens, _, seed):
    rows = Rows(seed)
    pages = 2 * tokens // PAGE + 2
    operands = {"k": rows.activations(tokens, 128), "gamma": rows.weights(128), "beta": rows.biases(128),
                "angle": rows.angles(POSITIONS, 64), "pos": rows.positions(tokens, POSITIONS),
                "slot": rows.slots(tokens, pages * PAGE), "index_k": rows.bytes(pages, PAGE * 132)}
    angle = operands["angle"][operands["pos"]]
    def formula(k, angle):
        return profile.formulas["k"](k, operands["gamma"], operands["beta"], angle, profile.style, profile.name)

    codes, scales = in_blocks(formula, 2048, (operands["k"], angle))
    cache = operands["index_k"].copy()
    fill_index(cache, operands["slot"], profile.layout, codes, scales, PAGE)
    return operands, {"index_k": cache}


def compare(braid, preset, side, rows):
    """Counts of elements that differ, by the part of Braid that ran."""
    profile, make = PROFILES[preset], {"q": queries, "k": keys}[side]
    program = profile.program or f"indexer_{side}_profiles"
    # Gates are multiplied in another order where a constant is no power of two: other heads show it.
    for heads in [profile.heads, 24] if side == "q" else [0]:
        per_token = heads or 1
        wanted = rows if heads in (0, profile.heads) else rows // 10
        for verb, tokens in [("reference", -(-wanted // per_token)), ("run", EMULATED_TOKENS)]:
            operands, expected = make(profile, tokens, heads, seed=tokens + heads)
            bf16 = {"q", "k", "gate"}
            members = {name: stored(array, "bf16" if name in bf16 else "") for name, array in operands.items()}
            settings = ["--set", f"heads={heads}"] if heads else []
            found = braid.call(verb, program, ["--preset", preset, "--target", profile.target(), *settings,
                                               "--outputs", ",".join(expected)], members)
            counts = {name: differing(found[name], expected[name]) for name in expected}
            sizes = {name: expected[name].size for name in expected}
            shape = f"{tokens} tokens" + (f" of {heads} heads" if heads else "")
            print(f"{preset}, {side}, {verb}, {shape}: " +
                  ", ".join(f"{counts[name]} of {sizes[name]} differ in {name}" for name in expected))
            yield sum(counts.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("braid")
    parser.add_argument("examples")
    parser.add_argument("profile", choices=PROFILES)
    parser.add_argument("--rows", type=int, default=100_000, help="of the reference (default 100,000)")
    arguments = parser.parse_args()
    braid = Braid(arguments.braid, arguments.examples)
    sides = [side for side, formula in PROFILES[arguments.profile].formulas.items() if formula]
    return 1 if sum(count for side in sides for count in compare(braid, arguments.profile, side, arguments.rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
