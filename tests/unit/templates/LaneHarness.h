// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a function on the lanes of one workgroup, one after the other, switching at every exchange.
// It provides the entry points that the device headers call on the host. One run at a time; nothing
// here is thread-safe.
#pragma once
#include "braid/device.h"

#include <functional>
#include <vector>

namespace braid::test {

// Calls body(lane) for every lane below `lanes`, all of them in step from exchange to exchange.
void runLanes(u32 lanes, const std::function<void(u32)> &body);

// A generator of test bits with a fixed sequence.
class Random {
public:
  explicit Random(u64 seed) : state(seed * 2 + 1) {}
  u32 bits() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<u32>(state >> 32);
  }
  // A number of moderate size, sometimes zero of either sign, NaN or Inf where `special` is set.
  f32 number(bool special);

private:
  u64 state;
};

// Equal bits, or NaN both.
inline bool sameNumber(f32 a, f32 b) { return bitsOf(a) == bitsOf(b) || (a != a && b != b); }

// The sum over index order as one balanced binary tree: the meaning of every row sum.
f32 treeSum(std::vector<f32> values);

} // namespace braid::test
