// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/reference/Evaluation.h"

#include "codegen/reference/FloatFormat.h"
#include "codegen/reference/Numerics.h"

#include <bit>
#include <cstring>

using namespace mlir;

namespace braid {

int64_t HostValue::count() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

int64_t Evaluation::extent(AxisAttr axis) const {
  return axis.isRuntime() ? counts.lookup(axis.getName()) : axis.getExtent();
}

SmallVector<int64_t> Evaluation::extents(ArrayRef<AxisAttr> axes) const {
  return llvm::map_to_vector(axes, [&](AxisAttr axis) { return extent(axis); });
}

HostValue &Evaluation::define(Value result) {
  auto type = cast<ValueType>(result.getType());
  std::unique_ptr<HostValue> &place = values[result];
  place = std::make_unique<HostValue>();
  HostValue &value = *place;
  value.extents = extents(type.getAxes());
  if (isa<IntegerType>(type.getDtype()))
    value.indices.assign(value.count(), 0);
  else
    value.numbers.assign(value.count(), 0.0f);
  return value;
}

const HostArray &Evaluation::operand(Value handle) const {
  return operands.find(handle.getDefiningOp<OperandOp>().getName())->second;
}

const HostArray &Evaluation::buffer(Value cache, size_t index) const {
  LayoutAttr layout = cast<CacheType>(cache.getType()).getLayout();
  StringRef name = cache.getDefiningOp<OperandOp>().getName();
  return operands.find(bufferName(name, index, layout.getBuffers()))->second;
}

uint64_t Evaluation::capacity(Value cache) const {
  LayoutAttr layout = cast<CacheType>(cache.getType()).getLayout();
  int64_t pages = buffer(cache, 0).extents[0];
  for (size_t i = 1; i < layout.getBuffers(); ++i)
    pages = std::min(pages, buffer(cache, i).extents[0]);
  return uint64_t(pages) * layout.getPageSize();
}

template <typename T>
std::vector<T> Evaluation::repeat(const std::vector<T> &from, ArrayRef<AxisAttr> inner,
                                  ArrayRef<AxisAttr> outer, ArrayRef<unsigned> at) const {
  SmallVector<int64_t> outerExtents = extents(outer), strides(outer.size(), 0);
  int64_t stride = 1;
  for (size_t i = inner.size(); i-- > 0; stride *= extent(inner[i]))
    strides[at[i]] = stride;
  int64_t count = 1;
  for (int64_t extent : outerExtents)
    count *= extent;
  std::vector<T> result(count);
  SmallVector<int64_t> index(outer.size(), 0);
  int64_t offset = 0;
  for (T &element : result) {
    element = from[offset];
    // Count the index up, innermost axis first.
    for (size_t i = outer.size(); i-- > 0;) {
      offset += strides[i];
      if (++index[i] < outerExtents[i])
        break;
      offset -= strides[i] * outerExtents[i];
      index[i] = 0;
    }
  }
  return result;
}

std::vector<float> Evaluation::broadcast(Value value, ValueType type) const {
  ArrayRef<AxisAttr> inner = cast<ValueType>(value.getType()).getAxes();
  bool ambiguous = false;
  return repeat(get(value).numbers, inner, type.getAxes(),
                *matchAxes(inner, type.getAxes(), ambiguous));
}

std::vector<float> Evaluation::broadcastRows(Value value, ValueType type) const {
  ArrayRef<AxisAttr> inner = cast<ValueType>(value.getType()).getAxes(), outer = type.getAxes();
  bool ambiguous = false;
  SmallVector<unsigned> at = *matchAxes(inner.drop_back(), outer.drop_back(), ambiguous);
  at.push_back(outer.size() - 1);
  return repeat(get(value).numbers, inner, outer, at);
}

std::vector<int64_t> Evaluation::broadcastMask(Value mask, ValueType type) const {
  ArrayRef<AxisAttr> inner = cast<ValueType>(mask.getType()).getAxes();
  bool ambiguous = false;
  return repeat(get(mask).indices, inner, type.getAxes(),
                *matchAxes(inner, type.getAxes(), ambiguous));
}

void Evaluation::countFault(size_t number, uint64_t flat, int64_t value, uint64_t limit) {
  if (faultCounts.size() <= number)
    faultCounts.resize(number + 1);
  FaultCount &fault = faultCounts[number];
  if (fault.count++ == 0 || flat < fault.flat)
    fault = {fault.count, flat, value, limit};
}

float readNumber(const HostArray &array, int64_t offset) {
  uint64_t bits = array.loadBits(offset);
  if (array.dtype == DType::F32)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return static_cast<float>(reference::decode(*array.dtype, bits));
}

int64_t readIndex(const HostArray &array, int64_t offset) {
  uint64_t bits = array.loadBits(offset);
  return array.dtype == DType::I32 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
}

uint64_t numberBits(float number, DType dtype) {
  if (dtype == DType::E8M0)
    return reference::e8m0Code(number);
  return reference::encode(dtype, number);
}

} // namespace braid
