# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the braid command on arrays, and compares what it gives with what a formula gives."""

import os
import pathlib
import subprocess
import tempfile

import numpy as np

import arithmetic as f


def stored(array, dtype):
    """An operand as .npz files carry it: bf16 as uint16, the rest as it is."""
    return f.bf16_bits(array) if dtype == "bf16" else array


class Braid:
    def __init__(self, command, examples):
        self.command, self.examples = str(command), pathlib.Path(examples)

    def call(self, verb, program, arguments, operands):
        """Results of `braid run` or `braid reference` by name."""
        with tempfile.TemporaryDirectory() as folder:
            given, made = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
            np.savez(given, **operands)
            subprocess.run([self.command, verb, self.examples / f"{program}.braid", *arguments,
                            "--in", given, "--out", made], check=True, stdout=subprocess.DEVNULL)
            with np.load(made) as results:
                return {name: results[name] for name in results}


def differing(found, expected):
    """How many elements differ in their bits; results of the formulas hold no NaN."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        raise ValueError(f"{found.dtype} {found.shape}, expected {expected.dtype} {expected.shape}")
    bits = np.dtype(f"u{found.dtype.itemsize}")
    return int((np.ascontiguousarray(found).view(bits) != np.ascontiguousarray(expected).view(bits)).sum())


# --- pages ----------------------------------------------------------------------------------------------


def fill(pages, slots, page_size, place, values):
    """Puts the bytes of values[token, element] at place(in-page token, element) of the slot's page."""
    values = np.ascontiguousarray(values)
    raw = values.view(np.uint8).reshape(*values.shape, values.dtype.itemsize)
    page, token = slots // page_size, slots % page_size
    element = np.arange(values.shape[1])
    at = place(token[:, None], element[None, :])
    for byte in range(values.dtype.itemsize):
        pages[page[:, None], at + byte] = raw[..., byte]


def linear(dim):
    return lambda t, d: t * dim + d


def tiled16(dim):
    return lambda t, d: t // 16 * (16 * dim) + d // 16 * 256 + t % 16 * 16 + d % 16


def fill_index(pages, slots, layout, codes, scales, page_size=64):
    """Codes and f32 scales of index keys."""
    dim = codes.shape[1]
    fill(pages, slots, page_size, {"linear": linear, "tiled16": tiled16}[layout](dim), codes)
    fill(pages, slots, page_size, lambda t, d: page_size * dim + 4 * t + 0 * d, scales[:, None])
