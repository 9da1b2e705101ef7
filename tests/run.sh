#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds a tree and runs its tests. The last line is ctest's own.
#
#   tests/run.sh [--preset dev|release|asan] [--full] [--install] [-- ctest arguments]
#
#   --preset   which tree (default dev: assertions on)
#   --full     the tests that walk a whole set take all of it (BRAID_FULL=1)
#   --install  first install the packages that are missing
#
# Exit code: 0 all passed, else the failing step's. For example: tests/run.sh -- -L unit -R npz
set -eu
cd "$(dirname "$0")/.."

preset=dev
install=no
BRAID_FULL=${BRAID_FULL:-0}
while [ $# -gt 0 ]; do
  case $1 in
  --preset) preset=${2:?"--preset needs a name"}; shift ;;
  --full) BRAID_FULL=1 ;;
  --install) install=yes ;;
  --) shift; break ;;
  -h | --help) sed -n '4,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "error: unknown argument '$1'; see --help" >&2; exit 2 ;;
  esac
  shift
done
export BRAID_FULL

[ "$install" = no ] || examples/install_packages.sh
cmake --preset "$preset"
cmake --build --preset "$preset" --parallel "$(nproc)"
ctest --preset "$preset" --parallel "$(nproc)" "$@"
