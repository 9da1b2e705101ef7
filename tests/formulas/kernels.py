# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of examples/ a second time, in numpy. Each function makes operands for a number of tokens and
the bytes that the program must give for them: (operands, results). `name` is the fp8 format. Shapes are
those of the preset that CASES names."""

import numpy as np

import arithmetic as f
import profiles
import steps
from arithmetic import F32
from command import fill, fill_index

POSITIONS = 512


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


def tables(rows, tokens, dims, pos="pos"):
    operands = {"angle": rows.angles(POSITIONS, dims), pos: rows.positions(tokens, POSITIONS)}
    return operands, operands["angle"][operands[pos]]


def bf16_stored(operands, *names):
    return {name: f.bf16_bits(array) if name in names else array for name, array in operands.items()}


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


# --- keys and values of attention ---------------------------------------------------------------------


def shuffle(page_size, dim, width):
    """[heads, dim/x, tokens, x] with x = 16 bytes; elements are heads times dim."""
    def place(t, element):
        head, byte = element // dim, element % dim * width
        return ((head * (dim * width // 16) + byte // 16) * page_size + t) * 16 + byte % 16
    return place


def keys_and_values(rows, tokens, heads, dim):
    pages = tokens // 8 + 2
    page_bytes = 16 * heads * dim
    return {"k": rows.activations(tokens, heads, dim), "v": rows.activations(tokens, heads, dim),
            "slot": rows.slots(tokens, 16 * pages)}, pages, page_bytes


def shuffled(rows, operands, pages, page_bytes, **values):
    """Caches of random bytes with values[token, head, dim] put into their slots."""
    results = {}
    for cache, array in values.items():
        tokens, _, dim = array.shape
        operands[cache] = rows.bytes(pages, page_bytes * array.itemsize)
        results[cache] = operands[cache].copy()
        fill(results[cache], operands["slot"], 16, shuffle(16, dim, array.itemsize), array.reshape(tokens, -1))
    return results


def qk_norm_rope_kv_store(rows, tokens, _):
    """Qwen3-Next: weights of 1 + gamma, 64 of 256 dims rotated."""
    operands, pages, page_bytes = keys_and_values(rows, tokens, 2, 256)
    turn, angle = tables(rows, tokens, 64)
    operands |= {"q": rows.activations(tokens, 16, 256), **turn,
                 "q_gamma": f.bf16(rows.biases(256)), "k_gamma": f.bf16(rows.biases(256))}

    def branch(x, gamma):
        normed = f.bf16(steps.rms_norm(x, F32(1) + gamma, 1e-6))
        return f.bf16_bits(steps.rope(normed, angle[:, None], 0, 64, "neox"))

    results = {"q_out": branch(operands["q"], operands["q_gamma"])}
    results |= shuffled(rows, operands, pages, page_bytes, keys=branch(operands["k"], operands["k_gamma"]),
                        values=f.bf16_bits(operands["v"]))
    return bf16_stored(operands, "q", "k", "v", "q_gamma", "k_gamma"), results


def norm_over_heads_rope_kv_store(rows, tokens, _):
    """MiniMax-M2: norms over rows of 6,144 and 1,024."""
    operands, pages, page_bytes = keys_and_values(rows, tokens, 8, 128)
    turn, angle = tables(rows, tokens, 64)
    operands |= {"q": rows.activations(tokens, 48, 128), **turn,
                 "q_gamma": f.bf16(rows.weights(6144)).reshape(48, 128),
                 "k_gamma": f.bf16(rows.weights(1024)).reshape(8, 128)}
    operands |= {name + "_row": operands[name].reshape(tokens, -1) for name in "qk"}

    def branch(x, gamma):
        normed = f.bf16(steps.rms_norm(x.reshape(tokens, -1), gamma.reshape(-1), 1e-6).reshape(x.shape))
        return f.bf16_bits(steps.rope(normed, angle[:, None], 0, 64, "neox"))

    results = {"q_out": branch(operands["q"], operands["q_gamma"])}
    results |= shuffled(rows, operands, pages, page_bytes, keys=branch(operands["k"], operands["k_gamma"]),
                        values=f.bf16_bits(operands["v"]))
    return bf16_stored(operands, "q", "k", "v", "q_row", "k_row", "q_gamma", "k_gamma"), results


def rope_kv_store_fp8(rows, tokens, name):
    """Llama 3.1 70B, with scales of each head that are given."""
    operands, pages, page_bytes = keys_and_values(rows, tokens, 8, 128)
    turn, angle = tables(rows, tokens, 128)
    operands |= {"q": rows.activations(tokens, 64, 128), **turn,
                 "k_scale": np.abs(rows.normal(8)) + F32(0.01), "v_scale": np.abs(rows.normal(8)) + F32(0.01)}
    rotated = {x: f.bf16(steps.rope(operands[x], angle[:, None], 0, 128, "neox")) for x in "qk"}
    results = {"q_out": f.bf16_bits(rotated["q"])}
    results |= shuffled(rows, operands, pages, page_bytes,
                        keys=steps.divided(rotated["k"], operands["k_scale"], name),
                        values=steps.divided(operands["v"], operands["v_scale"], name))
    return bf16_stored(operands, "q", "k", "v"), results


def mla_rope_concat_cache(rows, tokens, _):
    """Kimi-K2 and GLM-5.2, bf16."""
    turn, angle = tables(rows, tokens, 64)
    operands = {"q_latent": rows.activations(tokens, 64, 512), "q_rope": rows.activations(tokens, 64, 64),
                "k_latent": rows.activations(tokens, 512), "k_rope": rows.activations(tokens, 64), **turn,
                "slot": rows.slots(tokens, 128), "latents": rows.bytes(2, 64 * 576 * 2)}
    qr = f.bf16(steps.rope(operands["q_rope"], angle[:, None], 0, 64, "gptj"))
    kr = f.bf16(steps.rope(operands["k_rope"], angle, 0, 64, "gptj"))
    cache = operands["latents"].copy()
    entry = f.bf16_bits(np.concatenate([operands["k_latent"], kr], axis=-1))
    fill(cache, operands["slot"], 64, lambda t, d: (t * 576 + d) * 2, entry)
    q = f.bf16_bits(np.concatenate([operands["q_latent"], qr], axis=-1))
    return bf16_stored(operands, "q_latent", "q_rope", "k_latent", "k_rope"), {"q": q, "latents": cache}


def mla_rope_ds_mla_cache(rows, tokens, _):
    """Rows of 656 bytes in e4m3fn."""
    turn, angle = tables(rows, tokens, 64)
    operands = {"k_latent": rows.activations(tokens, 512), "k_rope": rows.activations(tokens, 64), **turn,
                "slot": rows.slots(tokens, 128), "latents": rows.bytes(2, 64 * 656)}
    parts = steps.groups(operands["k_latent"], 128)
    scales = np.maximum(np.abs(parts).max(axis=-1) / F32(448), F32(2.0**-126))  # FLT_MIN
    cache, slot = operands["latents"].copy(), operands["slot"]
    kr = f.bf16_bits(steps.rope(operands["k_rope"], angle, 0, 64, "gptj"))
    fill(cache, slot, 64, lambda t, d: t * 656 + d, steps.divided(parts, scales, "f8e4m3fn").reshape(tokens, 512))
    fill(cache, slot, 64, lambda t, d: t * 656 + 512 + 4 * d, scales)
    fill(cache, slot, 64, lambda t, d: t * 656 + 528 + 2 * d, kr)
    return bf16_stored(operands, "k_latent", "k_rope"), {"latents": cache}


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
