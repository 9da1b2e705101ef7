// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rms_norm: y = (x * r) * w with r = 1 / sqrt(sum(x * x) / n + eps) and w = gamma or 1 + gamma.
#pragma once
#include "braid/device.h"
#include "braid/reduce.h"
#include "braid/row.h"

namespace braid {

enum class NormWeight { plain, one_plus };

template <class Rows, class T, u32 N>
BRAID_DEVICE f32 rmsRstd(const Frag<T, N> &x, f32 eps) {
  constexpr f32 kCount = Rows::kElements;
  Frag<f32, N> squares;
#pragma unroll
  for (u32 i = 0; i < N; i += 2)
    setPair(squares, i, pairAt(x, i) * pairAt(x, i));
  return 1.0f / squareRoot(reduceSum<Rows>(squares) / kCount + eps);
}

template <class Rows, NormWeight kWeight, class T, class G, u32 N>
BRAID_DEVICE Frag<f32, N> rmsNorm(const Frag<T, N> &x, const Frag<G, N> &gamma, f32 eps) {
  const f32 rstd = rmsRstd<Rows>(x, eps);
  Frag<f32, N> result;
#pragma unroll
  for (u32 i = 0; i < N; i += 2) {
    Pair weight = pairAt(gamma, i);
    if constexpr (kWeight == NormWeight::one_plus)
      weight = Pair{1.0f, 1.0f} + weight;
    setPair(result, i, pairAt(x, i) * Pair{rstd, rstd} * weight);
  }
  return result;
}

} // namespace braid
