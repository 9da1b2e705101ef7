# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The indexer of each peer as its own code puts it: a function for queries and one for keys. Names,
order of steps and constants follow the peer (docs/profiles.md); arithmetic is an argument."""

import numpy as np

import arithmetic as f
import steps
from arithmetic import F32
from steps import DECLARED

HEAD_DIM, ROPE_DIM = 128, 64
EPS = 1e-6


def constant(value):
    """A number that the host computes in double and passes as float32."""
    return F32(value)


# --- queries: codes [rows, heads, 128] and gates [rows, heads] ------------------------------------------


def aiter_q(q, gate, angle, style, name, a=DECLARED):
    heads, largest = q.shape[1], f.FORMATS[name].largest
    q = f.bf16(steps.rope(q, angle, 0, ROPE_DIM, style, a))
    scale = a.power_of_two_scale(steps.amax(q, 1e-10), largest)
    weights_scale = constant(1 / np.sqrt(HEAD_DIM * heads))
    return steps.multiplied(q, scale, name, a), gate * scale * weights_scale


def vllm_q(q, gate, angle, style, name, a=DECLARED):
    heads, largest = q.shape[1], F32(448 if name == "f8e4m3fn" else 224)
    q = f.bf16(steps.rope(q, angle, 0, ROPE_DIM, style, a))
    scale = a.power_of_two_scale(steps.amax(q, 1e-10), largest)
    softmax_scale, head_scale = constant(HEAD_DIM**-0.5), constant(heads**-0.5)
    return steps.divided(q, scale, name), gate * scale * softmax_scale * head_scale


def sglang_q(q, gate, angle, style, name, a=DECLARED):
    heads = q.shape[1]
    q = steps.rope(q, angle, 0, ROPE_DIM, style, a)
    scale = steps.amax(q, 1e-4) / F32(448)
    weight_scale = constant((HEAD_DIM * heads) ** -0.5)
    return steps.multiplied(q, scale, name, a), gate * weight_scale * scale


def sglang_rocm_unfused_q(q, gate, angle, style, name, a=DECLARED, first_product=f.bf16):
    heads, largest = q.shape[1], F32(448 if name == "f8e4m3fn" else 224)
    q = f.bf16(steps.rope(q, angle, 0, ROPE_DIM, style, a))
    scale = a.power_of_two_scale(steps.amax(q, 1e-4), largest)
    gate = first_product(gate * constant(heads**-0.5))
    return steps.divided(q, scale, name), gate * scale * constant(HEAD_DIM**-0.5)


def vllm_rocm_unfused_q(q, gate, angle, style, name, a=DECLARED):
    heads, largest = q.shape[1], F32(448 if name == "f8e4m3fn" else 224)
    q = f.bf16(steps.rope(q, angle, 0, ROPE_DIM, style, a))
    scale = a.power_of_two_scale(steps.amax(q, 1e-10), largest)
    return steps.multiplied(q, scale, name, a), gate * scale * constant(HEAD_DIM**-0.5) * constant(heads**-0.5)


def deepseek_scale(x, rule, a):
    """act_quant: the largest magnitude times 1/448, and with scale_fmt the power of two above it."""
    largest = steps.amax(x, 1e-4)
    return a.power_of_two_scale(largest, 448) if rule == "ue8m0" else largest * constant(1 / 448)


def deepseek_q(q, gate, angle, style, name, a=DECLARED, rule="ue8m0"):
    heads = q.shape[1]
    q = f.bf16(steps.rope(q, angle, 0, ROPE_DIM, style, a))
    q = f.bf16(a.hadamard(q, HEAD_DIM**-0.5))
    scale = deepseek_scale(q, rule, a)
    return steps.divided(q, scale, name), gate * constant(heads**-0.5) * scale * constant(HEAD_DIM**-0.5)


# --- keys: codes [rows, 128] and scales [rows] ----------------------------------------------------------


def aiter_k(k, gamma, beta, angle, style, name, a=DECLARED):
    k = f.bf16(steps.layer_norm(k, gamma, beta, EPS, a))
    k = f.bf16(steps.rope(k, angle, 0, ROPE_DIM, style, a))
    scale = a.power_of_two_scale(steps.amax(k, 1e-4), f.FORMATS[name].largest)
    return steps.multiplied(k, scale, name, a), scale


def vllm_k(k, gamma, beta, angle, style, name, a=DECLARED):
    largest = F32(448 if name == "f8e4m3fn" else 224)
    k = f.bf16(steps.layer_norm(k, gamma, beta, EPS, a))
    k = f.bf16(steps.rope(k, angle, 0, ROPE_DIM, style, a))
    scale = a.power_of_two_scale(steps.amax(k, 1e-4), largest)
    return steps.divided(k, scale, name), scale


def sglang_k(k, gamma, beta, angle, style, name, a=DECLARED):
    k = steps.layer_norm(k, gamma, beta, EPS, a)
    k = f.bf16(steps.rope(k, angle, 0, ROPE_DIM, style, a))
    scale = steps.amax(k, 1e-4) / F32(448)
    return steps.multiplied(k, scale, name, a), scale


def sglang_rocm_unfused_k(k, gamma, beta, angle, style, name, a=DECLARED):
    k = steps.layer_norm(k, gamma, beta, EPS, a)
    k = f.bf16(steps.rope(k, angle, 0, ROPE_DIM, style, a))
    scale = a.power_of_two_scale(steps.amax(k, 1e-4), f.FORMATS[name].largest)
    return steps.multiplied(k, scale, name, a), scale


def deepseek_k(k, gamma, beta, angle, style, name, a=DECLARED, rule="ue8m0"):
    k = f.bf16(steps.layer_norm(k, gamma, beta, EPS, a))
    k = f.bf16(steps.rope(k, angle, 0, ROPE_DIM, style, a))
    k = f.bf16(a.hadamard(k, HEAD_DIM**-0.5))
    scale = deepseek_scale(k, rule, a)
    return steps.divided(k, scale, name), scale
