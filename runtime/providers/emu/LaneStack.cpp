// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/providers/emu/LaneStack.h"

#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace braid::emu {

LaneStack::~LaneStack() {
  if (base)
    munmap(base, mappedBytes);
}

LaneStack::LaneStack(LaneStack &&other) noexcept
    : base(std::exchange(other.base, nullptr)), mappedBytes(std::exchange(other.mappedBytes, 0)) {}

bool LaneStack::map() {
  if (base)
    return true;
  const size_t guard = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *memory = mmap(nullptr, kBytes + guard, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  base = static_cast<char *>(memory);
  mappedBytes = kBytes + guard;
  return mprotect(base, guard, PROT_NONE) == 0;
}

} // namespace braid::emu
