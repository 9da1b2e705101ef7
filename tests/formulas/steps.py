# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The row operations of docs/semantics.md in numpy. Each takes the arithmetic that it is done in, so
that what other stacks do differently (order of a sum, contraction, reciprocals) can be put in its
place and counted."""

import numpy as np

import arithmetic as f
from arithmetic import F32, FORMATS


def hadamard(x, scale, strides=None):
    """Butterflies from stride 1 upward, or in another order."""
    n = x.shape[-1]
    for stride in strides or [1 << i for i in range(n.bit_length() - 1)]:
        y = x.reshape(*x.shape[:-1], n // (2 * stride), 2, stride)
        low, high = y[..., 0, :], y[..., 1, :]
        x = np.stack([low + high, low - high], axis=-2).reshape(x.shape)
    return x * F32(scale)


class Declared:
    """Braid's arithmetic. Peers override a step."""

    sum = staticmethod(f.tree_sum)
    power_of_two_scale = staticmethod(f.power_of_two_scale)
    hadamard = staticmethod(hadamard)

    @staticmethod
    def reciprocal_sqrt(x):
        return F32(1) / np.sqrt(x)

    @staticmethod
    def reciprocal(x):
        return F32(1) / x

    @staticmethod
    def rotate(first, second, cos, sin):
        return f.fma(first, cos, -(second * sin)), f.fma(second, cos, first * sin)

    @staticmethod
    def weigh(x, gamma, beta):
        return f.fma(x, gamma, beta)


DECLARED = Declared()


def pairs(begin, end, style):
    """Index lists of the first and second elements of the pairs of a rotation."""
    half = (end - begin) // 2
    if style == "neox":
        return np.arange(begin, begin + half), np.arange(begin + half, end)
    return np.arange(begin, end, 2), np.arange(begin + 1, end, 2)


def rope(x, angle, begin, end, style, a=DECLARED):
    """`angle`: a row of cosines, then sines, that broadcasts over x."""
    first, second = pairs(begin, end, style)
    cos, sin = np.split(angle, 2, axis=-1)
    y = x.copy()
    y[..., first], y[..., second] = a.rotate(x[..., first], x[..., second], cos, sin)
    return y


def layer_norm(x, gamma, beta, eps, a=DECLARED):
    n = F32(x.shape[-1])
    d = x - (a.sum(x) / n)[..., None]
    rstd = a.reciprocal_sqrt(a.sum(d * d) / n + F32(eps))
    return a.weigh(d * rstd[..., None], gamma, beta)


def rms_rstd(x, eps, a=DECLARED):
    return a.reciprocal_sqrt(a.sum(x * x) / F32(x.shape[-1]) + F32(eps))


def rms_norm(x, gamma, eps, a=DECLARED):
    return (x * rms_rstd(x, eps, a)[..., None]) * gamma


def silu(x):
    return x / (F32(1) + f.exp(-x))


def amax(x, floor):
    return np.maximum(np.abs(x).max(axis=-1), F32(floor))


def groups(x, size):
    return x.reshape(*x.shape[:-1], x.shape[-1] // size, size)


def multiplied(x, scale, name, a=DECLARED):
    """Codes of x * (1 / scale)."""
    return FORMATS[name].encode(x * a.reciprocal(scale)[..., None])


def divided(x, scale, name):
    """Codes of x / scale."""
    return FORMATS[name].encode(x / scale[..., None])
