// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// layer_norm: y = fma(d * (1 / sqrt(var + eps)), gamma, beta) with d = x - mean, two passes, biased
// variance.
#pragma once
#include "braid/device.h"
#include "braid/reduce.h"
#include "braid/row.h"

namespace braid {

template <class Rows, class T, class G, class B, u32 N>
BRAID_DEVICE Frag<f32, N> layerNorm(const Frag<T, N> &x, const Frag<G, N> &gamma,
                                    const Frag<B, N> &beta, f32 eps) {
  constexpr f32 kCount = Rows::kElements;
  const f32 mean = reduceSum<Rows>(x) / kCount;
  Frag<f32, N> result, squares;
#pragma unroll
  for (u32 i = 0; i < N; i += 2) {
    const Pair d = pairAt(x, i) - Pair{mean, mean};
    setPair(result, i, d);
    setPair(squares, i, d * d);
  }
  const f32 variance = reduceSum<Rows>(squares) / kCount;
  const f32 rstd = 1.0f / squareRoot(variance + eps);
#pragma unroll
  for (u32 i = 0; i < N; i += 2)
    setPair(result, i,
            mulAdd(pairAt(result, i) * Pair{rstd, rstd}, pairAt(gamma, i), pairAt(beta, i)));
  return result;
}

} // namespace braid
