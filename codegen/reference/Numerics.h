// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle's arithmetic on rows and scalars: each function is the rule itself, written the
// plainest way, and shares nothing with templates/ but exp. Compiled without contraction, in the default
// rounding mode. Functions without state.

#pragma once

#include "runtime/DType.h"

#include <cstdint>
#include <span>

namespace braid::reference {

/// Rows longer than this are folded by strips of it before the tree sum.
inline constexpr size_t kStripElements = 2048;

/// The declared sum: a balanced tree over the element index, padded to a power of two with +0,
/// whose lowest level adds neighbours. Rows over kStripElements: first element i of every strip is
/// added up in increasing order, absent ones as +0. An empty row gives +0.
float treeSum(std::span<const float> row);

/// The largest magnitude of a row; NaN and infinity count as the largest finite f32. 0 for an empty
/// row.
float rowAmax(std::span<const float> row);

/// The least power of two s in f32 with max * s >= amax, both positive and finite, max at least 2.
/// Compared exactly.
float ue8m0Scale(float amax, float max);

/// The e8m0 code of a power of two between 2^-127 and 2^127.
uint8_t e8m0Code(float powerOfTwo);

/// Single roundings, for the interpreter's sake under the names of the language.
float fma(float a, float b, float c);
/// The square root, rounded, then its reciprocal, rounded.
float reciprocalSqrt(float x);
/// e to the power of x, by the implementation that kernels run (templates/braid/exp.h): the one
/// function that the oracle shares with them, because its bits are what the language defines.
float exp(float x);
/// The operand that is a number, where only one is; max(-0, +0) = +0 and min(-0, +0) = -0.
float maximum(float a, float b);
float minimum(float a, float b);

} // namespace braid::reference
