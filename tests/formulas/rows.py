# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Made-up operands: heavy-tailed rows with outlier channels, and rows that are hard to quantise. The
same seed gives the same arrays as long as numpy's PCG64 does."""

import numpy as np

import arithmetic as f
from arithmetic import F32


class Rows:
    def __init__(self, seed):
        self.random = np.random.Generator(np.random.PCG64(seed))

    def normal(self, *shape):
        return self.random.standard_normal(shape, dtype=F32)

    def activations(self, *shape):
        """bf16. Of every 16 rows one is special: zeros, tiny, huge, ties of the code grid, or with its
        largest magnitude at the edge of a binade of scales."""
        x = self.normal(*shape)
        x *= np.exp2(self.random.geometric(0.6, shape) - 1).astype(F32)
        x[..., self.random.integers(shape[-1], size=4)] *= 16
        rows = x.reshape(-1, shape[-1])
        special = rows[15::16]
        special[0::5] = 0
        special[1::5] *= F32(2.0**-60)
        special[2::5] *= F32(2.0**40)
        special[3::5] = self.random.integers(-64, 65, special[3::5].shape) / F32(4)
        edges = np.resize(np.array([448, 450, 446, 240, 241, 239, 224, 225, 223], F32), len(special[4::5]))
        special[4::5] = np.clip(special[4::5], -32, 32)
        special[4::5, shape[-1] // 2] = edges * np.exp2(self.random.integers(-8, 8, len(edges))).astype(F32)
        return f.bf16(x)

    def weights(self, n):
        return F32(1) + F32(0.1) * self.normal(n)

    def biases(self, n):
        return F32(0.02) * self.normal(n)

    def angles(self, rows, dims, theta=1e4):
        """Cosines, then sines."""
        turn = np.arange(rows)[:, None] * theta ** (-np.arange(0, dims, 2) / dims)
        return np.concatenate([np.cos(turn), np.sin(turn)], axis=1).astype(F32)

    def positions(self, count, rows):
        return self.random.integers(rows, size=count)

    def slots(self, count, capacity):
        return self.random.permutation(capacity)[:count]

    def bytes(self, *shape):
        return self.random.integers(256, size=shape, dtype=np.uint8)


POSITIONS = 512  # of the tables below


def tables(rows, tokens, dims, pos="pos"):
    operands = {"angle": rows.angles(POSITIONS, dims), pos: rows.positions(tokens, POSITIONS)}
    return operands, operands["angle"][operands[pos]]


def bf16_stored(operands, *names):
    return {name: f.bf16_bits(array) if name in names else array for name, array in operands.items()}
