// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/providers/emu/Grid.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace braid::emu {
namespace {

// What the threads of one launch share.
struct Work {
  explicit Work(const Launch &launch) : launch(launch), failed(launch.workgroups) {}

  void runOn(Lanes &lanes) {
    std::string message;
    for (;;) {
      const unsigned workgroup = next.fetch_add(1, std::memory_order_relaxed);
      // Numbers are handed out in order, so all before the first failure have been taken and will
      // finish.
      if (workgroup >= failed.load(std::memory_order_acquire))
        return;
      if (lanes.run(launch, workgroup, message))
        continue;
      const std::lock_guard lock(mutex);
      if (workgroup < failed.load(std::memory_order_relaxed)) {
        failed.store(workgroup, std::memory_order_release);
        error = message;
      }
    }
  }

  const Launch launch;
  std::atomic<unsigned> next = 0;
  std::atomic<unsigned> failed; // the lowest that failed, or the number of workgroups
  std::mutex mutex;
  std::string error;
};

// Threads that wait for work for as long as the process lives. Never destroyed: they may not be
// joined while the process unloads its libraries.
class Pool {
public:
  static Pool &instance() {
    static Pool *const pool = new Pool;
    return *pool;
  }

  bool run(const Launch &launch, bool serial, std::string &error) {
    const std::lock_guard oneLaunch(launchMutex);
    Work work(launch);
    const bool spread = !serial && launch.workgroups > 1;
    if (spread) {
      startThreads();
      const std::lock_guard lock(mutex);
      current = &work;
      active = threads;
      ++round;
      wake.notify_all();
    }
    work.runOn(ownLanes);
    if (spread) {
      std::unique_lock lock(mutex);
      done.wait(lock, [&] { return active == 0; });
      current = nullptr;
    }
    error = std::move(work.error);
    return work.failed.load() == launch.workgroups;
  }

private:
  void startThreads() {
    const unsigned wanted = std::max(1u, std::thread::hardware_concurrency()) - 1;
    while (threads < wanted && !threadsRefused) {
      // Built without exceptions in mind: where no thread can be had, the launch runs on fewer.
      try {
        std::thread([this] { work(); }).detach();
        ++threads;
      } catch (const std::system_error &) {
        threadsRefused = true;
      }
    }
  }

  void work() {
    Lanes lanes;
    unsigned seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return round != seen; });
      seen = round;
      Work &work = *current;
      lock.unlock();
      work.runOn(lanes);
      lock.lock();
      if (--active == 0)
        done.notify_one();
    }
  }

  std::mutex launchMutex;
  Lanes ownLanes; // of the calling thread; under launchMutex
  unsigned threads = 0;
  bool threadsRefused = false;

  std::mutex mutex; // guards the rest
  std::condition_variable wake, done;
  Work *current = nullptr;
  unsigned active = 0;
  unsigned round = 0;
};

} // namespace

bool runGrid(const Launch &launch, bool serial, std::string &error) {
  return Pool::instance().run(launch, serial, error);
}

} // namespace braid::emu
