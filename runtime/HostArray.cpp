// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/HostArray.h"

#include "runtime/NpzErrors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace braid {

static_assert(std::endian::native == std::endian::little, "arrays are little-endian in files");

namespace {

constexpr std::align_val_t kAlignment{64};

/// The extents of an array of that type can be stored: rows of 4-bit elements fill whole bytes.
bool rowsFillBytes(unsigned bits, std::span<const int64_t> extents) {
  return bits >= 8 || extents.empty() || extents.back() % (8 / bits) == 0;
}

} // namespace

std::optional<int64_t> checkedElementCount(std::span<const int64_t> extents) {
  // Eight bytes an element must still fit, and zero extents must not hide an overflow, for strides
  // are products too.
  constexpr int64_t kLimit = std::numeric_limits<int64_t>::max() / 8;
  int64_t product = 1;
  bool empty = false;
  for (int64_t extent : extents) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (product > kLimit / extent)
      return std::nullopt;
    product *= extent;
  }
  return empty ? 0 : product;
}

std::shared_ptr<std::byte[]> allocateBytes(uint64_t count) {
  const uint64_t size = count == 0 ? 1 : count;
  void *storage = ::operator new(size, kAlignment, std::nothrow);
  if (!storage)
    return nullptr;
  std::memset(storage, 0, size);
  return {static_cast<std::byte *>(storage),
          [](std::byte *data) { ::operator delete(data, kAlignment); }};
}

std::string extentsText(std::span<const int64_t> extents) {
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

std::vector<int64_t> contiguousStrides(std::span<const int64_t> extents) {
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (size_t axis = extents.size(); axis-- > 0; stride *= std::max<int64_t>(extents[axis], 1))
    strides[axis] = stride;
  return strides;
}

Status HostArray::zeros(std::optional<DType> dtype, std::vector<int64_t> extents, HostArray &out) {
  HostArray array;
  array.dtype = dtype;
  array.extents = std::move(extents);
  const std::string shape = extentsText(array.extents);
  if (!checkedElementCount(array.extents))
    return makeError(NpzError::ArrayTooLarge, fmt::format("an array of extents {}", shape),
                     "extents are 0 or more and their product times 8 bytes fits 63 bits",
                     "ask for fewer elements");
  if (!rowsFillBytes(array.elementBits(), array.extents))
    return makeError(NpzError::ArraySlice,
                     fmt::format("an array of {} with extents {}", array.typeName(), shape),
                     "4-bit elements are stored two to a byte, so a row has an even number of them",
                     "make the last extent even");
  array.strides = contiguousStrides(array.extents);
  array.bytes = allocateBytes(array.byteCount());
  if (!array.bytes)
    return makeError(NpzError::OutOfMemory,
                     fmt::format("no memory for an array of {} {}", array.typeName(), shape),
                     fmt::format("{} bytes are needed", array.byteCount()),
                     "use fewer tokens or pages, or a machine with more memory");
  out = std::move(array);
  return {};
}

std::string_view HostArray::typeName() const { return dtype ? dtypeName(*dtype) : "bytes"; }

int64_t HostArray::elementCount() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

uint64_t HostArray::byteCount() const {
  return static_cast<uint64_t>(elementCount()) * elementBits() / 8;
}

bool HostArray::isContiguous() const {
  int64_t expected = 1;
  for (size_t axis = rank(); axis-- > 0; expected *= extents[axis])
    if (extents[axis] != 1 && strides[axis] != expected)
      return elementCount() == 0;
  return true;
}

std::byte *HostArray::data() const {
  return bytes.get() + static_cast<uint64_t>(first) * elementBits() / 8;
}

std::span<std::byte> HostArray::contiguousBytes() const { return {data(), byteCount()}; }

Status HostArray::contiguous(HostArray &out) const {
  if (isContiguous()) {
    out = *this;
    return {};
  }
  HostArray copy;
  if (Status status = zeros(dtype, extents, copy); !status.ok())
    return status;
  const int64_t count = elementCount();
  for (int64_t flat = 0; flat < count; ++flat)
    copy.storeBits(flat, loadBits(offsetOf(flat)));
  out = std::move(copy);
  return {};
}

Status HostArray::slice(size_t axis, int64_t begin, int64_t end, HostArray &out) const {
  if (axis >= rank())
    return makeError(NpzError::ArraySlice, fmt::format("a slice of axis {}", axis),
                     fmt::format("the array has {} axes: {}", rank(), extentsText(extents)),
                     "name one of its axes, counted from 0");
  if (begin < 0 || end < begin || end > extents[axis])
    return makeError(
        NpzError::ArraySlice, fmt::format("the range {}:{} of axis {}", begin, end, axis),
        fmt::format("that axis has {} elements: {}", extents[axis], extentsText(extents)),
        fmt::format("use a range inside 0:{}", extents[axis]));
  HostArray part = *this;
  part.first += begin * strides[axis];
  part.extents[axis] = end - begin;
  if ((part.first * elementBits()) % 8 != 0 || !rowsFillBytes(elementBits(), part.extents))
    return makeError(NpzError::ArraySlice,
                     fmt::format("the range {}:{} of axis {}", begin, end, axis),
                     "4-bit elements are stored two to a byte, so a row starts and ends on a byte",
                     "use even bounds");
  out = std::move(part);
  return {};
}

int64_t HostArray::offsetOf(int64_t flat) const {
  int64_t offset = first;
  for (size_t axis = rank(); axis-- > 0;) {
    offset += flat % extents[axis] * strides[axis];
    flat /= extents[axis];
  }
  return offset;
}

uint64_t HostArray::loadBits(int64_t offset) const {
  const unsigned bits = elementBits();
  if (bits == 4)
    return std::to_integer<uint64_t>(bytes[offset / 2]) >> (offset % 2 * 4) & 0xF;
  uint64_t value = 0;
  std::memcpy(&value, bytes.get() + offset * (bits / 8), bits / 8);
  return value;
}

void HostArray::storeBits(int64_t offset, uint64_t value) const {
  const unsigned bits = elementBits();
  if (bits == 4) {
    const unsigned shift = offset % 2 * 4;
    std::byte &pair = bytes[offset / 2];
    pair = (pair & ~(std::byte{0xF} << shift)) | std::byte(value & 0xF) << shift;
    return;
  }
  std::memcpy(bytes.get() + offset * (bits / 8), &value, bits / 8);
}

} // namespace braid
