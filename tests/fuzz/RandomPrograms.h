// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legal programs from a seed, as text, so that the parser takes part. A program has groups: rows of
// one length over one list of leading axes, with inputs, statements and stores. What a program
// holds is counted by name, so that a test can demand that everything occurs.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace braid::fuzz {

struct RandomProgram {
  std::string text;
  std::vector<std::string> outputs; ///< to keep; empty: all
  /// "op rope", "layout linear", "input bf16", ...: how often.
  std::map<std::string, int> features;
};

/// The same seed gives the same program on every platform.
RandomProgram randomProgram(uint64_t seed);

/// What must occur in a run of some hundred programs: every op of the OpTable, every layout of the
/// library, and the generator's own list.
std::vector<std::string> demandedFeatures();

} // namespace braid::fuzz
