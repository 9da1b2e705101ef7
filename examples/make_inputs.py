#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the operands of dsa_indexer.braid for a public model, as an .npz file.

The same arguments give the same bytes. Values are made up: heavy-tailed activations with a few
outlier channels, a norm weight near 1, slots of a fragmented cache. Needs numpy only.
"""

import argparse
import dataclasses
import io
import sys
import zipfile

import numpy as np

import angle_tables


@dataclasses.dataclass(frozen=True)
class Model:
    heads: int
    max_positions: int
    inverse_frequencies: np.ndarray
    page_layout: str
    page_size: int = 64
    head_dim: int = 128
    rope_dim: int = 64


MODELS = {
    "deepseek_v32": Model(64, 163840, angle_tables.yarn(64, 1e4, 40, 4096, 32, 1), "linear"),
    "glm5": Model(32, 202752, angle_tables.plain(64, 1e6), "tiled16"),
    "glm5_1": Model(32, 202752, angle_tables.plain(64, 1e6), "tiled16"),
    "glm5_2": Model(32, 1048576, angle_tables.plain(64, 8e6), "tiled16"),
}

LAYOUTS = ("linear", "tiled16", "per_token")
SCALE_BYTES = 4


class Random:
    """Raw 64-bit draws of PCG64, whose stream is fixed, and own distributions on top: numpy's may
    change between versions."""

    def __init__(self, seed):
        self.bits = np.random.PCG64(seed)

    def raw(self, *shape):
        return self.bits.random_raw(int(np.prod(shape))).reshape(shape)

    def uniform(self, *shape):
        return (self.raw(*shape) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def normal(self, *shape):
        """Nearly: the sum of twelve uniforms less six."""
        return self.uniform(12, *shape).sum(axis=0) - 6

    def heavy(self, *shape):
        """Normal times a power of two that is rarely large."""
        tail = np.floor(-np.log2(np.maximum(self.uniform(*shape), 2.0**-20)) / 3)
        return self.normal(*shape) * np.exp2(tail)

    def order(self, count):
        return np.argsort(self.raw(count), kind="stable")

    def bytes(self, *shape):
        return (self.raw(*shape) >> np.uint64(56)).astype(np.uint8)


def bf16(values):
    """The bits of bf16 as uint16, rounded to nearest even."""
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def with_outlier_channels(random, values):
    channels = random.order(values.shape[-1])[:4]
    values[..., channels] *= 16
    return values


def slots_and_pages(random, live, padding, page_size):
    """Four requests with pages of their own, each begun in the middle of a page: tokens follow one
    another inside a page, the pages come in any order, and half of the cache stays unused."""
    lengths = [len(part) for part in np.array_split(np.arange(live), 4)]
    starts = (random.raw(4) % np.uint64(page_size)).astype(np.int64)
    used = [-(-(start + length) // page_size) for start, length in zip(starts, lengths)]
    pages = 2 * int(sum(used)) + 1
    order = random.order(pages)
    slots, first = [], 0
    for start, length, count in zip(starts, lengths, used):
        place = start + np.arange(length)
        slots.append(order[first + place // page_size] * page_size + place % page_size)
        first += count
    return np.concatenate([*slots, np.full(padding, -1)]).astype(np.int64), pages


def positions(random, live, padding, rows):
    inside = (random.raw(live) % np.uint64(rows)).astype(np.int64)
    rubbish = np.resize(np.array([-1, 2**62, rows, -7, -(2**63), 10**9], dtype=np.int64), padding)
    return np.concatenate([inside, rubbish])


def operands(model, tokens, padding, seed, rows, page_size):
    """The members in the order of the program's signature."""
    random = Random(seed)
    slot, pages = slots_and_pages(random, tokens - padding, padding, page_size)
    page_bytes = page_size * (model.head_dim + SCALE_BYTES)
    return {
        "q": bf16(with_outlier_channels(random, random.heavy(tokens, model.heads, model.head_dim))),
        "k": bf16(with_outlier_channels(random, random.heavy(tokens, model.head_dim))),
        "gate": bf16(random.normal(tokens, model.heads)),
        "gamma": (1 + 0.1 * random.normal(model.head_dim)).astype(np.float32),
        "beta": (0.02 * random.normal(model.head_dim)).astype(np.float32),
        "angle": angle_tables.joined(model.inverse_frequencies, rows),
        "pos": positions(random, tokens - padding, padding, rows),
        "slot": slot,
        "index_k": random.bytes(pages, page_bytes),
    }


def write_npz(path, members):
    """As numpy.savez, but with a fixed time stamp in each entry."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in members.items():
            data = io.BytesIO()
            np.lib.format.write_array(data, np.ascontiguousarray(array), version=(1, 0))
            archive.writestr(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), data.getvalue())


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=sorted(MODELS), help="whose shapes and angle table")
    parser.add_argument("--tokens", type=int, default=64, help="rows, padding included (default 64)")
    parser.add_argument("--padding", type=int, default=0, help="padding rows at the end: slot -1, rubbish positions")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", metavar="FILE.npz")
    parser.add_argument("--max-positions", type=int, help="rows of the angle table (default: the model's, at most 8192)")
    parser.add_argument("--page-size", type=int, help="tokens of a page (default: the preset's)")
    parser.add_argument("--page-layout", choices=LAYOUTS, help="(default: the preset's)")
    parser.add_argument("--check", action="store_true", help="compare the angle tables with published values")
    arguments = parser.parse_args()
    if not arguments.check and not (arguments.model and arguments.out):
        parser.error("--model and --out are needed, or --check")
    if bool(arguments.model) != bool(arguments.out):
        parser.error("--model and --out go together")
    if arguments.tokens < 0 or not 0 <= arguments.padding <= arguments.tokens:
        parser.error("--padding is between 0 and --tokens")
    if arguments.seed < 0:
        parser.error("--seed is 0 or more")
    return parser, arguments


def main():
    parser, arguments = parse_arguments()
    if arguments.check and not angle_tables.check(print):
        print("error: an angle table differs from the published values", file=sys.stderr)
        return 1
    if not arguments.model:
        return 0
    model = MODELS[arguments.model]
    rows = min(model.max_positions, 8192) if arguments.max_positions is None else arguments.max_positions
    page_size = model.page_size if arguments.page_size is None else arguments.page_size
    if not 1 <= rows <= model.max_positions:
        parser.error(f"--max-positions is between 1 and {model.max_positions} for {arguments.model}")
    if page_size < 1 or ((arguments.page_layout or model.page_layout) == "tiled16" and page_size % 16):
        parser.error("--page-size is 1 or more, and a multiple of 16 for tiled16")
    members = operands(model, arguments.tokens, arguments.padding, arguments.seed, rows, page_size)
    write_npz(arguments.out, members)
    return 0


if __name__ == "__main__":
    sys.exit(main())
