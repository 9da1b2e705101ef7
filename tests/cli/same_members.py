#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""same_members.py PART.npz ALL.npz: whether each member of the first file is, byte for byte, the second's."""
import sys

import numpy as np


def main():
    part, whole = np.load(sys.argv[1]), np.load(sys.argv[2])
    for name in part:
        same = name in whole and part[name].tobytes() == whole[name].tobytes()
        print(f"{name}: {'the same' if same else 'different'}")


if __name__ == "__main__":
    main()
