// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An n-d array in host memory: an owner or a slice of one. Copies share the bytes, which live as
// long as the last array that names them. Reading from several threads is safe while none writes.

#pragma once

#include "runtime/DType.h"
#include "runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace braid {

struct HostArray {
  /// Absent: plain bytes. So are the pages of a cache, whose types only the layout knows.
  std::optional<DType> dtype;
  std::vector<int64_t> extents;
  std::vector<int64_t> strides; ///< In elements, one per axis.
  int64_t first = 0;            ///< Element of the storage at which index (0, ..., 0) stands.
  std::shared_ptr<std::byte[]> bytes;

  /// A contiguous array of zeros, aligned to 64 bytes. Refused: a negative extent, more elements
  /// than can be addressed, an odd row of 4-bit elements, or no memory.
  static Status zeros(std::optional<DType> dtype, std::vector<int64_t> extents, HostArray &out);

  size_t rank() const { return extents.size(); }
  unsigned elementBits() const { return dtype ? dtypeBits(*dtype) : 8; }
  /// "f32", "bytes", for messages.
  std::string_view typeName() const;

  /// Product of the extents: 1 for rank 0, 0 if any extent is 0.
  int64_t elementCount() const;
  /// Bytes of a contiguous copy.
  uint64_t byteCount() const;
  bool isContiguous() const;

  /// Address of the first element; rows of 4-bit elements start on whole bytes.
  std::byte *data() const;
  /// The elements as bytes; for contiguous arrays only.
  std::span<std::byte> contiguousBytes() const;

  /// The same elements, rows first to last: this array itself where it is contiguous already.
  Status contiguous(HostArray &out) const;
  /// Elements begin..end-1 of one axis, sharing the bytes. Refused: no such axis or range.
  Status slice(size_t axis, int64_t begin, int64_t end, HostArray &out) const;

  /// Storage element of the flat-th element in row-major order of the extents.
  int64_t offsetOf(int64_t flat) const;
  /// The bits of a storage element (see offsetOf), zero-extended.
  uint64_t loadBits(int64_t offset) const;
  void storeBits(int64_t offset, uint64_t value) const;
};

/// Number of elements, or nothing where an extent is negative or 64-bit addressing would overflow.
std::optional<int64_t> checkedElementCount(std::span<const int64_t> extents);

/// 64-byte aligned zeroed storage, never null for 0 bytes; null where memory is short.
std::shared_ptr<std::byte[]> allocateBytes(uint64_t count);

/// "[6, 4, 128]", for messages.
std::string extentsText(std::span<const int64_t> extents);

/// Row-major strides of the extents, in elements; never 0, also where an extent is.
std::vector<int64_t> contiguousStrides(std::span<const int64_t> extents);

} // namespace braid
