# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of examples/ a second time, in numpy. Each function makes operands for a number of tokens and
the bytes that the program must give for them: (operands, results). `name` is the fp8 format. Shapes are
those of the preset that CASES names."""

import numpy as np

import arithmetic as f
import profiles
import steps
from arithmetic import F32
from attention import (mla_rope_concat_cache, mla_rope_ds_mla_cache, norm_over_heads_rope_kv_store,
                       qk_norm_rope_kv_store, rope_kv_store_fp8)
from command import fill_index
from rows import POSITIONS, bf16_stored, tables


def scaled_by_groups(x, name, size, floor):
    """Codes of x * (1 / s) and s = largest magnitude / the format's largest, by groups of a row."""
    parts = steps.groups(x, size)
    scale = steps.amax(parts, floor) / f.FORMATS[name].largest
    return steps.multiplied(parts, scale, name).reshape(x.shape), scale


def scaled(x, name, floor):
    codes, scale = scaled_by_groups(x, name, x.shape[-1], floor)
    return codes, scale[..., 0]


def biased_exponents(scale):
    """Powers of two as e8m0."""
    return (np.frexp(scale)[1] - 1 + 127).astype(np.uint8)


# --- indexers -------------------------------------------------------------------------------------------


def dsa_indexer_two_axes(rows, tokens, name):
    """GLM: as many queries as tokens, five keys more."""
    count = tokens + 5
    operands = {"q": rows.activations(tokens, 32, 128), "gate": f.bf16(rows.normal(tokens, 32)),
                "k": rows.activations(count, 128), "gamma": rows.weights(128), "beta": rows.biases(128),
                "angle": rows.angles(POSITIONS, 64), "q_pos": rows.positions(tokens, POSITIONS),
                "k_pos": rows.positions(count, POSITIONS), "slot": rows.slots(count, 4 * count // 64 * 64 + 64)}
    operands["index_k"] = rows.bytes(4 * count // 64 + 1, 64 * 132)
    angle = operands["angle"]
    codes, gates = profiles.aiter_q(operands["q"], operands["gate"], angle[operands["q_pos"]][:, None], "gptj", name)
    keys, scales = profiles.aiter_k(operands["k"], operands["gamma"], operands["beta"], angle[operands["k_pos"]], "gptj", name)
    cache = operands["index_k"].copy()
    fill_index(cache, operands["slot"], "tiled16", keys, scales)
    return bf16_stored(operands, "q", "gate", "k"), {"q8": codes, "w": gates, "index_k": cache}


def v4_indexer_q(rows, tokens, name):
    turn, angle = tables(rows, tokens, 64)
    operands = {"q": rows.activations(tokens, 64, 128), "gate": f.bf16(rows.normal(tokens, 64)), **turn}
    q = f.bf16(steps.rope(operands["q"], angle[:, None], 64, 128, "gptj"))
    q = f.bf16(steps.hadamard(q, 128**-0.5))
    scale = f.power_of_two_scale(steps.amax(q, 1e-4), f.FORMATS[name].largest)
    w = operands["gate"] * scale * F32((128 * 64) ** -0.5)
    return bf16_stored(operands, "q", "gate"), {"q8": steps.multiplied(q, scale, name), "w": w}


def v4_indexer_q_fp4(rows, tokens, _):
    """Two codes a byte, the first in the low bits; a biased exponent for each 32."""
    turn, angle = tables(rows, tokens, 64)
    operands = {"q": rows.activations(tokens, 64, 128), "gate": f.bf16(rows.normal(tokens, 64)), **turn}
    q = f.bf16(steps.rope(operands["q"], angle[:, None], 64, 128, "gptj"))
    parts = steps.groups(f.bf16(steps.hadamard(q, 128**-0.5)), 32)
    scale = f.power_of_two_scale(steps.amax(parts, 6 * 2.0**-126), 6)
    codes = steps.multiplied(parts, scale, "f4e2m1").reshape(tokens, 64, 64, 2)
    return bf16_stored(operands, "q", "gate"), {
        "q4": codes[..., 0] | codes[..., 1] << 4, "scale": biased_exponents(scale),
        "w": operands["gate"] * F32((128 * 64) ** -0.5)}


def index_q_hadamard(rows, tokens, name):
    operands = {"q": rows.activations(tokens, 32, 128), "gate": rows.normal(tokens, 32)}
    q = steps.hadamard(operands["q"], 128**-0.5)
    scale = f.power_of_two_scale(steps.amax(q, 1e-10), f.FORMATS[name].largest)
    return bf16_stored(operands, "q"), {"q8": steps.multiplied(q, scale, name), "w": operands["gate"] * scale * F32(1 / 64)}


# --- norms and activations ------------------------------------------------------------------------------


def add_rms_norm_quant(rows, tokens, name, group):
    operands = {"x": rows.activations(tokens, 7168), "residual": rows.activations(tokens, 7168),
                "gamma": f.bf16(rows.weights(7168))}
    h = f.bf16(operands["x"] + operands["residual"])
    n = f.bf16(steps.rms_norm(h, operands["gamma"], 1e-6))
    codes, scale = scaled_by_groups(n, name, group, 1e-10)
    return (bf16_stored(operands, "x", "residual", "gamma"),
            {"residual": f.bf16_bits(h), "copy": f.bf16_bits(n), "y": codes, "scale": scale})


def add_rms_norm_quant_token(rows, tokens, name):
    """Rows of 7,168: more than a tree takes, so strips first."""
    operands, results = add_rms_norm_quant(rows, tokens, name, 7168)
    return operands, results | {"scale": results["scale"][:, 0]}


def add_rms_norm_quant_group(rows, tokens, name):
    return add_rms_norm_quant(rows, tokens, name, 128)


def dual_rms_norm_quant(rows, tokens, name):
    """Rows of 1,536 with a scale for each 128 elements, and of 512."""
    operands = {"q": rows.activations(tokens, 1536), "kv": rows.activations(tokens, 512),
                "q_gamma": f.bf16(rows.weights(1536)), "kv_gamma": f.bf16(rows.weights(512))}
    codes, scale = scaled_by_groups(f.bf16(steps.rms_norm(operands["q"], operands["q_gamma"], 1e-6)), name, 128, 1e-10)
    kv = f.bf16_bits(steps.rms_norm(operands["kv"], operands["kv_gamma"], 1e-6))
    return bf16_stored(operands, *operands), {"q8": codes, "q_scale": scale, "kv_out": kv}


def silu_mul_quant(rows, tokens, name):
    operands = {"gate_up": rows.activations(tokens, 4096)}
    gate, up = np.split(operands["gate_up"], 2, axis=-1)
    codes, scale = scaled_by_groups(f.bf16(steps.silu(gate) * up), name, 128, 1e-10)
    return bf16_stored(operands, "gate_up"), {"y": codes, "scale": scale}


def gated_rms_norm_quant(rows, tokens, name):
    operands = {"x": rows.activations(tokens, 32, 128), "z": rows.activations(tokens, 32, 128),
                "gamma": f.bf16(rows.weights(128))}
    x = f.bf16(steps.rms_norm(operands["x"], operands["gamma"], 1e-6) * steps.silu(operands["z"]))
    codes, scale = scaled(x, name, 1e-10)
    return bf16_stored(operands, *operands), {"y": codes, "scale": scale}


def inverse_rope_group_quant(rows, tokens, name):
    """DeepSeek-V4-Flash: sines with their signs flipped, scales as biased exponents."""
    turn, angle = tables(rows, tokens, 64)
    turn["angle"][:, 32:] *= -1
    operands = {"x": rows.activations(tokens, 64, 512), **turn}
    x = f.bf16(steps.rope(operands["x"], turn["angle"][turn["pos"]][:, None], 448, 512, "gptj"))
    parts = steps.groups(x, 128)
    scale = f.power_of_two_scale(steps.amax(parts, 1e-10), f.FORMATS[name].largest)
    codes = steps.multiplied(parts, scale, name).reshape(x.shape)
    return bf16_stored(operands, "x"), {"y": codes, "scale": biased_exponents(scale)}


# A kernel's file and preset.
CASES = {
    dsa_indexer_two_axes: ("dsa_indexer_two_axes", "glm5_2"),
    v4_indexer_q: ("v4_indexer_q", "deepseek_v4_pro"),
    v4_indexer_q_fp4: ("v4_indexer_q_fp4", "deepseek_v4_pro"),
    index_q_hadamard: ("index_q_hadamard", "glm5_3_flash"),
    qk_norm_rope_kv_store: ("qk_norm_rope_kv_store", "qwen3_next_80b"),
    norm_over_heads_rope_kv_store: ("norm_over_heads_rope_kv_store", "minimax_m2"),
    rope_kv_store_fp8: ("rope_kv_store", "llama3_1_70b"),
    mla_rope_concat_cache: ("mla_rope_concat_cache", "kimi_k2_instruct"),
    mla_rope_ds_mla_cache: ("mla_rope_ds_mla_cache", "deepseek_v32"),
    add_rms_norm_quant_token: ("add_rms_norm_quant_token", "deepseek_v32"),
    add_rms_norm_quant_group: ("add_rms_norm_quant_group", "deepseek_v32"),
    dual_rms_norm_quant: ("dual_rms_norm_quant", "deepseek_v32"),
    silu_mul_quant: ("silu_mul_quant", "rows_of_2048"),
    gated_rms_norm_quant: ("gated_rms_norm_quant", "qwen3_next_80b"),
    inverse_rope_group_quant: ("inverse_rope_group_quant", "deepseek_v4_flash"),
}
