// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, sigmoid and silu on fragments and scalars: exp is that of exp.h, the others are made of it
// by single operations.
#pragma once
#include "braid/device.h"
#include "braid/exp.h"
#include "braid/row.h"

namespace braid {

BRAID_DEVICE f32 sigmoidOf(f32 x) { return 1.0f / (1.0f + expOf(-x)); }
BRAID_DEVICE f32 siluOf(f32 x) { return x / (1.0f + expOf(-x)); }

template <class T, u32 N>
BRAID_DEVICE Frag<f32, N> expOf(const Frag<T, N> &x) {
  Frag<f32, N> result;
#pragma unroll
  for (u32 i = 0; i < N; ++i)
    result.values[i] = expOf(elementAt(x, i));
  return result;
}

template <class T, u32 N>
BRAID_DEVICE Frag<f32, N> sigmoidOf(const Frag<T, N> &x) {
  Frag<f32, N> result;
#pragma unroll
  for (u32 i = 0; i < N; ++i)
    result.values[i] = sigmoidOf(elementAt(x, i));
  return result;
}

template <class T, u32 N>
BRAID_DEVICE Frag<f32, N> siluOf(const Frag<T, N> &x) {
  Frag<f32, N> result;
#pragma unroll
  for (u32 i = 0; i < N; ++i)
    result.values[i] = siluOf(elementAt(x, i));
  return result;
}

} // namespace braid
