#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments that a kernel's metadata lists, one a line; with the text, whether both agree.

    arguments.py KERNEL.json [KERNEL.hip]
"""
import json
import re
import sys


def compare(meta, lines):
    first = next(i for i, line in enumerate(lines) if meta["symbol"] + "(" in line)
    last = next(i for i in range(first, len(lines)) if lines[i].endswith(") {"))
    declared = [re.search(r"(\w+)(,|\) \{)$", line).group(1) for line in lines[first + 1:last + 1]]
    listed = [argument["name"] for argument in meta["arguments"]]
    print("the text declares " + ("the same arguments" if declared == listed else f"{declared}, not {listed}"))
    outside = [entry for entry in meta["line_map"] if not first <= entry["line"] - 1 < len(lines)
               or not re.search(r"\S", lines[entry["line"] - 1])]
    print("the line map points at statements of the kernel" if meta["line_map"] and not outside else
          f"the line map points outside the kernel: {outside}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        meta = json.load(file)
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            compare(meta, file.read().split("\n"))
        return
    for argument in meta["arguments"]:
        parts = [argument["name"], argument["kind"]]
        parts += [str(argument[key]) for key in ("operand", "axis_name", "axis") if key in argument]
        print(*parts)


if __name__ == "__main__":
    main()
