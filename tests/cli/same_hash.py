# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The descriptor that `braid layouts --json` prints is the one in a kernel's metadata.
import json
import sys

shown = json.load(open(sys.argv[1]))[0]
stored = json.load(open(sys.argv[2]))["layouts"][0]
for field in shown["fields"]:
    del field["letter"]
sys.exit(any(shown[key] != stored[key] for key in stored))
