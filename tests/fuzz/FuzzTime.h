// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a test that could go on for ever does so: BRAID_FUZZ_SECONDS, or its own default.

#pragma once

#include <chrono>
#include <cstdlib>

namespace braid::fuzz {

class FuzzTime {
public:
  explicit FuzzTime(double ownSeconds) {
    const char *given = std::getenv("BRAID_FUZZ_SECONDS");
    seconds = given ? std::atof(given) : ownSeconds;
  }

  double spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  bool isOver() const { return spent() >= seconds; }

private:
  double seconds = 0;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace braid::fuzz
