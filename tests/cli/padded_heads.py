# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Operands of a rank with 16 heads whose consumer wants 32, and a check of what a run left in them.
#
#   padded_heads.py add IN.npz OUT.npz      zeros for 32 heads
#   padded_heads.py check OUT.npz PLAIN.npz the first 16 are those of a run without padding, the rest zeros
import sys

import numpy as np

HEADS, PADDED = 16, 32


def add(source, target):
    members = dict(np.load(source))
    tokens = len(members["q"])
    members["padded_q8"] = np.zeros((tokens, PADDED, 128), np.uint8)
    members["padded_w"] = np.zeros((tokens, PADDED), np.float32)
    np.savez(target, **members)
    return 0


def check(found, plain):
    found, plain = np.load(found), np.load(plain)
    for padded, name in [("padded_q8", "q8"), ("padded_w", "w")]:
        computed, rest = found[padded][:, :HEADS], found[padded][:, HEADS:]
        if computed.tobytes() != plain[name].tobytes() or rest.any() or not computed.any():
            print(f"{padded} differs")
            return 1
    print("equal, and zeros behind")
    return 0


sys.exit({"add": add, "check": check}[sys.argv[1]](*sys.argv[2:]))
