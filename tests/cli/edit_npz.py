#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an .npz with one thing changed.

    edit_npz.py IN.npz OUT.npz drop MEMBER | float MEMBER | narrow MEMBER | cut MEMBER | flip
                               | truncate

drop: without the member; float: as float32; narrow: without the last index of its last axis; cut:
without the last index of its first axis; flip: another byte in the middle of the file; truncate: the
first half of the file.
"""
import sys

import numpy as np


def main():
    source, target, what = sys.argv[1:4]
    if what in ("flip", "truncate"):
        with open(source, "rb") as file:
            data = bytearray(file.read())
        data[len(data) // 2] ^= 0x5A
        with open(target, "wb") as file:
            file.write(data if what == "flip" else data[:len(data) // 2])
        return
    members = dict(np.load(source))
    member = sys.argv[4]
    if what == "drop":
        del members[member]
    elif what == "float":
        members[member] = members[member].astype(np.float32)
    elif what == "narrow":
        members[member] = members[member][..., :-1]
    elif what == "cut":
        members[member] = members[member][:-1]
    np.savez(target, **members)


if __name__ == "__main__":
    main()
