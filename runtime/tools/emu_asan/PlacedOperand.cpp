// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/tools/emu_asan/PlacedOperand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace braid::sanitizer {

namespace {
constexpr uint64_t kGuard =
    64 << 10;                 // before and behind the units: names what a far access is near
constexpr uint64_t kGap = 64; // at least, between two units
constexpr uint64_t kShadowGranule = 8; // a unit must begin at one to be poisoned to the byte
constexpr uint64_t kBlockAlign = 256;  // what the vendor's allocator gives
} // namespace

void PlacedOperand::Free::operator()(std::byte *block) const { std::free(block); }

Status PlacedOperand::place(std::string name, HostArray source, unsigned unitAxes, uint64_t align,
                            std::string unitName, PlacedOperand &placed) {
  placed.operandName = std::move(name);
  placed.unitName = std::move(unitName);
  placed.source = std::move(source);
  const HostArray &array = placed.source;
  const uint64_t bits = array.elementBits();
  const size_t rank = array.rank();
  uint64_t elements = 1;
  for (size_t axis = rank - unitAxes; axis < rank; ++axis)
    elements *= static_cast<uint64_t>(array.extents[axis]);
  placed.unitBytes = elements * bits / 8; // rows fill whole bytes
  const uint64_t step = std::max({align, kShadowGranule, bits / 8}); // powers of two all
  placed.unitStride = (placed.unitBytes + kGap + step - 1) / step * step;
  placed.strides = contiguousStrides(array.extents);
  auto stride = static_cast<int64_t>(placed.unitStride * 8 / bits);
  for (size_t axis = rank - unitAxes; axis-- > 0;) {
    placed.strides[axis] = stride;
    stride *= std::max<int64_t>(array.extents[axis], 1);
  }
  placed.unitExtents.assign(array.extents.begin(), array.extents.end() - unitAxes);
  placed.blockBytes = kGuard + placed.units() * placed.unitStride + kGuard;
  void *memory = nullptr;
  if (posix_memalign(&memory, std::max(kBlockAlign, align), placed.blockBytes) != 0)
    return makeError(
        Error::SanitizerUnusable,
        fmt::format("no memory for `{}` ({} bytes)", placed.operandName, placed.blockBytes),
        "every row lies in a red zone of its own", "use fewer tokens");
  placed.block.reset(static_cast<std::byte *>(memory));
  placed.payload = placed.block.get() + kGuard;
  ASAN_POISON_MEMORY_REGION(placed.block.get(), placed.blockBytes);
  const std::byte *from = array.data();
  for (uint64_t i = 0; i < placed.units(); ++i) {
    ASAN_UNPOISON_MEMORY_REGION(placed.unit(i), placed.unitBytes);
    std::memcpy(placed.unit(i), from + i * placed.unitBytes, placed.unitBytes);
  }
  return {};
}

runtime::Operand PlacedOperand::operand() const {
  return {payload, source.dtype, source.extents, strides};
}

void PlacedOperand::readBack() const {
  for (uint64_t i = 0; i < units(); ++i)
    std::memcpy(source.data() + i * unitBytes, unit(i), unitBytes);
}

bool PlacedOperand::owns(const void *address) const {
  const auto *byte = static_cast<const std::byte *>(address);
  return byte >= block.get() && byte < block.get() + blockBytes;
}

std::string PlacedOperand::describe(const void *address) const {
  const int64_t offset = static_cast<const std::byte *>(address) - payload;
  if (offset < 0)
    return fmt::format("{} bytes before the first {}", -offset, unitName);
  uint64_t index = static_cast<uint64_t>(offset) / unitStride;
  if (units() == 0)
    return fmt::format("at byte {} of an operand without {}s", offset, unitName);
  // Behind the last unit everything is counted from that one.
  index = std::min(index, units() - 1);
  const uint64_t within = static_cast<uint64_t>(offset) - index * unitStride;
  std::vector<uint64_t> place;
  for (size_t axis = unitExtents.size(); axis-- > 0;
       index /= static_cast<uint64_t>(unitExtents[axis]))
    place.insert(place.begin(), index % static_cast<uint64_t>(unitExtents[axis]));
  return fmt::format("at byte {} of {} [{}], which has {}", within, unitName,
                     fmt::join(place, ", "), unitBytes);
}

} // namespace braid::sanitizer
