// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes as ucontext coroutines. A lane that exchanges writes its value, yields until every lane has
// written, then reads; at a barrier it yields until every lane has come.
#include "LaneHarness.h"

#include <bit>
#include <ucontext.h>

namespace braid::test {
namespace {

struct Lane {
  ucontext_t context;
  std::vector<char> stack;
  u32 exchanges = 0;
  bool done = false;
};

struct Workgroup {
  std::vector<Lane> lanes;
  // Values of the current and of the previous exchange: a lane may write the next one before others
  // have read.
  std::vector<u32> values[2];
  ucontext_t scheduler;
  const std::function<void(u32)> *body = nullptr;
  u32 current = 0;
};

Workgroup *active = nullptr;

void enterLane() {
  (*active->body)(active->current);
  active->lanes[active->current].done = true;
}

} // namespace

void runLanes(u32 lanes, const std::function<void(u32)> &body) {
  Workgroup group;
  group.lanes.resize(lanes);
  group.values[0].resize(lanes);
  group.values[1].resize(lanes);
  group.body = &body;
  active = &group;
  for (Lane &lane : group.lanes) {
    lane.stack.resize(1 << 18);
    getcontext(&lane.context);
    lane.context.uc_stack.ss_sp = lane.stack.data();
    lane.context.uc_stack.ss_size = lane.stack.size();
    lane.context.uc_link = &group.scheduler;
    makecontext(&lane.context, enterLane, 0);
  }
  for (bool running = true; running;) {
    running = false;
    for (u32 i = 0; i < lanes; ++i)
      if (!group.lanes[i].done) {
        group.current = i;
        swapcontext(&group.scheduler, &group.lanes[i].context);
        running = true;
      }
  }
  active = nullptr;
}

f32 Random::number(bool special) {
  if (special && bits() % 16 == 0) {
    const u32 choices[] = {0,        kSignBit,           kInfinityBits, kInfinityBits | kSignBit,
                           kNanBits, kNanBits | kSignBit};
    return floatOf(choices[bits() % 6]);
  }
  const u32 exponent = 127 - 6 + bits() % 12;
  return floatOf((bits() & 0x807fffffu) | exponent << 23);
}

f32 treeSum(std::vector<f32> values) {
  constexpr size_t kStrip = 2048;
  values.resize(values.size() > kStrip ? (values.size() + kStrip - 1) / kStrip * kStrip
                                       : std::bit_ceil(values.size()));
  for (size_t i = kStrip; i < values.size(); ++i)
    values[i % kStrip] = values[i % kStrip] + values[i];
  if (values.size() > kStrip)
    values.resize(kStrip);
  while (values.size() > 1) {
    std::vector<f32> sums;
    for (size_t i = 0; i < values.size(); i += 2)
      sums.push_back(values[i] + values[i + 1]);
    values = sums;
  }
  return values[0];
}

} // namespace braid::test

using braid::test::active;

unsigned braid_emu_workgroup(void) { return 0; }
unsigned braid_emu_thread(void) { return active ? active->current : 0; }
void braid_emu_barrier(void) {
  swapcontext(&active->lanes[active->current].context, &active->scheduler);
}

unsigned braid_emu_exchange(unsigned value, unsigned source_thread) {
  auto &lane = active->lanes[active->current];
  auto &values = active->values[lane.exchanges++ % 2];
  values[active->current] = value;
  swapcontext(&lane.context, &active->scheduler);
  return values.at(source_thread);
}
