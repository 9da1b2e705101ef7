// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lanes of one workgroup, as fibres of one OS thread. A lane runs until it waits (exchange,
// barrier) or ends, then the next lane of its wave runs; when all lanes of the wave wait for the
// same thing the wave goes on. Lanes of a wave that wait for different things, or of which some
// have ended, are an error: on the device they would hang or read garbage.
//
// A Lanes object owns its fibres and stacks and keeps them from one workgroup to the next. One OS
// thread at a time may use it.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace braid::emu {

/// Loads each argument from its place and calls the kernel.
using KernelEntry = void (*)(void **arguments);

inline constexpr unsigned kMostLanes = 1024; // of a workgroup

struct Launch {
  KernelEntry entry = nullptr;
  void **arguments = nullptr;
  unsigned workgroups = 0;
  unsigned workgroupSize = 0; // threads
  unsigned waveSize = 0;      // lanes
};

class Lanes {
public:
  Lanes();
  ~Lanes();
  Lanes(const Lanes &) = delete;
  Lanes &operator=(const Lanes &) = delete;

  /// Runs one workgroup to its end. Returns false and says in `error` which lanes diverged; the
  /// workgroup is abandoned then. The floating-point environment of the lanes is the default one,
  /// whatever the caller's is.
  bool run(const Launch &launch, unsigned workgroup, std::string &error);

private:
  friend struct LaneAccess;
  enum class Wait : unsigned char;
  struct Lane;
  struct Wave;
  struct State;
  std::unique_ptr<State> state;
};

/// The functions that kernels call, by the names under which they are linked.
struct LaneSymbol {
  const char *name;
  void *address;
};
const std::vector<LaneSymbol> &laneSymbols();

} // namespace braid::emu
