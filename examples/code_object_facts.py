#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One line for each code object that `braid compile` wrote: bytes, registers, LDS, spills.

Registers come from the object's own notes, which the loader reads too.
"""

import argparse
import os
import re
import subprocess
import sys

READERS = ("/usr/lib/llvm-22/bin/llvm-readelf", "llvm-readelf-22", "llvm-readelf")
FACTS = (("vgpr_count", "VGPRs"), ("sgpr_count", "SGPRs"), ("group_segment_fixed_size", "bytes of LDS"),
         ("vgpr_spill_count", "spilled"))


def notes(path):
    for reader in READERS:
        try:
            return subprocess.run([reader, "--notes", path], check=True, capture_output=True, text=True).stdout
        except FileNotFoundError:
            continue
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("object", nargs="+", metavar="FILE.co")
    for path in parser.parse_args().object:
        text = notes(path)
        facts = [f"{os.path.getsize(path)} bytes"]
        for key, name in FACTS:
            found = re.search(rf"\.{key}:\s*(\d+)", text)
            if found:
                facts.append(f"{found.group(1)} {name}")
        print(f"{path}: {', '.join(facts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
