#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From a fresh clone on Debian 12 to checked kernels: installs what is missing, builds, compiles the
# indexer of two models for both targets, runs the generated code on the emulated wave, and compares
# it with the reference interpreter bit for bit. No GPU needed.
#
#   examples/quickstart.sh [--no-install] [--tokens N]
#
# Results lie in build/quickstart. Exit code: 0 all equal, 1 a difference, else the failing step's.
set -eu
cd "$(dirname "$0")/.."

install=yes
tokens=64
while [ $# -gt 0 ]; do
  case $1 in
  --no-install) install=no ;;
  --tokens) tokens=${2:?"--tokens needs a number"}; shift ;;
  -h | --help) sed -n '4,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) echo "error: unknown argument '$1'; see --help" >&2; exit 2 ;;
  esac
  shift
done

program=examples/dsa_indexer.braid
models="deepseek_v32 glm5"
targets="gfx942 gfx950"
padding=$((tokens / 8))
out=build/quickstart
braid=build/bin/braid
# The interpreter that the distribution's numpy belongs to.
python=/usr/bin/python3
jobs=$(nproc)
failed=0

step() { printf '\n== %s\n' "$*"; }

[ "$install" = no ] || examples/install_packages.sh

step "build"
cmake --preset release
cmake --build --preset release --parallel "$jobs" --target braid
mkdir -p "$out"

for model in $models; do
  step "$model: inputs, code objects"
  "$python" examples/make_inputs.py --model "$model" --tokens "$tokens" --padding "$padding" \
    --seed 1 --out "$out/$model.npz"
  "$braid" compile "$program" --preset "$model" --target gfx942,gfx950 -o "$out/$model"
  for target in $targets; do
    "$braid" run "$program" --preset "$model" --target "$target" --device emu \
      --in "$out/$model.npz" --out "$out/$model.$target.emu.npz"
    "$braid" reference "$program" --preset "$model" --target "$target" \
      --in "$out/$model.npz" --out "$out/$model.$target.reference.npz"
  done
done

step "what was made"
for model in $models; do
  "$python" examples/code_object_facts.py "$out/$model"/*.co
done

step "emulated wave against reference, $tokens tokens, $padding of them padding"
for model in $models; do
  for target in $targets; do
    "$python" examples/compare_npz.py --label "$model $target" \
      --meta "$out/$model/dsa_indexer.$target.json" \
      "$out/$model.$target.emu.npz" "$out/$model.$target.reference.npz" || failed=1
  done
done
exit $failed
