// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/reference/Numerics.h"

#include "braid/exp.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#if defined(__FAST_MATH__)
#error "the oracle needs IEEE arithmetic"
#endif

namespace braid::reference {
namespace {

/// The tree over `size` elements (a power of two) that begin at `first`. Halving the range from the
/// top gives the same additions as pairing neighbours from the bottom.
float halves(std::span<const float> row, size_t first, size_t size) {
  if (size == 1)
    return first < row.size() ? row[first] : 0.0f;
  return halves(row, first, size / 2) + halves(row, first + size / 2, size / 2);
}

} // namespace

float treeSum(std::span<const float> row) {
  if (row.size() <= kStripElements)
    return halves(row, 0, std::bit_ceil(row.size()));
  std::vector<float> partial(row.begin(), row.begin() + kStripElements);
  for (size_t strip = kStripElements; strip < row.size(); strip += kStripElements)
    for (size_t i = 0; i < kStripElements; ++i)
      partial[i] += strip + i < row.size() ? row[strip + i] : 0.0f;
  return halves(partial, 0, kStripElements);
}

float rowAmax(std::span<const float> row) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  float amax = 0.0f;
  for (float x : row)
    amax = std::isfinite(x) ? std::max(amax, std::fabs(x)) : kLargest;
  return amax;
}

float ue8m0Scale(float amax, float max) {
  // A product of two f32 is exact in double, so the comparison is.
  constexpr int kLowest = -149, kHighest = 127;
  int exponent = kLowest;
  while (exponent < kHighest && max * std::ldexp(1.0, exponent) < amax)
    ++exponent;
  return static_cast<float>(std::ldexp(1.0, exponent));
}

uint8_t e8m0Code(float powerOfTwo) { return static_cast<uint8_t>(std::ilogb(powerOfTwo) + 127); }

float fma(float a, float b, float c) { return std::fma(a, b, c); }

float reciprocalSqrt(float x) {
  const float root = std::sqrt(x);
  return 1.0f / root;
}

float exp(float x) { return expOf(x); }

float maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b) // equal numbers differ at most in the sign of zero
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

float minimum(float a, float b) { return -maximum(-a, -b); }

} // namespace braid::reference
