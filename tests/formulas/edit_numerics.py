#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a Hadamard transform between rotation and codes does to the products of queries and keys that
the indexer ranks by: the error of products of decoded rows against those of the rows themselves, with
and without it. Prints the table of docs/editing-a-kernel.md.

  edit_numerics.py                 the table
  edit_numerics.py --check FILE.md exit code 1 if that file has another table
"""

import sys

import numpy as np

import arithmetic as f
import page_table
import steps
from rows import Rows

FORM = f.FORMATS["f8e4m3fn"]
ROWS = 4096


def decoded(x, transform):
    """What codes and scales of the rows stand for."""
    x = steps.hadamard(x, 128**-0.5) if transform else x
    scale = f.power_of_two_scale(steps.amax(x, 1e-4), FORM.largest)
    return FORM.values()[steps.multiplied(x, scale, "f8e4m3fn")] * scale[:, None]


def error(q, k, transform):
    """Root mean square error of the products, in units of the lengths' product over sqrt(dim)."""
    exact = np.einsum("rd,rd->r", q.astype(float), k.astype(float))
    found = np.einsum("rd,rd->r", decoded(q, transform), decoded(k, transform))
    unit = np.linalg.norm(q.astype(float), axis=1) * np.linalg.norm(k.astype(float), axis=1) / 128**0.5
    return np.sqrt(np.mean(((found - exact) / unit) ** 2))


def operands():
    rows = Rows(3)
    plain = f.bf16(rows.normal(ROWS, 128)), f.bf16(rows.normal(ROWS, 128))
    yield "normal", *plain
    yield "4 channels of both 16 times larger", *(with_outliers(x, 16) for x in plain)
    yield "4 channels of both 64 times larger", *(with_outliers(x, 64) for x in plain)


def with_outliers(x, factor):
    x = x.copy()
    x[:, [3, 40, 77, 101]] *= f.F32(factor)
    return f.bf16(x)


def report():
    lines = ["| rows | without | with `hadamard` |", "|---|---|---|"]
    for title, q, k in operands():
        lines.append(f"| {title} | {error(q, k, False):.4f} | {error(q, k, True):.4f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(page_table.main(report()))
