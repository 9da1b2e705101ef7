#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no error is longer than 20 lines, by showing those of every program in tests/.

    error_lines.py SOURCE_FOLDER BRAID
"""
import pathlib
import re
import subprocess
import sys
import tempfile

MOST_LINES, LEAST_ERRORS = 20, 100


def errors(braid, program, folder):
    command = [braid, "compile", str(program), "--target", "gfx942", "--emit", "hip", "-o", folder]
    shown = "\n" + subprocess.run(command, capture_output=True, text=True).stderr
    parts = re.split(r"\n(?=[^\n]*(?:error|warning)\[BR)", shown)
    return [part.strip() for part in parts[1:]]


def main():
    root, braid = pathlib.Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        found = [error for program in sorted((root / "tests").rglob("*.braid"))
                 for error in errors(braid, program, folder)]
    longest = max(found, key=lambda error: error.count("\n"), default="")
    lines = longest.count("\n") + 1
    print(f"{len(found)} errors, the longest of {lines} lines")
    if len(found) < LEAST_ERRORS or lines > MOST_LINES:
        print(f"expected at least {LEAST_ERRORS}, none longer than {MOST_LINES}; the longest:\n{longest}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
