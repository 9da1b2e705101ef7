// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types as plain data, shared by the compiler, the runtime and the tools. No LLVM here.
// Everything is constant and may be used from any thread.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace braid {

enum class DType : uint8_t {
#define BRAID_DTYPE(Enumerator, Name, Bits) Enumerator,
#include "runtime/DTypes.def"
};

/// The name that programs and metadata use, for example "f8e4m3fnuz".
std::string_view dtypeName(DType type);

/// Bits of one element: 4 for f4e2m1, whose elements are stored two to a byte, low nibble first.
unsigned dtypeBits(DType type);

/// Bytes that `count` contiguous elements take, rounded up to whole bytes.
uint64_t dtypeBytes(DType type, uint64_t count = 1);

/// The type with that exact name; nothing if there is none (dtypeNames() helps the message).
std::optional<DType> parseDType(std::string_view name);

/// All types, in the order of the table.
std::span<const DType> allDTypes();

/// "f32, bf16, ...", for messages.
std::string dtypeNames();

} // namespace braid
