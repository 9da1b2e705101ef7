// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout of the library with random legal arguments. Arguments are tried until the library takes
// them, so a new layout needs nothing here unless it has a parameter of a new kind.

#pragma once

#include "tests/fuzz/Randomness.h"

#include <optional>
#include <string>
#include <vector>

namespace braid::fuzz {

struct RandomField {
  std::string name, dtype;
  std::vector<int64_t> extents;
};

struct RandomLayout {
  std::string name;
  std::string text; ///< as a program writes it
  std::vector<RandomField> fields;
};

/// Whose rows have `row` elements where the layout leaves that open; nothing if no arguments were
/// found.
std::optional<RandomLayout> randomLayout(Randomness &random, int row);

} // namespace braid::fuzz
