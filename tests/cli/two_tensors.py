# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Operands for two_tensors.braid, and what a run must have stored: `make IN` or `check IN OUT`. The
# member `both` has the two tensors side by side, and bytes that belong to none.
import sys

import numpy as np

SLOTS = [9, -1, 2, 11, 12, 40]  # pages: 3 of codes, 4 of scales; so 12 and 40 lie past the cache
STORED = {9: 0, 2: 2, 11: 3}

if sys.argv[1] == "make":
    rows = np.zeros((len(SLOTS), 64), np.uint16)
    rows[:, 0] = 0x3F80 + 0x80 * np.arange(len(SLOTS))  # 1.0, 2.0, 4.0, ... in bf16
    np.savez(sys.argv[2], **{"k": rows, "slot": np.array(SLOTS, np.int64),
                             "keys.0": np.full((3, 256), 0xA5, np.uint8),
                             "keys.1": np.full((4, 16), 0xA5, np.uint8),
                             "both": np.full((4, 288), 0xA5, np.uint8)})
else:
    out = np.load(sys.argv[3])
    if "both" in out:
        pages, scales, rest = np.split(out["both"], [256, 272], axis=1)
        codes = pages[:3]
        assert (rest == 0xA5).all() and (pages[3] == 0xA5).all()
    else:
        codes, scales = out["keys.0"], out["keys.1"]
    codes, scales = codes.reshape(12, 64), scales.copy().view(np.float32).reshape(16)
    untouched = np.frombuffer(b"\xA5" * 4, np.float32)[0]
    for slot in range(16):
        token = STORED.get(slot)
        # 448 is 1.75 * 2^8, so 2^n has the scale 2^(n - 8).
        assert scales[slot] == (untouched if token is None else 2.0 ** (token - 8)), slot
        if slot < 12:
            row = [0xA5] * 64 if token is None else [0x78] + [0] * 63
            assert codes[slot].tolist() == row, slot
