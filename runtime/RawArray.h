// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array as numpy stores it, and its meaning as one of ours: bf16 travels as uint16, fp8, e8m0
// and pages as uint8, f4e2m1 as uint8 with half the last extent. Raw and host arrays share bytes.
// Reading from several threads is safe while none writes.

#pragma once

#include "runtime/HostArray.h"
#include "runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace braid {

/// The numpy types that .npz files of Braid hold, all little-endian.
enum class NpyKind : uint8_t { Float32, Float16, UInt16, UInt8, Int32, Int64 };

/// numpy's own spelling, for example "<f4".
std::string_view npyDescr(NpyKind kind);
/// The name numpy prints, for example "float32".
std::string_view npyName(NpyKind kind);
unsigned npyBytes(NpyKind kind);
/// The kind of that exact spelling; nothing for every other.
std::optional<NpyKind> parseNpyDescr(std::string_view descr);

/// Contiguous, row-major.
struct RawArray {
  NpyKind kind = NpyKind::UInt8;
  std::vector<int64_t> extents;
  std::shared_ptr<std::byte[]> bytes;

  uint64_t byteCount() const;
};

/// How a type travels in a file; nothing stands for plain bytes.
NpyKind carrierOf(std::optional<DType> dtype);

/// The member as an array of that type (nothing: plain bytes), sharing its bytes. The error names
/// the member, what was found and what is expected.
Status asDType(const RawArray &raw, std::optional<DType> dtype, std::string_view member,
               HostArray &out);

/// The array as a file holds it; shares the bytes where the array is contiguous.
Status toRaw(const HostArray &array, RawArray &out);

} // namespace braid
