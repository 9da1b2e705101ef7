#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds libFuzzer's target for the parser and the passes in a tree of its own (build/fuzz), and runs it from the
# programs of examples and tests.
#
#   tests/fuzz/run.sh [SECONDS]     default 60; 1800 for a thorough run
#
# Exit code: 0 nothing found; else libFuzzer's, which names the file with the input (in build/fuzz).
set -eu
cd "$(dirname "$0")/../.."

seconds=${1:-60}
cmake -G Ninja -S . -B build/fuzz -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DBRAID_FUZZ=ON \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g"
cmake --build build/fuzz --target braid_parse_fuzz --parallel "$(nproc)"
mkdir -p build/fuzz/corpus build/fuzz/seeds
cp examples/*.braid tests/dsl/*.braid tests/emit/*.braid build/fuzz/seeds
cd build/fuzz
exec bin/braid_parse_fuzz -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=20000 corpus seeds
