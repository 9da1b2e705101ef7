#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rename_member.py IN.npz OLD NEW OUT.npz: the same arrays, one under another name."""
import sys

import numpy

source, old, new, target = sys.argv[1:]
arrays = dict(numpy.load(source))
arrays[new] = arrays.pop(old)
numpy.savez(target, **arrays)
