// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements about rows of one length over one list of leading axes.

#pragma once

#include "tests/fuzz/ProgramWriter.h"
#include "tests/fuzz/RandomLayouts.h"

namespace braid::fuzz {

class RandomGroup {
public:
  /// `leading`: a run-time axis, then up to two named extents. `table`: the leading axes' first one
  /// is what positions and slots are indexed by.
  RandomGroup(ProgramWriter &writer, std::vector<TextAxis> leading, TextAxis row);

  void write();

private:
  std::string rowExpression(int depth);
  std::string fullOperand(int depth);
  std::string otherOperand(int depth);
  std::string scalarExpression(int depth);
  std::string constant();
  std::string rope(int depth);
  std::string layerNorm(int depth);
  std::string elementwise(const std::string &full, const std::string &other, int depth);
  std::string unary(const std::string &value);
  /// A gathered table row of that many elements: `table[pos]`.
  std::string gathered(const TextAxis &width, const std::string &dtype);
  std::string rmsNorm(int depth);
  std::string hadamard(int depth);
  std::string reduction();

  void assignRow();
  void assignScalar();
  void storeRow();
  void storeScalar();
  /// codes, scales; to outputs where asked for.
  std::pair<std::string, std::string> quantize(const std::string &format, const std::string &codes,
                                               const std::string &scales, bool powersOfTwo = true);
  void groups(const std::string &format, const std::string &codes);
  void storeCodes();
  void storeCache();
  std::string rowEntry(const std::string &dtype, std::string &scales);
  std::string scalarEntry(const std::string &dtype, const std::string &scales);
  std::string fieldRows(const RandomField &field, std::string &scales);

  std::vector<TextAxis> rowAxes() const;
  std::string randomInput(bool full);
  std::string parts();

  ProgramWriter &w;
  Randomness &random;
  std::vector<TextAxis> leading;
  TextAxis row;
  std::vector<std::string> rows, scalars; // names that may be used
  std::vector<std::string> positions;
  std::vector<TextAxis> entryAxes; // of the fields with rows of their own
};

} // namespace braid::fuzz
