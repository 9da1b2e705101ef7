#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of examples/ against its second implementation, on both flavours of fp8: the reference and
generated code. Exit code: 0 no byte differs, 1 some do.

  check_kernels.py BRAID EXAMPLES KERNEL [--tokens N]
"""

import argparse
import sys

import kernels
from command import Braid, differing
from rows import Rows

FLAVOURS = {"gfx942": "f8e4m3fnuz", "gfx950": "f8e4m3fn"}
EMULATED_TOKENS = 7


def compare(braid, formula, tokens):
    program, preset = kernels.CASES[formula]
    for target, name in FLAVOURS.items():
        for verb, count in [("reference", tokens), ("run", EMULATED_TOKENS)]:
            operands, expected = formula(Rows(count), count, name)
            found = braid.call(verb, program, ["--kernel", formula.__name__, "--preset", preset, "--target", target], operands)
            if sorted(found) != sorted(expected):
                raise ValueError(f"results {sorted(found)}, expected {sorted(expected)}")
            counts = {member: differing(found[member], expected[member]) for member in expected}
            print(f"{formula.__name__} {preset} on {target}, {verb}, {count} tokens: " +
                  ", ".join(f"{counts[member]} of {expected[member].size} differ in {member}" for member in expected))
            yield sum(counts.values())


def main():
    formulas = {formula.__name__: formula for formula in kernels.CASES}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("braid")
    parser.add_argument("examples")
    parser.add_argument("kernel", choices=formulas)
    parser.add_argument("--tokens", type=int, default=61, help="of the reference (default 61)")
    arguments = parser.parse_args()
    braid = Braid(arguments.braid, arguments.examples)
    return 1 if sum(compare(braid, formulas[arguments.kernel], arguments.tokens)) else 0


if __name__ == "__main__":
    sys.exit(main())
