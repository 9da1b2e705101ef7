// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groupings of programs with masks and checks: the bytes and the faults are those of the fused
// kernel, whichever kernels store, load and check.

#include "IndexerCase.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

namespace braid::test {
namespace {

class PartedPadding : public OnTargets {
protected:
  static std::vector<std::string> texts(const KernelCase &kernel) {
    std::vector<std::string> found;
    for (const Fault &fault : kernel.faults)
      found.push_back(fault.text());
    return found;
  }

  static size_t checksOfKernels(const KernelCase &kernel) {
    size_t checks = 0;
    for (const KernelMeta &meta : kernel.generated.meta.kernels)
      checks += meta.checks.size();
    return checks;
  }

  // Runs `parted` as `fused`, with padding and indices out of range, and compares the two.
  static void expectSame(IndexerCase &fused, IndexerCase &parted) {
    const std::vector<int64_t> slots = {5, -1, 64, 128, 2, -1, 127, 1000, -7, 0, 1, 3, -1};
    const int64_t tokens = slots.size();
    for (IndexerCase *kernel : {&fused, &parted}) {
      ASSERT_TRUE(kernel->build());
      kernel->random(tokens, /*pages=*/2, /*seed=*/15);
      for (int64_t t = 0; t < tokens; ++t) {
        kernel->putInt("pos", {t}, t % 3 ? t : 99 + t);
        if (kernel->operands.count("slot"))
          kernel->putInt("slot", {t}, slots[t]);
      }
      for (const auto &[name, array] : std::map(kernel->operands))
        if (kernel->meta(name).written())
          kernel->guard(name);
      kernel->run();
      kernel->expectGuardsIntact();
    }
    for (const OperandMeta &operand : fused.generated.signature().operands) {
      EXPECT_EQ(parted.meta(operand.name).pagesOnly, operand.pagesOnly) << operand.name;
      EXPECT_EQ(parted.bytes(operand.name), fused.bytes(operand.name)) << operand.name;
    }
    EXPECT_EQ(parted.generated.signature().operands.size(),
              fused.generated.signature().operands.size());
    EXPECT_EQ(texts(parted), texts(fused));
    EXPECT_EQ(checksOfKernels(parted), checksOfKernels(fused));
    EXPECT_EQ(fused.faults.empty(), !fused.checked);
  }
};
BRAID_ON_TARGETS(PartedPadding);

TEST_P(PartedPadding, BytesAndFaultsAreThoseOfTheFusedKernel) {
  for (bool checked : {false, true})
    for (const char *padding : {"skip_store", "skip_all(slot)"})
      for (const char *grouping : {"q8, w | index_k", "index_k, w | q8", "qr, kr | q8, w | index_k",
                                   "qr | kn | q8, qs | kc, ks | w | index_k", "unfused"}) {
        SCOPED_TRACE(fmt::format("{}, checked: {}, {}", padding, checked, grouping));
        IndexerCase fused(target()), parted(target());
        fused.padding = parted.padding = padding;
        fused.checked = parted.checked = checked;
        parted.grouping = grouping;
        expectSame(fused, parted);
      }
}

// Also where no kernel writes the cache, or only the last one stores more than a workspace.
TEST_P(PartedPadding, EverySelectionOfOutputs) {
  for (const char *padding : {"skip_store", "skip_all(slot)"})
    for (auto [kept, grouping] :
         {std::pair(std::vector<std::string>{"index_k"}, "kn | kr | index_k"),
          {{"q8", "w"}, "qr | q8 | w"},
          {{"w"}, "qs | w"},
          {{"w", "index_k"}, "kr | w | index_k"}}) {
      SCOPED_TRACE(fmt::format("{} {}", padding, grouping));
      IndexerCase fused(target()), parted(target());
      fused.padding = parted.padding = padding;
      fused.kept = parted.kept = kept;
      fused.checked = parted.checked = true;
      parted.grouping = grouping;
      expectSame(fused, parted);
    }
}

// Two caches of which one decides; one position in two tables, which two kernels read; outputs that
// later kernels load; an axis without slots.
constexpr const char *kWide = R"(
kernel wide() {
  axis   token, key
  input  x : f32[token, 64]
  input  z : f32[key, 64]
  input  s : f32[position, 64]
  input  t : f32[place, 64]
  input  pos : i32[token]
  input  slot_a : i32[token]
  input  slot_b : i64[token]
  output y : f32[token, 64]
  output v : f32[token, 64]
  output u : f32[key, 64]
  cache  a : linear(page_size = 4, dim = 64)
  cache  b : split(page_size = 2, dim = 64)
  xs = x * s[pos]
  y = xs * 2
  v = y * t[pos]
  u = z * 2
  codes, scale = quantize(y, fp8, scale = ue8m0, floor = 1e-10)
  a[slot_a] = value: codes, scale: scale
  b[slot_b] = value: codes, scale: scale
})";

class PartedWide : public PartedPadding {
protected:
  static void set(KernelCase &kernel) {
    std::vector<float> x;
    for (int i = 0; i < 6 * 64; ++i)
      x.push_back(i * 0.25f - 40);
    kernel.setFloats("x", {6, 64}, x);
    kernel.setFloats("z", {2, 64}, std::vector<float>(2 * 64, 5));
    kernel.setFloats("s", {4, 64}, std::vector<float>(4 * 64, 3));
    kernel.setFloats("t", {7, 64}, std::vector<float>(7 * 64, 7));
    kernel.setInts("pos", {6}, {0, 4, 6, 7, -1, 3});
    kernel.setInts("slot_a", {6}, {0, -1, 2, 9, 1, -1});
    kernel.setInts("slot_b", {6}, {0, 1, -1, -1, 9, 1});
    for (const char *name : {"y", "v"})
      kernel.fill(name, {6, 64}, 0xA5);
    kernel.fill("u", {2, 64}, 0xA5);
    kernel.fill("a", {2, 4 * 68}, 0xA5);
    kernel.fill("b.0", {2, 2 * 64}, 0xA5);
    kernel.fill("b.1", {1, 2 * 4}, 0xA5);
  }
};
BRAID_ON_TARGETS(PartedWide);

TEST_P(PartedWide, TheNamedSlotsDecideInEveryKernel) {
  for (const char *padding : {"skip_store", "skip_all(slot_a)", "skip_all(slot_b)"}) {
    KernelCase fused;
    fused.checked = true;
    ASSERT_TRUE(fused.prepare(kWide, "", {fmt::format("padding={}", padding)}, target()));
    set(fused);
    fused.run();
    EXPECT_EQ(fused.generated.signature().checks.size(), 4u);
    for (const char *grouping : {"y | v | u | a | b", "xs | a, y | v, b | u", "u, y | a, b, v",
                                 "xs | y, u | codes, scale | b | a, v", "unfused"}) {
      SCOPED_TRACE(fmt::format("{} {}", padding, grouping));
      KernelCase parted;
      parted.checked = true;
      parted.grouping = grouping;
      ASSERT_TRUE(parted.prepare(kWide, "", {fmt::format("padding={}", padding)}, target()));
      set(parted);
      parted.run();
      for (const char *name : {"y", "v", "u", "a", "b.0", "b.1"})
        EXPECT_EQ(parted.bytes(name), fused.bytes(name)) << name;
      EXPECT_EQ(texts(parted), texts(fused));
      EXPECT_EQ(checksOfKernels(parted), 4u);
      // No kernel but those of `key` runs, and what an earlier launch has counted is gone.
      EXPECT_FALSE(parted.faults.empty());
      parted.counts["token"] = 0;
      parted.run();
      EXPECT_TRUE(parted.faults.empty());
    }
  }
}

// What is no program of one compilation is refused.
TEST_P(PartedWide, KernelsMustAgree) {
  KernelCase kernel;
  kernel.checked = true;
  kernel.grouping = "y | v | u | a | b";
  ASSERT_TRUE(kernel.prepare(kWide, "", {"padding=skip_all(slot_a)"}, target()));
  auto expectRefused = [&](auto change, const char *what) {
    ProgramMeta meta = kernel.generated.meta;
    change(meta);
    EXPECT_THAT(completeProgram(meta).what, testing::HasSubstr(what));
  };
  auto cacheOf = [](KernelMeta &meta) -> OperandMeta & {
    return *std::ranges::find(meta.operands, "a", &OperandMeta::name);
  };
  auto writer = [&](ProgramMeta &meta) -> KernelMeta & {
    return *std::ranges::find_if(meta.kernels, [&](KernelMeta &other) {
      return std::ranges::count(other.operands, "a", &OperandMeta::name) &&
             cacheOf(other).written();
    });
  };
  ProgramMeta unchanged = kernel.generated.meta;
  EXPECT_TRUE(completeProgram(unchanged).ok());
  expectRefused([&](ProgramMeta &meta) { cacheOf(meta.kernels[0]).pagesOnly = false; },
                "two kernels write to cache `a`");
  expectRefused([&](ProgramMeta &meta) { writer(meta).layouts[0].hash = "other"; },
                "two kernels see `a` differently");
  expectRefused([](ProgramMeta &meta) { meta.checks.pop_back(); }, "checks");
  expectRefused([](ProgramMeta &meta) { meta.checks.push_back(meta.checks[0]); }, "checks");
  expectRefused(
      [](ProgramMeta &meta) {
        meta.kernels[1].checked = false;
        meta.kernels[1].checks.clear();
        std::erase_if(meta.kernels[1].arguments, [](const ArgumentMeta &argument) {
          return argument.kind == ArgumentKind::Faults;
        });
      },
      "a kernel of a checked build beside one of a fast build");
}

} // namespace
} // namespace braid::test
