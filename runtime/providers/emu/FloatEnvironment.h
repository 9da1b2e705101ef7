// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets the floating-point environment that kernels count on (nearest even, subnormals kept, no
// traps) and puts the caller's back. Of the OS thread that it lives on.

#pragma once

#include <immintrin.h>

namespace braid::emu {

class FloatEnvironment {
public:
  FloatEnvironment() : saved(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~FloatEnvironment() { _mm_setcsr(saved); }
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

private:
  static constexpr unsigned kDefault =
      0x1f80; // all exceptions masked, round to nearest, no FTZ, no DAZ
  unsigned saved;
};

} // namespace braid::emu
