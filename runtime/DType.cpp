// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/DType.h"

namespace braid {
namespace {

struct Row {
  std::string_view name;
  unsigned bits;
};

constexpr Row kRows[] = {
#define BRAID_DTYPE(Enumerator, Name, Bits) {Name, Bits},
#include "runtime/DTypes.def"
};

constexpr DType kTypes[] = {
#define BRAID_DTYPE(Enumerator, Name, Bits) DType::Enumerator,
#include "runtime/DTypes.def"
};

} // namespace

std::string_view dtypeName(DType type) { return kRows[static_cast<unsigned>(type)].name; }

unsigned dtypeBits(DType type) { return kRows[static_cast<unsigned>(type)].bits; }

uint64_t dtypeBytes(DType type, uint64_t count) { return (count * dtypeBits(type) + 7) / 8; }

std::optional<DType> parseDType(std::string_view name) {
  for (DType type : kTypes)
    if (dtypeName(type) == name)
      return type;
  return std::nullopt;
}

std::span<const DType> allDTypes() { return kTypes; }

std::string dtypeNames() {
  std::string names;
  for (DType type : kTypes) {
    if (!names.empty())
      names += ", ";
    names += dtypeName(type);
  }
  return names;
}

} // namespace braid
