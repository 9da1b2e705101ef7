#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command whose exit code is part of a test; prints what it prints, both streams in one.

    exit_code.py CODE COMMAND [ARGUMENT]...

Exit code 0 if the command's is CODE. A command that a signal ends has no exit code.
"""
import subprocess
import sys


def main():
    wanted = int(sys.argv[1])
    done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="")
    print(f"exit code {done.returncode}")
    return 0 if done.returncode == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
