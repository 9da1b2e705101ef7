# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes formats.inc: what ml_dtypes makes of each narrow float format. Needs `pip install ml_dtypes`.
#
#   python make_formats.py > formats.inc
#
# A table has the f32 of every code, and for each magnitude code but 0 the least positive f32 that
# rounds to it or to a larger one. Rounding is monotone, so these thresholds tell the code of every
# f32 up to the format's largest number; that they do is checked here on all bf16 values, on all
# thresholds and on their neighbours, of either sign.
import ml_dtypes
import numpy as np

FORMATS = [
    ("F8E4M3FN", ml_dtypes.float8_e4m3fn, 8),
    ("F8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz, 8),
    ("F8E5M2", ml_dtypes.float8_e5m2, 8),
    ("F8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz, 8),
    ("F4E2M1", ml_dtypes.float4_e2m1fn, 4),
]


def floats(bits):
    return np.asarray(bits, np.uint32).view(np.float32)


def encode(dtype, values):
    return values.astype(dtype).view(np.uint8)


def table(name, dtype, width):
    sign = 1 << (width - 1)
    decoded = np.arange(2 * sign, dtype=np.uint8).view(dtype).astype(np.float32)
    finite = [c for c in range(sign) if np.isfinite(decoded[c])]
    largest = finite[-1]
    thresholds = []
    for code in finite[1:]:
        low, high = 0, int(decoded[code].view(np.uint32))  # the code's own value rounds to it
        while low < high:
            middle = (low + high) // 2
            if encode(dtype, floats([middle]))[0] & (sign - 1) >= code:
                high = middle
            else:
                low = middle + 1
        thresholds.append(low)
    thresholds = np.array(thresholds, np.uint32)
    probes = np.concatenate([np.arange(0x8000, dtype=np.uint32) << 16, thresholds, thresholds - 1,
                             thresholds + 1, decoded[finite].view(np.uint32)])
    probes = probes[probes <= decoded[largest].view(np.uint32)]
    expected = np.searchsorted(thresholds, probes, side="right").astype(np.uint8)
    assert (encode(dtype, floats(probes)) == expected).all(), name
    negative = expected | sign
    if name.endswith("FNUZ"):
        negative[expected == 0] = 0  # there is no -0
    assert (encode(dtype, -floats(probes)) == negative).all(), name
    return decoded.view(np.uint32), thresholds


def listing(numbers):
    words = ["0x%08x" % n for n in numbers]
    lines = [", ".join(words[i:i + 8]) for i in range(0, len(words), 8)]
    return "{" + ",\n   ".join(lines) + "}"


print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print("//")
print("// By make_formats.py with ml_dtypes %s: the f32 of every code, and the thresholds."
      % ml_dtypes.__version__)
for name, dtype, width in FORMATS:
    decoded, thresholds = table(name, dtype, width)
    # Commas in braces are commas of a macro's arguments: the lists are variadic.
    print("BRAID_FORMAT_CODES(%s,\n   %s)" % (name, listing(decoded)))
    print("BRAID_FORMAT_THRESHOLDS(%s,\n   %s)" % (name, listing(thresholds)))
