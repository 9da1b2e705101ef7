// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of one random program under construction: parameters, declarations, statements, names.

#pragma once

#include "tests/fuzz/RandomPrograms.h"
#include "tests/fuzz/Randomness.h"

#include <string>
#include <vector>

namespace braid::fuzz {

/// An axis as it stands in the text, and its extent (0: run-time).
struct TextAxis {
  std::string name;
  int extent = 0;
};

/// A name of the program that expressions may use.
struct TextValue {
  std::string name;
  std::string dtype;
  bool full = false; ///< has all axes of its group's rows
};

class ProgramWriter {
public:
  explicit ProgramWriter(uint64_t seed) : random(seed) {}

  Randomness random;

  /// All axes that values of the statements to come may have together.
  std::vector<TextAxis> around;

  void count(const std::string &feature) { ++features[feature]; }
  std::string fresh(const std::string &stem) { return stem + std::to_string(next++); }
  /// An int parameter of that value, as an axis.
  TextAxis parameterAxis(const std::string &stem, int extent);
  TextAxis runTimeAxis();
  void parameter(const std::string &text) { parameters.push_back(text); }

  std::string input(const std::string &stem, const std::string &dtype,
                    const std::vector<TextAxis> &axes);
  /// Read and stored.
  std::string inout(const std::string &stem, const std::string &dtype,
                    const std::vector<TextAxis> &axes);
  std::string output(const std::string &stem, const std::string &dtype,
                     const std::vector<TextAxis> &axes);
  void cache(const std::string &name, const std::string &layout);
  void statement(const std::string &text) { statements.push_back(text); }

  RandomProgram finish();

private:
  std::string declaration(const std::string &kind, const std::string &name,
                          const std::string &dtype, const std::vector<TextAxis> &axes);

  std::map<std::string, int> features;
  std::vector<std::string> parameters, declarations, statements, stored;
  int next = 0;
};

} // namespace braid::fuzz
