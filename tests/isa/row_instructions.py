#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts of a kernel's machine code, read from llvm-objdump: what a wave executes for its rows.

    row_instructions.py KERNEL.co ROWS [LLVM_OBJDUMP] [--limit N]

The straight path is the one from the entry to s_endpgm that the wave of a full q section takes: no
branch around an empty exec mask is taken, and of the remaining paths it is the shortest (so without
rarely needed code) that converts the wave's ROWS rows of 128 elements to fp8, two elements a lane and
instruction. Prints its wave-instructions, per row, and counts by class on that path. Exit code 1 if
they are more than N a row.
"""
import argparse
import collections
import re
import subprocess
import sys

LINE = re.compile(r"^\s+(\S+)\s*(.*?)\s*//\s*([0-9A-F]+):")


def disassemble(path, objdump):
    text = subprocess.run([objdump, "-d", path], check=True, capture_output=True, text=True).stdout
    code = []
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            code.append((int(match.group(3), 16), match.group(1), match.group(2)))
    return code


def straight_path(code, rows):
    """The instructions of the straight path, in order."""
    at = {address: i for i, (address, _, _) in enumerate(code)}
    finished = []
    open_paths = [(0, [])]
    while open_paths:
        i, path = open_paths.pop()
        while True:
            address, name, operands = code[i]
            path.append(i)
            if len(path) > len(code):
                raise SystemExit("error: the kernel has a loop, so it has no straight path")
            if name == "s_endpgm":
                finished.append(path)
                break
            if name.startswith("s_cbranch_exec") or name.startswith("s_cbranch_vcc") or name.startswith(
                    "s_cbranch_scc") or name == "s_branch":
                # The target is a signed 16-bit count of words after the branch.
                offset = int(operands.split()[0])
                offset -= 0x10000 if offset >= 0x8000 else 0
                target = at[address + 4 + 4 * offset]
                if name == "s_branch":
                    i = target
                    continue
                if not name.startswith("s_cbranch_exec"):
                    open_paths.append((target, list(path)))
            i += 1
    converts = lambda path: sum(code[i][1].startswith("v_cvt_pk_fp8_f32") for i in path)
    whole = [path for path in finished if converts(path) == rows * 128 // (64 * 2)]
    if not whole:
        raise SystemExit(f"error: no path converts {rows} rows: {sorted(map(converts, finished))}")
    return [code[i] for i in min(whole, key=len)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", metavar="KERNEL.co")
    parser.add_argument("rows", type=int)
    parser.add_argument("objdump", nargs="?", default="llvm-objdump")
    parser.add_argument("--limit", type=float, help="wave-instructions a row at most")
    arguments = parser.parse_args()
    rows = arguments.rows
    row = straight_path(disassemble(arguments.path, arguments.objdump), rows)
    print(f"straight path: {len(row)} wave-instructions, {rows} rows, {len(row) / rows:.2f} a row")
    counts = collections.Counter(name for _, name, _ in row)
    for prefix in ("global_load_dwordx4", "global_load", "global_store_dwordx2", "global_store",
                   "v_cvt_pk_fp8_f32", "scratch_", "ds_", "s_barrier", "v_", "s_"):
        print(f"  {prefix:22} {sum(n for name, n in counts.items() if name.startswith(prefix))}")
    if arguments.limit is not None and len(row) > arguments.limit * rows:
        raise SystemExit(f"error: {len(row) / rows:.2f} wave-instructions a row are more than {arguments.limit:g}")


if __name__ == "__main__":
    main()
