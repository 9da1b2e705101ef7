// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeded operands for `braid verify`: values that reach the edges of the arithmetic, positions and
// slots that reach the edges of their tables. The same seed gives the same bits on every platform:
// an own generator, integer and exactly rounded arithmetic only. Functions without state.

#pragma once

#include "runtime/HostArray.h"
#include "runtime/Status.h"

#include <cstdint>
#include <string_view>

namespace braid::reference {

enum class OperandRole : uint8_t {
  Activation, ///< Rows: heavy-tailed with outlier columns; some zero, tiny, huge, some all ties.
  Weight,     ///< Around 1, a few zero or negative: gamma, beta, given scales' magnitudes apart.
  AngleTable, ///< Cosines and sines in [-1, 1], exact 0 and +-1 among them; any table form.
  Position,   ///< Rows of the table; about one in eight outside it on either side.
  Slot,       ///< Distinct slots of a fragmented cache; some -1, some the capacity or beyond.
  Poison,     ///< Random bytes, for what an output or a cache holds before.
};

struct RandomOptions {
  uint64_t seed = 0;
  bool nonfinite = false; ///< Activations: some rows hold NaN or infinity.
  int64_t tableRows = 1;  ///< Position: rows of the table.
  int64_t capacity = 0;   ///< Slot: pages times page size.
};

/// Fills every element of the array (of any strides). Activation, Weight and AngleTable need f32,
/// bf16 or f16; Position and Slot i32 or i64; Poison takes all. The error names role and type.
/// Give each operand a seed of its own (seedFor), or equal shapes hold equal values.
Status fillRandom(const HostArray &array, OperandRole role, const RandomOptions &options);

/// A seed for one operand of a run.
uint64_t seedFor(uint64_t seed, std::string_view operand);

} // namespace braid::reference
