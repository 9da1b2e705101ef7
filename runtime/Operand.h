// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a caller hands to a launch. Nothing is owned: data, extents and strides must live until the
// call returns.

#pragma once

#include "runtime/DType.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace braid::runtime {

struct Operand {
  void *data = nullptr;
  /// Absent: bytes, as the pages of a cache are.
  std::optional<DType> dtype;
  std::span<const int64_t> extents;
  std::span<const int64_t> strides; // in elements, one an axis
};

/// A count that the caller sets for a run-time axis; at most the minimum over the operands.
struct RowCount {
  std::string_view axis;
  int64_t count = 0;
};

} // namespace braid::runtime
