#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two .npz files of results bit for bit; any NaN equals any NaN where the type is known.

float32 and float16 are known from the file; bf16 and fp8, which files carry as integers, from the
metadata that `braid compile` writes (--meta). Everything else, caches too, is compared as bytes.
Exit code: 0 equal, 1 different, 3 a file cannot be read.
"""

import argparse
import json
import sys

import numpy as np


def nan_codes(dtype, codes):
    """Where the integer codes of a type are NaN."""
    if dtype == "bf16":
        return codes & 0x7FFF > 0x7F80
    if dtype == "f8e4m3fn":
        return codes & 0x7F == 0x7F
    if dtype in ("f8e4m3fnuz", "f8e5m2fnuz"):
        return codes == 0x80
    if dtype == "f8e5m2":
        return codes & 0x7F > 0x7C
    if dtype == "e8m0":
        return codes == 0xFF
    return np.zeros(codes.shape, bool)


def differing(found, expected, dtype):
    """A mask of the elements that differ."""
    if found.dtype.kind == "f":
        bits = found.dtype.str.replace("f", "u")
        nans = np.isnan(found) & np.isnan(expected)
        return (found.view(bits) != expected.view(bits)) & ~nans
    return (found != expected) & ~(nan_codes(dtype, found) & nan_codes(dtype, expected))


def compare_member(name, found, expected, dtype):
    """Nothing where the member is equal, else what differs."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{name}: {found.dtype} {found.shape}, expected {expected.dtype} {expected.shape}"
    mask = differing(found, expected, dtype)
    count = int(mask.sum())
    if count == 0:
        return None
    index = tuple(int(i) for i in np.argwhere(mask)[0])
    return f"{name}: {count} of {mask.size} differ, first at {list(index)}: {found[index]}, expected {expected[index]}"


def types_of(meta_path):
    with open(meta_path, encoding="utf-8") as file:
        meta = json.load(file)
    return {operand["name"]: operand.get("dtype") for operand in meta["operands"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("found")
    parser.add_argument("expected")
    parser.add_argument("--meta", metavar="FILE.json", help="element types of the tensors")
    parser.add_argument("--label", default="", help="what the verdict line begins with")
    arguments = parser.parse_args()
    try:
        types = types_of(arguments.meta) if arguments.meta else {}
        found, expected = np.load(arguments.found), np.load(arguments.expected)
        names = sorted(set(found) | set(expected))
        problems, values = [], 0
        for name in names:
            if name not in found or name not in expected:
                problems.append(f"{name}: only in {arguments.found if name in found else arguments.expected}")
                continue
            problem = compare_member(name, found[name], expected[name], types.get(name))
            problems += [problem] if problem else []
            values += expected[name].size
    except (OSError, ValueError, KeyError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    if not names:
        problems.append("both files are empty")
    verdict = "different" if problems else f"equal, bit for bit ({', '.join(names)}: {values} values)"
    print(f"{arguments.label}{': ' if arguments.label else ''}{verdict}")
    for problem in problems:
        print(f"  {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
