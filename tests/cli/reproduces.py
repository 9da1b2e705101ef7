#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command that has an internal error, then the script of the folder that it leaves.

    reproduces.py --kind FAULT -- COMMAND [ARGUMENT]...

Prints the message (FOLDER for the folder), the files of the folder, and whether its script, started
elsewhere, in an environment without the fault and with the inputs gone, says and ends the same.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        inputs = pathlib.Path(scratch, "inputs")
        shutil.copytree(".", inputs)
        environment = os.environ | {"BRAID_REPRODUCE_DIR": scratch}
        first = run(options.command, inputs, environment | {"BRAID_TEST_FAULT": options.kind})
        shutil.rmtree(inputs)
        folders = list(pathlib.Path(scratch).glob("braid-error-*"))
        assert first.returncode == 4 and len(folders) == 1, (first.returncode, first.stdout)
        names = " ".join(sorted(path.name for path in folders[0].iterdir()))
        again = run(["sh", str(folders[0] / "reproduce.sh")], scratch, environment)
        texts = [re.sub(r"\S*/braid-error-\w+", "FOLDER", done.stdout) for done in (first, again)]
        print(texts[0], end="")
        print("files:", names)
        same = again.returncode == 4 and texts[0] == texts[1]
        print("the same again" if same else f"another end: {again.returncode}\n{texts[1]}")
    return 0 if same else 1


def run(command, folder, environment):
    return subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


if __name__ == "__main__":
    sys.exit(main())
