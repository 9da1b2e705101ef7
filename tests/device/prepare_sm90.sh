#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Gathers what run_sm90.py needs on a machine with an sm_90 GPU and CUDA but without LLVM: the emitted
# sm_90 text and metadata of dsa_indexer in several forms, operands, and the bytes that must come out
# (golden vectors, and the reference interpreter on larger operands).
#
#   tests/device/prepare_sm90.sh FOLDER [BUILD]
set -eu
cd "$(dirname "$0")/../.."
out=${1:?"usage: tests/device/prepare_sm90.sh FOLDER [BUILD]"}
braid=${2:-build}/bin/braid
python=/usr/bin/python3
program=examples/dsa_indexer.braid
rm -rf "$out"
mkdir -p "$out"

# prepare_case NAME OPERANDS ARGUMENTS...: text, metadata and operands of one case
prepare_case() {
  case=$1 members=$2
  shift 2
  mkdir -p "$out/$case"
  "$braid" compile "$program" "$@" --target sm_90 --emit hip -o "$out/$case"
  cp "$members" "$out/$case/operands.npz"
}

# The golden vectors of the flavour that sm_90 has.
golden() {
  prepare_case "golden_$1" "tests/data/indexer_gfx950_$1.npz" --set head_dim=128 --set "heads=$2" \
    --set "rope_dim=$3" --set "style=$4" --set "eps=$5" --set "page=$6"
}
golden neox_linear64 4 64 neox 1e-6 'linear(page_size=64, dim=128)'
golden neox_linear64_nonfinite 3 64 neox 1e-6 'linear(page_size=64, dim=128)'
golden gptj_tiled16 3 32 gptj 1e-5 'tiled16(page_size=16, dim=128)'
golden norope_linear1 2 0 neox 1e-6 'linear(page_size=1, dim=128)'

# reference_case NAME OPERANDS ARGUMENTS...: as prepare_case, and what the reference makes of them
reference_case() {
  prepare_case "$@"
  case=$1 members=$2
  shift 2
  "$braid" reference "$program" "$@" --target sm_90 --in "$members" --out "$out/$case/expected.npz"
}

# The forms that one model's kernel can take.
variants() {
  # What is skipped must stay as it was.
  "$python" - "$operands" "$out/filled.npz" <<'END'
import sys
import numpy as np
operands = dict(np.load(sys.argv[1]))
rows = operands["q"].shape
filled = {"q8": np.full(rows, 0xA5, np.uint8), "w": np.full(rows[:2], -777, np.float32)}
np.savez(sys.argv[2], **operands, **filled)
END
  reference_case "${model}_skip_all" "$out/filled.npz" --preset "$model" --set 'padding=skip_all(slot)'
  reference_case "${model}_checked" "$out/filled.npz" --preset "$model" --checked --set 'padding=skip_all(slot)'
  rm "$out/filled.npz"
  reference_case "${model}_unfused" "$operands" --preset "$model" --grouping unfused
  reference_case "${model}_two_groups" "$operands" --preset "$model" --grouping 'kn | q8, w, index_k'
}

for model in deepseek_v32 glm5; do
  operands=$out/$model.npz
  "$python" examples/make_inputs.py --model "$model" --tokens 257 --padding 32 --seed 7 --out "$operands"
  reference_case "$model" "$operands" --preset "$model"
  if [ "$model" = glm5 ]; then variants; fi
  rm "$operands"
done

# Every narrow format: all bf16 values with neighbours in f32, all codes.
"$python" - "$out" <<'END'
import sys
import numpy as np
bits = np.arange(0x10000, dtype=np.uint32) << 16
x = np.concatenate([bits, bits + 1, bits + 0x7FFF]).view(np.float32).reshape(-1, 256)
np.savez(sys.argv[1] + "/formats.npz", x=x)
codes = np.stack([np.roll(np.arange(256, dtype=np.uint8), i) for i in range(5)])
np.savez(sys.argv[1] + "/decode.npz", fn=codes, fz=codes, b=codes, bz=codes, f4=codes[:, :128])
END
program=tests/device/formats.braid
for kernel in formats decode; do
  prepare_case "$kernel" "$out/$kernel.npz" --kernel "$kernel"
  "$braid" reference "$program" --kernel "$kernel" --target sm_90 --in "$out/$kernel.npz" \
    --out "$out/$kernel/expected.npz"
  rm "$out/$kernel.npz"
done
cp tests/device/run_sm90.py "$out"
