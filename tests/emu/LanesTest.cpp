// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waves on the emulator: exchange, barrier, LDS, arithmetic, and lanes that diverge.

#include "tests/emu/EmuFixture.h"

#include "codegen/targets/Targets.h"

#include <cmath>
#include <immintrin.h>
#include <thread>

namespace braid {
namespace {

TEST_F(EmuTest, ExchangeReadsAnyLaneOfTheWave) {
  for (const Target &target : allTargets()) {
    hipFunction_t rotate = load(R"(
extern "C" void k(unsigned *out, unsigned wave) {
  const unsigned t = braid_emu_thread();
  unsigned v = 1000 + t;
  for (unsigned i = 0; i < 3; ++i) // at once one after another: values of a round must not mix with the next
    v = braid_emu_exchange(v, (t & ~(wave - 1)) | ((t + 1) & (wave - 1)));
  out[braid_emu_workgroup() * 192 + t] = v;
})",
                                target.name);
    std::vector<unsigned> out(5 * 192);
    const unsigned wave = target.waveSize;
    ASSERT_EQ(launch(rotate, 5, 192, out.data(), wave), hipSuccess) << lastError();
    for (unsigned i = 0; i < out.size(); ++i) {
      const unsigned t = i % 192;
      EXPECT_EQ(out[i], 1000 + (t & ~(wave - 1)) + (t + 3) % wave) << target.name << ' ' << i;
    }
  }
}

TEST_F(EmuTest, AWaveMayBePartOfAWorkgroupOrShort) {
  hipFunction_t reverse = load(R"(
extern "C" void k(unsigned *out, unsigned n) {
  const unsigned t = braid_emu_thread(), first = t & ~63u, last = (first + 63 < n ? first + 63 : n - 1);
  out[t] = braid_emu_exchange(t, first + last - t);
})");
  for (unsigned threads : {1u, 7u, 64u, 100u, 1024u}) {
    std::vector<unsigned> out(threads);
    ASSERT_EQ(launch(reverse, 1, threads, out.data(), threads), hipSuccess) << lastError();
    for (unsigned t = 0; t < threads; ++t)
      EXPECT_EQ(out[t], (t & ~63u) + std::min(t | 63, threads - 1) - t);
  }
}

constexpr const char *kReverseThroughLds = R"(
extern "C" void k(unsigned *out) {
  LDS unsigned row[256];
  const unsigned t = braid_emu_thread();
  for (unsigned round = 0; round < 3; ++round) {
    row[t] = t * 1000 + braid_emu_workgroup() + round;
    braid_emu_barrier();
    out[braid_emu_workgroup() * 256 + t] = row[255 - t];
    braid_emu_barrier();
  }
})";

TEST_F(EmuTest, BarrierOrdersLds) {
  // Thread-local: workgroups run side by side. Plain static: one after another.
  for (const char *lds : {"#define LDS static thread_local\n", "#define LDS static\n"}) {
    hipFunction_t reverse = load(std::string(lds) + kReverseThroughLds);
    std::vector<unsigned> out(40 * 256);
    ASSERT_EQ(launch(reverse, 40, 256, out.data()), hipSuccess) << lastError();
    for (unsigned i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], (255 - i % 256) * 1000 + i / 256 + 2) << lds << i;
  }
}

TEST_F(EmuTest, LdsStartsPoisoned) {
  hipFunction_t read = load(R"(
extern "C" void k(unsigned *out) {
  static thread_local unsigned row[64];
  const unsigned t = braid_emu_thread();
  out[braid_emu_workgroup() * 64 + t] = row[t];
  row[t] = 5;
})");
  std::vector<unsigned> out(8 * 64);
  ASSERT_EQ(launch(read, 8, 64, out.data()), hipSuccess);
  for (unsigned word : out)
    EXPECT_EQ(word, 0xffffffffu);
}

TEST_F(EmuTest, LanesThatEndBeforeAnExchangeAreAnError) {
  hipFunction_t diverge = load(R"(
extern "C" void k(unsigned *out, unsigned n) {
  const unsigned t = braid_emu_thread();
  if (t < n)
    out[t] = braid_emu_exchange(t, t ^ 1);
})");
  std::vector<unsigned> out(64);
  EXPECT_EQ(launch(diverge, 5, 64, out.data(), 40u), hipErrorLaunchFailure);
  EXPECT_TRUE(lastErrorHas("lanes diverged in workgroup 0")) << lastError();
  EXPECT_TRUE(lastErrorHas("ended")) << lastError();
  EXPECT_EQ(launch(diverge, 5, 64, out.data(), 64u), hipSuccess); // and the fibres are whole again
  EXPECT_EQ(out[5], 4u);
}

TEST_F(EmuTest, LanesAtAnExchangeAndABarrierAreAnError) {
  hipFunction_t diverge = load(R"(
extern "C" void k(unsigned *out) {
  const unsigned t = braid_emu_thread();
  if (t == 17)
    braid_emu_barrier();
  else
    out[t] = braid_emu_exchange(t, t ^ 1);
})");
  std::vector<unsigned> out(64);
  EXPECT_EQ(launch(diverge, 1, 64, out.data()), hipErrorLaunchFailure);
  EXPECT_TRUE(lastErrorHas("thread 17") || lastErrorHas("barrier")) << lastError();
}

TEST_F(EmuTest, WavesThatMissABarrierAreAnError) {
  hipFunction_t diverge = load(R"(
extern "C" void k(unsigned from) {
  if (braid_emu_thread() >= from)
    braid_emu_barrier();
})");
  EXPECT_EQ(launch(diverge, 3, 192, 64u), hipErrorLaunchFailure);
  EXPECT_TRUE(lastErrorHas("wave of threads 0 to 63 has ended")) << lastError();
  EXPECT_EQ(launch(diverge, 3, 192, 0u), hipSuccess) << lastError();
}

TEST_F(EmuTest, AnExchangeWithAnotherWaveIsAnError) {
  hipFunction_t reach = load(R"(
extern "C" void k(unsigned *out) {
  const unsigned t = braid_emu_thread();
  out[t] = braid_emu_exchange(t, t ^ 32);
})",
                             "sm_90");
  std::vector<unsigned> out(64);
  EXPECT_EQ(launch(reach, 1, 64, out.data()), hipErrorLaunchFailure);
  EXPECT_TRUE(lastErrorHas("thread 0 of workgroup 0 exchanges with thread 32")) << lastError();
}

TEST_F(EmuTest, TheFirstFailingWorkgroupIsReported) {
  hipFunction_t diverge = load(R"(
extern "C" void k(unsigned from) {
  if (braid_emu_workgroup() >= from && braid_emu_thread() == 0)
    return;
  braid_emu_barrier();
})");
  for (unsigned from : {3u, 17u, 59u}) {
    EXPECT_EQ(launch(diverge, 64, 64, from), hipErrorLaunchFailure);
    EXPECT_TRUE(lastErrorHas("workgroup " + std::to_string(from) + ":")) << lastError();
  }
}

TEST_F(EmuTest, ArgumentsOfEveryKindArrive) {
  hipFunction_t echo = load(R"(
extern "C" void k(double *out, unsigned a, unsigned long long b, float c, long long d, unsigned char e, int f) {
  if (braid_emu_thread() == 0)
    out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e, out[5] = f;
})");
  std::vector<double> out(6);
  ASSERT_EQ(launch(echo, 1, 64, out.data(), 4000000000u, 1ull << 40, 0.5f, -7ll,
                   static_cast<unsigned char>(200), -3),
            hipSuccess);
  EXPECT_EQ(out, (std::vector<double>{4e9, 1099511627776.0, 0.5, -7, 200, -3}));
}

// S-ARITH-1.
TEST_F(EmuTest, ArithmeticIsIeeeWhateverTheCallersEnvironmentIs) {
  hipFunction_t compute = load(R"(
extern "C" void k(float *x) {
  if (braid_emu_thread() != 0)
    return;
  x[4] = x[0] * 0.5f;                            // subnormal
  x[5] = 1.0f + x[1];                            // rounds to even
  x[6] = x[2] * x[2] + x[3];                     // two roundings
  x[7] = __builtin_fmaf(x[2], x[2], x[3]);       // one
  x[8] = __builtin_sqrtf(x[1]);
})");
  const float a = 1.0f + 0x1p-12f;
  std::vector<float> x = {0x1p-126f, 0x1p-24f, a, -1.0f, 0, 0, 0, 0, 0};
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040 | 0x4000); // FTZ, DAZ, round upward
  const hipError_t result = launch(compute, 1, 64, x.data());
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  ASSERT_EQ(result, hipSuccess);
  EXPECT_EQ(after & 0xffc0, (before | 0x8040 | 0x4000) & 0xffc0);
  EXPECT_EQ(x[4], 0x1p-127f);
  EXPECT_EQ(x[5], 1.0f);
  EXPECT_EQ(x[6], 0x1p-11f);
  EXPECT_EQ(x[7], 0x1p-11f + 0x1p-24f);
  EXPECT_EQ(x[8], 0x1p-12f);
}

TEST_F(EmuTest, SeveralThreadsLaunchAtOnce) {
  hipFunction_t add = load(R"(
extern "C" void k(unsigned *x) {
  const unsigned t = braid_emu_thread();
  x[braid_emu_workgroup() * 64 + t] += braid_emu_exchange(t, t ^ 1);
})");
  std::vector<std::thread> threads;
  std::vector<std::vector<unsigned>> rows(4, std::vector<unsigned>(6 * 64));
  for (auto &row : rows)
    threads.emplace_back([&] {
      for (unsigned i = 0; i < 50; ++i)
        EXPECT_EQ(launch(add, 6, 64, row.data()), hipSuccess);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &row : rows)
    for (unsigned i = 0; i < row.size(); ++i)
      EXPECT_EQ(row[i], 50 * (i % 64 ^ 1));
}

} // namespace
} // namespace braid
