#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`braid verify` of every kernel of a program: each of its presets, on each target, at three row counts,
one of them with NaN and infinity in the operands. Exit code: 0 if each of these ran and is equal to the
reference, else 1.

  verify_program.py BRAID PROGRAM.braid TARGET[,TARGET...]
"""

import re
import subprocess
import sys

ROWS = [(1, []), (7, ["--nonfinite"]), (66, [])]


def kernels(text):
    """The kernels of a program with the names of their presets."""
    parts = re.split(r"^kernel (\w+)", text, flags=re.MULTILINE)[1:]
    for name, body in zip(parts[0::2], parts[1::2]):
        presets = re.findall(r"^  preset ([\w, ]+?)\s*\{", body, flags=re.MULTILINE)
        yield name, [preset for names in presets for preset in re.split(r",\s*", names)]


def verify(command, program, kernel, presets, targets, rows, options):
    done = subprocess.run([command, "verify", program, "--kernel", kernel, "--target", targets,
                           "--tokens", str(rows), *options], capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")
    equal = re.findall(rf"^{kernel} (\w+) on (\w+)@emu, {rows} .*: equal to the reference, \d+ elements$",
                       done.stdout, flags=re.MULTILINE)
    wanted = [(preset, target) for preset in presets for target in targets.split(",")]
    missing = sorted(set(wanted) - set(equal))
    if missing:
        print(f"{kernel}: not verified at {rows} rows: {missing}")
    return done.returncode == 0 and not missing


def main():
    command, program, targets = sys.argv[1:]
    with open(program, encoding="utf-8") as file:
        found = list(kernels(file.read()))
    good = [bool(presets) and verify(command, program, kernel, presets, targets, rows, options)
            for kernel, presets in found for rows, options in ROWS]
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
