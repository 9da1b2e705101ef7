// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op's reference meaning works on: whole arrays of f32 or of indices, row-major, and the
// operands of the launch. One evaluation belongs to one thread.

#pragma once

#include "codegen/dialect/Braid.h"
#include "runtime/Fault.h"
#include "runtime/HostArray.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <vector>

namespace braid {

/// A value of the program: numbers for float dtypes, indices for integer ones.
struct HostValue {
  llvm::SmallVector<int64_t> extents;
  std::vector<float> numbers;
  std::vector<int64_t> indices;

  int64_t count() const;
  /// Length of the last axis; 1 for rank 0.
  int64_t rowLength() const { return extents.empty() ? 1 : extents.back(); }
};

class Evaluation {
public:
  /// `operands` by name; `counts` gives the extent of each run-time axis.
  Evaluation(llvm::StringMap<HostArray> operands, llvm::StringMap<int64_t> counts)
      : operands(std::move(operands)), counts(std::move(counts)) {}

  const HostValue &get(mlir::Value value) const { return *values.find(value)->second; }
  /// Makes the value of `result`, zeros over the extents of its axes. References to other values
  /// stay valid.
  HostValue &define(mlir::Value result);
  /// The numbers of `value` repeated over the axes of `type` (which has them all).
  std::vector<float> broadcast(mlir::Value value, ValueType type) const;
  /// The same for rows of an op: their last axes meet each other whatever their names are, and the
  /// leading axes match among themselves.
  std::vector<float> broadcastRows(mlir::Value value, ValueType type) const;

  /// The mask repeated over the axes of `type`: 1 or 0 an element.
  std::vector<int64_t> broadcastMask(mlir::Value mask, ValueType type) const;

  /// Counts a fault of check `number`, found at the index with that number in row-major order.
  void countFault(size_t number, uint64_t flat, int64_t value, uint64_t limit);
  const std::vector<FaultCount> &faults() const { return faultCounts; }

  /// The array bound to a braid.operand.
  const HostArray &operand(mlir::Value handle) const;
  /// The array bound to buffer `index` of a cache.
  const HostArray &buffer(mlir::Value cache, size_t index) const;
  /// The slots of a cache: the least number of pages over its buffers, times the page size.
  uint64_t capacity(mlir::Value cache) const;
  int64_t extent(AxisAttr axis) const;
  llvm::SmallVector<int64_t> extents(llvm::ArrayRef<AxisAttr> axes) const;

private:
  template <typename T>
  std::vector<T> repeat(const std::vector<T> &from, llvm::ArrayRef<AxisAttr> inner,
                        llvm::ArrayRef<AxisAttr> outer, llvm::ArrayRef<unsigned> at) const;

  llvm::StringMap<HostArray> operands;
  llvm::StringMap<int64_t> counts;
  llvm::DenseMap<mlir::Value, std::unique_ptr<HostValue>> values; // in places that do not move
  std::vector<FaultCount> faultCounts;                            // by the check's number
};

/// The storage element `offset` of a float array as f32, and of an integer one as i64.
float readNumber(const HostArray &array, int64_t offset);
int64_t readIndex(const HostArray &array, int64_t offset);

/// Calls `visit(flat, offset)` for each element of `array` in row-major order, with its number and
/// its storage element.
template <typename Visit>
void forEachElement(const HostArray &array, Visit visit) {
  int64_t row = array.extents.empty() ? 1 : array.extents.back();
  int64_t stride = array.strides.empty() ? 0 : array.strides.back();
  for (int64_t flat = 0, count = array.elementCount(); flat < count; flat += row) {
    int64_t offset = array.offsetOf(flat);
    for (int64_t i = 0; i < row; ++i, offset += stride)
      visit(flat + i, offset);
  }
}
/// The bits that hold `number`, which is exact in `dtype`.
uint64_t numberBits(float number, DType dtype);

} // namespace braid
