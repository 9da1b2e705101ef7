// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of LaunchResolver that ask about addresses: strides, alignment, pages, overlap.

#include "runtime/LaunchResolver.h"

#include <algorithm>
#include <fmt/format.h>

namespace braid::runtime {
namespace {

Status refuse(Error error, const OperandMeta &operand, std::string what, std::string why,
              std::string fix) {
  return makeError(error, fmt::format("operand `{}`: {}", operand.name, what), std::move(why),
                   std::move(fix));
}

Status tooFar(const OperandMeta &operand) {
  return refuse(Error::AddressOverflow, operand, "its last byte lies beyond the address space",
                "base address, extents and strides contradict one another",
                "check the extents and strides");
}

} // namespace

Status LaunchResolver::checkMemory(unsigned index) {
  footprints[index] = {};
  if (!isTouched(index)) // no element is read or written: address and strides may be anything
    return {};
  return meta.operands[index].kind == OperandKind::Cache ? checkPages(index) : checkStrides(index);
}

Status LaunchResolver::checkPointer(const OperandMeta &operand, const void *data,
                                    uint64_t align) const {
  if (!data)
    return refuse(Error::PointerNull, operand, "its address is null",
                  "the launch touches its elements", "pass the tensor");
  if (reinterpret_cast<uintptr_t>(data) % align)
    return refuse(
        Error::PointerMisaligned, operand,
        fmt::format("its address is {} bytes past a multiple of {}",
                    reinterpret_cast<uintptr_t>(data) % align, align),
        fmt::format("the kernel accesses {} bytes at once and needs that alignment", align),
        fmt::format("start the view at a multiple of {} bytes, or copy the tensor", align));
  return {};
}

Status LaunchResolver::checkStrides(unsigned index) {
  const OperandMeta &wanted = meta.operands[index];
  const Operand &given = operands[index];
  if (Status status = checkPointer(wanted, given.data, wanted.align); !status.ok())
    return status;
  const unsigned bits = dtypeBits(wanted.dtype);
  const size_t rank = wanted.axes.size();

  // Axes that are stepped along, for the footprint: (stride in bits, extent).
  std::array<std::pair<uint64_t, uint64_t>, kMostOperandAxes> steps;
  size_t stepCount = 0;
  uint64_t leadingBits = 0, leadingRows = 1;
  for (unsigned axis = 0; axis < rank; ++axis) {
    const uint64_t extent = liveExtent(index, axis);
    if (extent <= 1)
      continue;
    const int64_t stride = given.strides[axis];
    const bool isRow = wanted.row && axis + 1 == rank;
    if (isRow && stride != 1)
      return refuse(Error::RowNotContiguous, wanted,
                    fmt::format("the stride of its last axis is {}", stride),
                    "the elements of a row are contiguous", "pass a contiguous copy of the rows");
    if (stride <= 0)
      return refuse(Error::StrideNotPositive, wanted,
                    fmt::format("the stride of axis {} is {}", axis, stride),
                    fmt::format("an axis of {} elements needs a positive stride; broadcast and "
                                "reversed views have none",
                                extent),
                    "pass a copy of the tensor");
    if (stride >= kStrideLimit)
      return refuse(Error::StrideTooLarge, wanted,
                    fmt::format("the stride of axis {} is {} elements", axis, stride),
                    "a stride is below 2^31 elements", "pass a denser copy of the tensor");
    const uint64_t strideBits = static_cast<uint64_t>(stride) * bits;
    if (!isRow && strideBits % (uint64_t(8) * wanted.align))
      return refuse(
          Error::StrideMisaligned, wanted,
          fmt::format("the stride of axis {} is {} elements, {} bytes", axis, stride,
                      strideBits / 8),
          fmt::format(
              "the kernel accesses {} bytes at once and needs strides of a multiple of them",
              wanted.align),
          fmt::format("use a stride that is a multiple of {} elements, or copy the tensor",
                      std::max<uint64_t>(1, uint64_t(8) * wanted.align / bits)));
    if (axis == 0 && !isRow) {
      leadingBits = strideBits;
      leadingRows = extent;
    }
    steps[stepCount++] = {strideBits, extent};
  }

  // Inside out: each step must clear what the steps within it cover, or a written element would
  // have two owners.
  std::sort(steps.begin(), steps.begin() + stepCount);
  uint64_t spanBits = bits;
  for (size_t i = 0; i < stepCount; ++i) {
    const auto [stride, extent] = steps[i];
    if (wanted.written() && stride < spanBits)
      return refuse(
          Error::WrittenOverlap, wanted, "its rows share bytes with one another",
          fmt::format("a stride of {} bytes is smaller than the {} bytes that it must step over",
                      stride / 8, (spanBits + 7) / 8),
          "pass a tensor whose elements all have places of their own");
    uint64_t reach = 0;
    if (__builtin_mul_overflow(extent - 1, stride, &reach) ||
        __builtin_add_overflow(spanBits, reach, &spanBits))
      return tooFar(wanted);
  }
  const auto begin = reinterpret_cast<uintptr_t>(given.data);
  if (begin + (spanBits + 7) / 8 < begin)
    return tooFar(wanted);
  footprints[index] = {begin, leadingRows, leadingBits / 8,
                       (spanBits - (leadingRows - 1) * leadingBits + 7) / 8};
  return {};
}

Status LaunchResolver::checkPages(unsigned index) {
  const OperandMeta &wanted = meta.operands[index];
  const LayoutMeta &layout = meta.layouts[wanted.layout];
  const Operand &given = operands[index];
  const uint64_t pageBytes = layout.pageBytes[wanted.buffer], align = layout.align[wanted.buffer];
  if (Status status = checkPointer(wanted, given.data, align); !status.ok())
    return status;
  if (pageBytes > 1 && given.strides[1] != 1)
    return refuse(Error::RowNotContiguous, wanted,
                  fmt::format("the bytes of a page are {} apart", given.strides[1]),
                  "a page is contiguous", "pass the cache as uint8 [pages, page bytes]");
  const auto pages = static_cast<uint64_t>(livePages(index));
  uint64_t stride = pageBytes, reach = 0, end = 0;
  if (pages > 1) {
    if (given.strides[0] < 0 || static_cast<uint64_t>(given.strides[0]) < pageBytes ||
        static_cast<uint64_t>(given.strides[0]) % align)
      return refuse(Error::PageStride, wanted,
                    fmt::format("the page stride is {} bytes", given.strides[0]),
                    fmt::format("layout `{}` needs at least {} bytes, a multiple of {}",
                                layout.name, pageBytes, align),
                    "pass pages at such a stride");
    stride = static_cast<uint64_t>(given.strides[0]);
  }
  const auto begin = reinterpret_cast<uintptr_t>(given.data);
  if (__builtin_mul_overflow(pages - 1, stride, &reach) ||
      __builtin_add_overflow(reach, pageBytes, &reach) ||
      __builtin_add_overflow(begin, reach, &end))
    return tooFar(wanted);
  footprints[index] = {begin, pages, stride, pageBytes};
  return {};
}

Status LaunchResolver::checkOverlap() const {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!meta.operands[i].written())
      continue;
    for (size_t j = 0; j < operands.size(); ++j) {
      // A pair of written operands is looked at once.
      if (j == i || (meta.operands[j].written() && j < i) ||
          !sharesBytes(footprints[i], footprints[j]))
        continue;
      return refuse(
          Error::WrittenOverlap, meta.operands[i],
          fmt::format("it is written and shares bytes with operand `{}`", meta.operands[j].name),
          "rows are computed in any order, so another operand's bytes may not change under it",
          "give the written operand memory of its own, or columns of its own at an equal stride");
    }
  }
  return {};
}

Status LaunchResolver::checkScratch(const Footprint &scratch) const {
  for (size_t i = 0; i < operands.size(); ++i)
    if (sharesBytes(footprints[i], scratch))
      return refuse(Error::WrittenOverlap, meta.operands[i], "it shares bytes with the workspace",
                    "the kernels of the launch write the workspace",
                    "give the workspace memory of its own");
  return {};
}

} // namespace braid::runtime
