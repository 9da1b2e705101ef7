// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices from a seed; the same on every platform.

#pragma once

#include <random>
#include <vector>

namespace braid::fuzz {

class Randomness {
public:
  explicit Randomness(uint64_t seed) : engine(seed * 0x9E3779B97F4A7C15u + 1) {}

  uint64_t bits() { return engine(); }
  /// 0 .. bound-1.
  int below(int bound) { return static_cast<int>(engine() % static_cast<uint64_t>(bound)); }
  int between(int least, int most) { return least + below(most - least + 1); }
  bool oneIn(int count) { return below(count) == 0; }
  template <typename T>
  const T &of(const std::vector<T> &list) {
    return list[static_cast<size_t>(below(static_cast<int>(list.size())))];
  }

private:
  std::mt19937_64 engine;
};

} // namespace braid::fuzz
