// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Overlap.h"

namespace braid::runtime {

bool sharesBytes(const Footprint &a, const Footprint &b) {
  if (a.rows == 0 || b.rows == 0)
    return false;
  if (a.end() <= b.begin || b.end() <= a.begin)
    return false;
  // A single row has no stride of its own and takes the other's.
  const uint64_t stride = a.rows > 1 ? a.stride : b.stride;
  if ((a.rows == 1 && b.rows == 1) || (a.rows > 1 && b.rows > 1 && a.stride != b.stride))
    return true;
  // Columns modulo the stride, counted from a's first: a takes [0, a.span), b takes [shift, shift +
  // b.span).
  const uint64_t distance = b.begin >= a.begin ? b.begin - a.begin : a.begin - b.begin;
  const uint64_t remainder = distance % stride;
  const uint64_t shift = b.begin >= a.begin || remainder == 0 ? remainder : stride - remainder;
  return shift < a.span || b.span > stride - shift;
}

} // namespace braid::runtime
