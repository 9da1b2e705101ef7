// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operand in a heap block of its own. Its units (rows, scalars, pages) lie apart, and all
// between, before and behind them is poisoned, so one byte past a row or page is an error. Owns the
// block.

#pragma once

#include "runtime/HostArray.h"
#include "runtime/KernelMeta.h"
#include "runtime/Operand.h"

#include <memory>
#include <string>
#include <vector>

namespace braid::sanitizer {

class PlacedOperand {
public:
  /// `unitAxes`: how many of the last axes a unit spans (0: each element is one). `align`: of the
  /// first byte of every unit.
  static Status place(std::string name, HostArray source, unsigned unitAxes, uint64_t align,
                      std::string unitName, PlacedOperand &placed);

  runtime::Operand operand() const;
  /// Copies the units back to the array that they came from.
  void readBack() const;
  const HostArray &array() const { return source; }
  const std::string &name() const { return operandName; }

  bool owns(const void *address) const;
  /// Which unit an address is in or behind: "at byte 128 of row [3, 2], which has 128".
  std::string describe(const void *address) const;

private:
  struct Free {
    void operator()(std::byte *block) const;
  };

  std::byte *unit(uint64_t index) const { return payload + index * unitStride; }
  uint64_t units() const { return unitBytes ? source.byteCount() / unitBytes : 0; }

  std::string operandName, unitName;
  HostArray source; // contiguous
  std::vector<int64_t> strides, unitExtents;
  uint64_t unitBytes = 0, unitStride = 0, blockBytes = 0;
  std::unique_ptr<std::byte, Free> block;
  std::byte *payload = nullptr;
};

} // namespace braid::sanitizer
