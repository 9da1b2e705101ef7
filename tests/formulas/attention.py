# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention prologues of examples/ a second time, in numpy: kernels.py has the rest, and says what a
function makes."""

import numpy as np

import arithmetic as f
import steps
from arithmetic import F32
from command import fill
from rows import bf16_stored, tables


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
