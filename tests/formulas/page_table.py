# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A table that a page of docs/ holds: printed without arguments, with `--check PAGE` looked for in it."""
import sys


def main(text):
    """Exit code 1 where the page has another table."""
    if len(sys.argv) == 1:
        print(text)
        return 0
    with open(sys.argv[2], encoding="utf-8") as file:
        if text in file.read():
            return 0
    print(f"{sys.argv[2]} has another table than\n{text}")
    return 1
