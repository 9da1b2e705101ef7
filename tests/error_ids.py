#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the tables of errors: ids are unique, each is produced by a test, texts are one line.

    error_ids.py SOURCE_FOLDER [--list]

A test names an id (`BR0203`) or, in C++, its enumerator (`Error::OperandRank`, `Diag::rowAxis`). A
message is its line, two of source, why and fix: texts of one line keep it far below 20 lines.
"""
import pathlib
import re
import sys

STRING = r'"((?:[^"\\]|\\.)*)"'
TABLES = {
    "dsl/Diagnostics.def": (r"BRAID_DIAG\((BR\d{4}), (\w+),((?:\s*" + STRING + r",?)+)\s*\)", "(?:DiagId|Diag)"),
    "runtime/Errors.def": (r'BRAID_ERROR\((\w+), "(BR\d{4})", \w+,(\s*' + STRING + r")\)", "Error"),
    "runtime/NpzErrors.def": (r'BRAID_ERROR\((\w+), "(BR\d{4})", \w+,(\s*' + STRING + r")\)", "NpzError"),
}


def rows(root):
    for table, (pattern, scope) in TABLES.items():
        text = (root / table).read_text()
        found = list(re.finditer(pattern, text))
        lines = re.findall(r"^BRAID_(?:DIAG|ERROR)\(", text, re.MULTILINE)
        assert len(found) == len(lines), f"{table}: {len(lines)} rows, {len(found)} of the known form"
        for match in found:
            first, second, texts = match.group(1, 2, 3)
            number, name = (first, second) if scope.startswith("(") else (second, first)
            yield table, number, name, scope, texts


def main():
    root = pathlib.Path(sys.argv[1])
    here = pathlib.Path(__file__).resolve()
    tests = "\n".join(path.read_text(errors="replace") for path in sorted((root / "tests").rglob("*"))
                      if path.is_file() and path.suffix != ".npz" and path.resolve() != here)
    seen, problems = set(), []
    for table, number, name, scope, texts in rows(root):
        if "--list" in sys.argv:
            print(number, name)
        if number in seen:
            problems.append(f"{table}: {number} is there twice")
        seen.add(number)
        if "\\n" in texts:
            problems.append(f"{table}: {number} has a text of several lines")
        if not re.search(rf"{number}\b|\b{scope}::{name}\b", tests):
            problems.append(f"{table}: no test produces {number} ({name})")
    print("\n".join(problems) or f"{len(seen)} ids, each with a test")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
