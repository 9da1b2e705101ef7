// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/providers/emu/Lanes.h"

#include "runtime/providers/emu/FloatEnvironment.h"
#include "runtime/providers/emu/LaneStack.h"
#include "runtime/providers/emu/LdsStorage.h"

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <fmt/format.h>

namespace braid::emu {

namespace context = boost::context::detail;

// On functions whose frames a switch leaves behind: they must lie on the fibre's own stack, and
// AddressSanitizer's fake stacks belong to an OS thread. A fibre may go on under another OS thread
// in a later launch, so these functions also never look at currentLane after a switch.
#define BRAID_ON_FIBRE __attribute__((no_sanitize("address")))

enum class Lanes::Wait : unsigned char { Nothing, Exchange, Barrier, End };

struct Lanes::Lane {
  context::fcontext_t context = nullptr;
  State *state = nullptr;
  Wave *wave = nullptr;
  unsigned thread = 0; // number inside the workgroup
  Wait wait = Wait::Nothing;
  // Two, used in turn: a lane may offer its next value before another has read the last.
  unsigned offered[2] = {};
};

struct Lanes::Wave {
  unsigned begin = 0, end = 0; // threads
  unsigned turn = 0;           // which of Lane::offered this exchange uses
  unsigned waiting[4] = {};    // lanes by Wait, since all of the wave last ran
  Wait wait = Wait::Nothing;   // what all lanes of the wave wait for
};

struct Lanes::State {
  std::vector<Lane> lanes;
  std::vector<LaneStack> stacks;
  std::vector<Wave> waves;
  Lane scheduler; // stands for run() as a place to return to
  LdsStorage lds;
  Launch launch;
  unsigned workgroup = 0;
  bool stale = false; // fibres were left in the middle of a kernel
  std::string *error = nullptr;

  bool makeFibres();
  void switchTo(Lane &from, Lane &to);
  void finishRound(Lane &self, Wave &wave);
  void waitFor(Lane &self, Wait what);
  void fail(Lane &self, std::string message);
  void failDiverged(Lane &self, const Wave &wave);
};

// The lane that runs on this OS thread. Initial-exec: every lane function begins with it.
static thread_local __attribute__((tls_model("initial-exec"))) void *currentLane = nullptr;

// Opens the private types to the functions below, which have C linkage or the signature that boost
// wants.
struct LaneAccess {
  using Lane = Lanes::Lane;
  using Wait = Lanes::Wait;
  static Lane &current() { return *static_cast<Lane *>(currentLane); }

  BRAID_ON_FIBRE static void fibre(context::transfer_t transfer) {
    static_cast<Lane *>(transfer.data)->context = transfer.fctx;
    Lane &self = current();
    for (;;) { // once a workgroup
      self.state->launch.entry(self.state->launch.arguments);
      self.state->waitFor(self, Wait::End);
    }
  }

  static unsigned workgroup() { return current().state->workgroup; }
  static unsigned thread() { return current().thread; }
  BRAID_ON_FIBRE static void barrier() {
    Lane &self = current();
    self.state->waitFor(self, Wait::Barrier);
  }
  BRAID_ON_FIBRE static unsigned exchange(unsigned value, unsigned source) {
    Lane &self = current();
    Lanes::State &state = *self.state;
    Lanes::Wave &wave = *self.wave;
    if (source < wave.begin || source >= wave.end)
      state.fail(
          self,
          fmt::format(
              "thread {} of workgroup {} exchanges with thread {}, but its wave has the threads "
              "{} to {}",
              self.thread, state.workgroup, source, wave.begin, wave.end - 1));
    const unsigned turn = wave.turn;
    self.offered[turn] = value;
    state.waitFor(self, Wait::Exchange);
    return state.lanes[source].offered[turn];
  }
  static void *lds(void *control) { return current().state->lds.address(control); }
};

BRAID_ON_FIBRE void Lanes::State::switchTo(Lane &from, Lane &to) {
  if (&from == &to)
    return;
  currentLane = &to;
  const context::transfer_t transfer = context::jump_fcontext(to.context, &from);
  // Somebody came back to `from`: remember where that one stands.
  static_cast<Lane *>(transfer.data)->context = transfer.fctx;
}

BRAID_ON_FIBRE void Lanes::State::waitFor(Lane &self, Wait what) {
  Wave &wave = *self.wave;
  self.wait = what;
  ++wave.waiting[static_cast<unsigned>(what)];
  if (self.thread + 1 < wave.end)
    switchTo(self, lanes[self.thread + 1]);
  else
    finishRound(self, wave);
}

// Every lane of the wave has come to a stop, `self` last.
BRAID_ON_FIBRE void Lanes::State::finishRound(Lane &self, Wave &wave) {
  const unsigned size = wave.end - wave.begin;
  const Wait what = self.wait;
  if (wave.waiting[static_cast<unsigned>(what)] != size)
    failDiverged(self, wave);
  wave.waiting[static_cast<unsigned>(what)] = 0;
  if (what == Wait::Exchange) {
    wave.turn ^= 1;
    return switchTo(self, lanes[wave.begin]);
  }
  wave.wait = what;
  if (wave.end < launch.workgroupSize)
    return switchTo(self, lanes[wave.end]);
  for (const Wave &other : waves)
    if (other.wait != what)
      fail(self,
           fmt::format(
               "in workgroup {}, the wave of threads {} to {} {} while that of threads {} to {} {}",
               workgroup, other.begin, other.end - 1,
               other.wait == Wait::End ? "has ended" : "waits at a barrier", wave.begin,
               wave.end - 1, what == Wait::End ? "has ended" : "waits at a barrier"));
  switchTo(self, what == Wait::End ? scheduler : lanes[0]);
}

BRAID_ON_FIBRE void Lanes::State::failDiverged(Lane &self, const Wave &wave) {
  static constexpr const char *kDoes[] = {"runs", "waits in an exchange", "waits at a barrier",
                                          "has ended"};
  const auto begin = lanes.begin() + wave.begin;
  const auto other = std::find_if(begin, lanes.begin() + wave.end,
                                  [&](const Lane &lane) { return lane.wait != self.wait; });
  fail(self, fmt::format(
                 "lanes diverged in workgroup {}: thread {} {} while thread {} of the same wave {}",
                 workgroup, other->thread, kDoes[static_cast<unsigned>(other->wait)], self.thread,
                 kDoes[static_cast<unsigned>(self.wait)]));
}

// Does not return to the kernel: its fibres are given up.
BRAID_ON_FIBRE void Lanes::State::fail(Lane &self, std::string message) {
  *error = std::move(message);
  stale = true;
  switchTo(self, scheduler);
}

bool Lanes::State::makeFibres() {
  const size_t kept = stale ? 0 : lanes.size();
  stale = false;
  lanes.resize(std::max<size_t>(lanes.size(), launch.workgroupSize));
  while (stacks.size() < lanes.size())
    if (!stacks.emplace_back().map()) {
      stacks.pop_back();
      lanes.resize(std::min(kept, stacks.size()));
      return false;
    }
  for (size_t i = kept; i < lanes.size(); ++i)
    lanes[i] = {context::make_fcontext(stacks[i].top(static_cast<unsigned>(i)),
                                       LaneStack::kUsableBytes, LaneAccess::fibre),
                this,
                nullptr,
                static_cast<unsigned>(i),
                Wait::Nothing,
                {}};
  return true;
}

Lanes::Lanes() : state(std::make_unique<State>()) {
  state->lanes.reserve(kMostLanes); // fibres hold references to them
}
Lanes::~Lanes() = default;

BRAID_ON_FIBRE bool Lanes::run(const Launch &launch, unsigned workgroup, std::string &error) {
  const FloatEnvironment environment; // also what new fibres start with
  State &s = *state;
  if (s.launch.entry != launch.entry)
    s.lds.clear();
  s.launch = launch;
  s.workgroup = workgroup;
  s.error = &error;
  if ((s.stale || s.lanes.size() < launch.workgroupSize) && !s.makeFibres()) {
    error = fmt::format("no memory for the stacks of {} lanes", launch.workgroupSize);
    return false;
  }
  s.waves.clear();
  s.waves.reserve(launch.workgroupSize); // lanes point at them
  for (unsigned begin = 0; begin < launch.workgroupSize; begin += launch.waveSize) {
    const unsigned end = std::min(begin + launch.waveSize, launch.workgroupSize);
    s.waves.push_back({begin, end, 0, {}, Wait::Nothing});
    for (unsigned thread = begin; thread < end; ++thread)
      s.lanes[thread].wave = &s.waves.back();
  }
  s.lds.poison();
  void *const outer = currentLane;
  s.switchTo(s.scheduler, s.lanes[0]);
  currentLane = outer;
  return !s.stale;
}

const std::vector<LaneSymbol> &laneSymbols() {
  static const std::vector<LaneSymbol> symbols = {
      {"braid_emu_workgroup", reinterpret_cast<void *>(&LaneAccess::workgroup)},
      {"braid_emu_thread", reinterpret_cast<void *>(&LaneAccess::thread)},
      {"braid_emu_exchange", reinterpret_cast<void *>(&LaneAccess::exchange)},
      {"braid_emu_barrier", reinterpret_cast<void *>(&LaneAccess::barrier)},
      {"__emutls_get_address", reinterpret_cast<void *>(&LaneAccess::lds)},
  };
  return symbols;
}

} // namespace braid::emu
