#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the notes of a code object say each kernel takes: registers, spills, scratch, LDS.

    resources.py KERNEL.co [--vgprs N] [--readelf LLVM_READELF]

Prints one line a kernel. Exit code 1 if a kernel spills, uses scratch or LDS, or more VGPRs than N.
"""
import argparse
import re
import subprocess
import sys

NONE = ("vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size", "group_segment_fixed_size")


def kernels(path, readelf):
    """The metadata of each kernel as a dictionary of its numbers."""
    text = subprocess.run([readelf, "--notes", path], check=True, capture_output=True, text=True).stdout
    for part in re.split(r"(?m)^\s*- \.(?:args|agpr_count):", text)[1:]:
        yield {key: int(value) for key, value in re.findall(r"\.(\w+):\s*(\d+)\s*$", part, re.MULTILINE)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", metavar="KERNEL.co")
    parser.add_argument("--vgprs", type=int, help="VGPRs at most")
    parser.add_argument("--readelf", default="llvm-readelf")
    arguments = parser.parse_args()
    found, problems = list(kernels(arguments.path, arguments.readelf)), []
    for kernel in found:
        print(f"{kernel['vgpr_count']} VGPRs, {kernel['sgpr_count']} SGPRs, " +
              ", ".join(f"{name} {kernel[name]}" for name in NONE))
        problems += [f"{name} is {kernel[name]}" for name in NONE if kernel[name]]
        if arguments.vgprs is not None and kernel["vgpr_count"] > arguments.vgprs:
            problems.append(f"{kernel['vgpr_count']} VGPRs are more than {arguments.vgprs}")
    if not found:
        problems.append("no kernel in the notes")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
