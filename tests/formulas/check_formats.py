#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formulas' formats against ml_dtypes, on every bf16 number, its neighbours among float32 and
random float32. Where ml_dtypes is not installed that is said, and known codes are checked only."""

import sys

import numpy as np

import arithmetic as f

KNOWN = {  # docs/semantics.md, section 4
    "f8e4m3fn": {0: 0x00, 0.3: 0x2A, 1: 0x38, -1: 0xB8, 17: 0x58, 18: 0x59, 240: 0x77, 448: 0x7E, 500: 0x7E, -1e-6: 0x80},
    "f8e4m3fnuz": {0: 0x00, 0.3: 0x32, 1: 0x40, -1: 0xC0, 17: 0x60, 18: 0x61, 240: 0x7F, 500: 0x7F, -1e-6: 0x00},
}


def numbers():
    bits = np.arange(1 << 16, dtype=np.uint32) << 16
    whole = bits.view(np.float32)
    random = np.random.PCG64(1).random_raw(1 << 20).astype(np.uint32).view(np.float32)
    x = np.concatenate([whole, (bits | 1).view(np.float32), (bits - 1).view(np.float32), random])
    return x[np.isfinite(x)]


def known_codes():
    for name, codes in KNOWN.items():
        found = f.FORMATS[name].encode(np.array(list(codes), np.float32))
        if found.tolist() != list(codes.values()):
            yield f"{name}: {found.tolist()}, expected {list(codes.values())}"
    for name, form in f.FORMATS.items():
        value = form.values()
        code = np.flatnonzero(~np.isnan(value)).astype(np.uint8)
        if (form.encode(value[code].astype(np.float32)) != code).any():
            yield f"{name}: encoding what codes stand for gives other codes"


def against(ml_dtypes):
    x = numbers()
    types = {"f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
             "f8e5m2": ml_dtypes.float8_e5m2, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
             "f4e2m1": ml_dtypes.float4_e2m1fn}
    for name, dtype in types.items():
        y = x[np.abs(x) <= f.FORMATS[name].largest]
        differing = int((f.FORMATS[name].encode(y) != y.astype(dtype).view(np.uint8)).sum())
        print(f"{name}: {differing} of {y.size} codes differ from ml_dtypes")
        value = np.arange(len(f.FORMATS[name].values()), dtype=np.uint8).view(dtype).astype(np.float32)
        finite = np.isfinite(value)
        if differing or (f.FORMATS[name].values()[finite] != value[finite]).any():
            yield name
    differing = int((f.bf16_bits(x) != x.astype(ml_dtypes.bfloat16).view(np.uint16)).sum())
    print(f"bf16: {differing} of {x.size} differ from ml_dtypes")
    if differing:
        yield "bf16"


def main():
    problems = list(known_codes())
    try:
        import ml_dtypes
    except ImportError:
        print("ml_dtypes is not installed (pip install ml_dtypes): known codes only")
    else:
        problems += against(ml_dtypes)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
