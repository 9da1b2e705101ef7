#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One cache, two writers: even tokens by dsa_indexer, odd ones by the profile of the unfused chain that
it replaces, which rounds once where dsa_indexer rounds twice. The cache is compared with one that
dsa_indexer fills alone. Exit code: 0 if

- tokens of dsa_indexer's own are equal,
- the scales of a short prompt are equal, and of 20,000 rows those that differ do by a factor of 2,
- dims that are not rotated have equal codes where scales are equal,
- rotated dims are at most one step apart, of the code of the larger element of their pair: a rotation
  may leave little of an element, and its code then differs by several small steps,

else 1.

  check_mixed_writers.py BRAID EXAMPLES
"""

import sys

import numpy as np

import arithmetic as f
from command import Braid, tiled16
from rows import Rows
from steps import pairs

PAGE = 64
PROMPT = 82  # tokens, 41 of them by the second writer: 5,248 codes
WRITERS = [("gfx942", "f8e4m3fnuz", "sglang_rocm_unfused_fnuz"), ("gfx950", "f8e4m3fn", "sglang_rocm_unfused")]


def operands(tokens, positions, seed):
    """GLM-5.2's angles. Each two tokens have one position."""
    rows = Rows(seed)
    pages = 2 * tokens // PAGE + 2
    return {"k": f.bf16_bits(rows.normal(tokens, 128)), "gamma": rows.weights(128), "beta": rows.biases(128),
            "angle": rows.angles(positions, 64, 8e6), "pos": np.arange(tokens) // 2 % positions,
            "slot": rows.slots(tokens, pages * PAGE), "index_k": rows.bytes(pages, PAGE * 132)}


def entries(cache, slots):
    """Codes and scales of the slots in tiles of 16 tokens."""
    page, token = slots // PAGE, slots % PAGE
    codes = cache[page[:, None], tiled16(128)(token[:, None], np.arange(128)[None, :])]
    scales = cache[page[:, None], PAGE * 128 + 4 * token[:, None] + np.arange(4)[None, :]]
    return codes, scales.copy().view(np.float32)[:, 0]


def fill_caches(braid, target, profile, members):
    """What dsa_indexer alone and both writers in turn leave in the slots."""
    def write(program, preset, members):
        arguments = ["--preset", preset, "--target", target, "--outputs", "index_k"]
        return braid.call("reference", program, arguments, members)["index_k"]

    def only(parity, cache):
        slot = np.where(np.arange(len(members["slot"])) % 2 == parity, members["slot"], -1)
        return members | {"slot": slot, "index_k": cache}

    alone = write("dsa_indexer", "glm5_2", members)
    mixed = write("dsa_indexer", "glm5_2", only(0, members["index_k"]))
    mixed = write("indexer_k_profiles", profile, only(1, mixed))
    return entries(alone, members["slot"]), entries(mixed, members["slot"])


def steps_apart(codes, others):
    """Distance of codes along the numbers that they stand for."""
    def place(codes):
        magnitude = (codes & 0x7F).astype(int)
        return np.where(codes & 0x80, -magnitude, magnitude)
    return np.abs(place(codes) - place(others))


def pairs_apart(form, codes, scales, others, other_scales):
    """Distance of rotated elements in steps at the larger element of their pair."""
    value, other = form.values()[codes] * scales[:, None], form.values()[others] * other_scales[:, None]
    first, second = pairs(0, 64, "gptj")
    scale = np.maximum(scales, other_scales)[:, None]
    larger = np.maximum(np.abs(value[:, first]), np.abs(value[:, second]))
    step = form.step(larger / scale) * scale
    return np.maximum(*(np.abs(value - other)[:, part] / step for part in (first, second)))


def check(braid, target, name, profile, tokens, positions, seed):
    alone, mixed = fill_caches(braid, target, profile, operands(tokens, positions, seed))
    own = all((one[0::2] == other[0::2]).all() for one, other in zip(alone, mixed))
    (codes, scales), (others, other_scales) = ([part[1::2] for part in cache] for cache in (alone, mixed))
    same = scales == other_scales
    apart = steps_apart(codes, others)[same]
    paired = pairs_apart(f.FORMATS[name], codes, scales, others, other_scales).max()
    ratios = np.unique(np.maximum(scales, other_scales) / np.minimum(scales, other_scales))
    print(f"{target}, {positions} positions: {profile} differs from dsa_indexer in {int((apart > 0).sum())} of {apart.size} codes, "
          f"in {int((apart > 1).sum())} by more than a step, and in {int((~same).sum())} of {same.size} scales; "
          f"pairs are {paired:g} steps apart at most; own tokens {'equal' if own else 'DIFFER'}")
    scales_good = set(ratios) <= {1, 2} and (same.all() or tokens > PROMPT)
    return own and scales_good and not apart[:, 64:].any() and paired <= 1


def main():
    braid = Braid(*sys.argv[1:3])
    good = [check(braid, *writer, tokens=PROMPT, positions=41, seed=5) for writer in WRITERS]
    good += [check(braid, *writer, tokens=40_000, positions=1 << 14, seed=6) for writer in WRITERS]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
