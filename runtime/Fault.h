// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a checked build reports of an index outside the table or cache in which it chooses. Plain
// values.

#pragma once

#include <cstdint>
#include <string>

namespace braid {

/// Faults of one check: how many, and the one whose index comes first in row-major order.
struct FaultCount {
  uint64_t count = 0;
  uint64_t flat = 0; // number of that index in row-major order: the token, where tokens have one
  int64_t value = 0;
  uint64_t limit = 0;

  bool operator==(const FaultCount &) const = default;
};

/// The faults of one check, with names.
struct Fault {
  std::string index;      // operand that holds the indices
  std::string chosenFrom; // table or cache in which they choose
  uint64_t count = 0;
  uint64_t token = 0; // of the first fault
  int64_t value = 0;
  uint64_t limit = 0; // valid indices are 0 .. limit - 1; -1 too where it is a slot

  /// "`slot`: 2 values lie outside `index_k`; first: token 3, value 640, limit 640"
  std::string text() const;
};

} // namespace braid
