// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of a .npy member, versions 1, 2 and 3: magic, version, length, and a Python literal
//     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// Files come from anywhere, so nothing in them is trusted. Functions without state.

#pragma once

#include "runtime/RawArray.h"
#include "runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

struct NpyHeader {
  NpyKind kind = NpyKind::UInt8;
  std::vector<int64_t> extents;
};

/// Bytes before the length field ends: 10 for version 1, else 12. The first 12 bytes of a member
/// always suffice for npyHeaderBytes.
inline constexpr size_t kNpyPrefixBytes = 12;

/// Bytes from the start of the member to its data, from its first kNpyPrefixBytes bytes (fewer
/// only where the member is shorter, which is an error).
Status npyHeaderBytes(std::span<const std::byte> prefix, std::string_view member, uint64_t &out);

/// The header from exactly npyHeaderBytes bytes. Refused, naming the member: malformed text,
/// a numpy type that is not an NpyKind, fortran order, and extents that overflow.
Status parseNpyHeader(std::span<const std::byte> bytes, std::string_view member, NpyHeader &out);

/// Version 1, padded with blanks to a multiple of 64 as numpy does.
std::string npyHeaderText(const NpyHeader &header);

} // namespace braid
