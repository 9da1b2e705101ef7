// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of one fibre: 64 KiB with an inaccessible page below, so that an overflow faults
// instead of corrupting a neighbour. Owns its mapping.

#pragma once

#include <cstddef>

namespace braid::emu {

class LaneStack {
public:
  LaneStack() = default;
  ~LaneStack();
  LaneStack(LaneStack &&other) noexcept;
  LaneStack &operator=(LaneStack &&) = delete;

  /// Maps the stack unless it is mapped; false if there is no memory.
  bool map();
  /// One past the highest byte that the lane uses: where its stack starts. Stacks of neighbours
  /// start at different cache sets, since a wave touches the tops of all of them in turn.
  void *top(unsigned lane) const { return base + mappedBytes - lane % kColours * kColourBytes; }
  /// What is left of the stack below any top.
  static constexpr size_t kUsableBytes = 60u << 10;

private:
  static constexpr size_t kBytes = 64u << 10;
  static constexpr size_t kColours = 16;
  static constexpr size_t kColourBytes = 256;

  char *base = nullptr;
  size_t mappedBytes = 0;
};

} // namespace braid::emu
