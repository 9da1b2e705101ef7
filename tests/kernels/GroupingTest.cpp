// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of several kernels: what goes from kernel to kernel, row counts, workspaces, refusals.

#include "IndexerCase.h"

#include <cstring>

#include <fmt/format.h>

namespace braid::test {
namespace {

class Grouping : public OnTargets {};

constexpr const char *kUnfused = "unfused";

TEST_P(Grouping, UnfusedEqualsTheReferenceForBothModels) {
  for (auto [heads, style, layout] :
       {std::tuple(64, "neox", "linear"), std::tuple(32, "gptj", "tiled16")}) {
    IndexerCase kernel(target());
    kernel.grouping = kUnfused;
    kernel.heads = heads;
    kernel.style = style;
    kernel.layout = layout;
    ASSERT_TRUE(kernel.build());
    EXPECT_EQ(kernel.generated.texts.size(), 7u);
    kernel.random(7, 1, /*seed=*/heads);
    kernel.run();
  }
}

// A gate whose heads are not neighbours, and a number of heads that is no power of two: the kernel
// of `w` alone knows from the program that its values are scalars of rows.
TEST_P(Grouping, ScalarsStayScalarsInAKernelWithoutRows) {
  IndexerCase kernel(target());
  kernel.grouping = kUnfused;
  kernel.heads = 33;
  ASSERT_TRUE(kernel.build());
  kernel.random(5, 1, /*seed=*/3);
  HostArray &gate = kernel.operands["gate"];
  HostArray wide;
  ASSERT_TRUE(HostArray::zeros(DType::BF16, {5, 66}, wide).ok());
  for (int64_t i = 0; i < 5 * 33; ++i)
    wide.storeBits(2 * i, gate.loadBits(gate.offsetOf(i)));
  wide.extents = {5, 33};
  wide.strides = {66, 2};
  gate = wide;
  kernel.run();
}

TEST_P(Grouping, RowsOfF32AndF16AndNoRotation) {
  for (const char *io : {"f32", "f16"})
    for (int64_t rope : {0, 64}) {
      IndexerCase kernel(target());
      kernel.grouping = kUnfused;
      kernel.io = io;
      kernel.heads = 3;
      kernel.ropeDim = rope;
      ASSERT_TRUE(kernel.build());
      kernel.random(5, 1, /*seed=*/5);
      kernel.run();
    }
}

TEST_P(Grouping, TheKeyKernelAlone) {
  IndexerCase fused(target()), parted(target()), alone(target());
  parted.grouping = "q8, w | index_k";
  alone.kept = {"index_k"};
  for (IndexerCase *kernel : {&fused, &parted, &alone}) {
    ASSERT_TRUE(kernel->build());
    kernel->random(9, 2, /*seed=*/7);
    kernel->run();
  }
  EXPECT_EQ(parted.bytes("index_k"), fused.bytes("index_k"));
  EXPECT_EQ(alone.bytes("index_k"), fused.bytes("index_k"));
  EXPECT_EQ(parted.bytes("q8"), fused.bytes("q8"));
  EXPECT_EQ(parted.bytes("w"), fused.bytes("w"));
}

// The slots are an operand of the second kernel only, but they bound the rows of both.
// S-LAUNCH-6.
TEST_P(Grouping, OneRowCountForAllKernels) {
  IndexerCase kernel(target());
  kernel.grouping = "q8, w | index_k";
  kernel.heads = 4;
  ASSERT_TRUE(kernel.build());
  kernel.random(5, 1, /*seed=*/2);
  kernel.setInts("slot", {3}, {2, 0, 1});
  kernel.run();
  std::vector<uint8_t> q8 = kernel.bytes("q8");
  EXPECT_EQ(std::vector<uint8_t>(q8.begin() + 3 * 4 * 128, q8.end()),
            std::vector<uint8_t>(2 * 4 * 128, 0xA5));
  kernel.counts = {{"token", 2}};
  kernel.run();
  kernel.counts = {{"token", 4}};
  EXPECT_EQ(kernel.launchStatus().id, errorId(Error::CountTooLarge));
  kernel.counts = {{"token", 0}};
  kernel.run();
}

// Outputs as sources: codes, scales as e8m0, 16-bit scalars, an output of two names; values over
// two run-time axes; a gathered row.
constexpr const char *kChain = R"(
kernel chain() {
  axis   token, key
  input  x     : bf16[token, 2, 64]
  input  y     : f32[key, 64]
  input  g     : f32[token]
  input  angle : f32[position, 64]
  input  pos   : i32[token]
  output codes : fp8[token, 2, 64]
  output scale : e8m0[token, 2]
  output half  : bf16[token]
  output a     : f32[token, 2, 64]
  output b     : f32[token, 2]
  output c     : bf16[token]
  output d     : bf16[key, 64]
  output e     : f32[token, 2, 64]
  codes, scale = quantize(x, fp8, scale = ue8m0, floor = 1e-4)
  half = round(g * 3, bf16)
  t    = half * 2
  a    = codes * scale
  b    = scale * half
  c    = round(t + half, bf16)
  d    = round(y * 2, bf16)
  e    = a + angle[pos]
})";

TEST_P(Grouping, OutputsAreLoadedFromTheirTensors) {
  for (const char *grouping : {"fused", "codes, scale | a | b, half | t | c | d | e",
                               "half | codes, scale, d | a, b, c, e",
                               "scale, half, t | codes, c | a, d | b, e", "unfused"}) {
    SCOPED_TRACE(grouping);
    KernelCase kernel;
    kernel.grouping = grouping;
    ASSERT_TRUE(kernel.prepare(kChain, "", {}, target()));
    std::vector<float> x, y;
    for (int i = 0; i < 5 * 128; ++i)
      x.push_back((i * 37 % 101 - 50) * 0.125f);
    for (int i = 0; i < 3 * 64; ++i)
      y.push_back(i * 0.3f - 20);
    kernel.setFloats("x", {5, 2, 64}, x);
    kernel.setFloats("y", {3, 64}, y);
    kernel.setFloats("g", {5}, {1, -2.7f, 0, 1e-3f, 300});
    kernel.setFloats("angle", {4, 64}, std::vector<float>(4 * 64, 0.7f));
    kernel.setInts("pos", {5}, {3, 0, 1, 2, 9});
    kernel.fill("codes", {5, 2, 64}, 0xA5);
    kernel.fill("scale", {5, 2}, 0xA5);
    kernel.fill("half", {5}, 0xA5);
    kernel.fill("a", {5, 2, 64}, 0xA5);
    kernel.fill("b", {5, 2}, 0xA5);
    kernel.fill("c", {5}, 0xA5);
    kernel.fill("d", {3, 64}, 0xA5);
    kernel.fill("e", {5, 2, 64}, 0xA5);
    kernel.run();
  }
}

// A kernel for each run-time axis, and locals over both: a side without rows does not run, and the
// other does not notice.
TEST_P(Grouping, EachAxisHasACountOfItsOwn) {
  constexpr const char *kTwoSides = R"(
kernel two_sides() {
  axis   token, key
  input  q  : bf16[token, 2, 64]
  input  k  : bf16[key, 64]
  output q8 : fp8[token, 2, 64]
  output qs : f32[token, 2]
  output y  : bf16[key, 64]
  output z  : f32[key, 64]
  qr     = q * 3
  q8, qs = quantize(qr, fp8, scale = ue8m0, floor = 1e-4)
  kr     = round(k * 5, bf16)
  y      = round(kr * kr, bf16)
  z      = kr + y
})";
  for (auto [tokens, keys] : {std::pair(6, 9), std::pair(9, 6), std::pair(0, 5), std::pair(5, 0)})
    for (const char *grouping :
         {"fused", "q8, qs | y, z", "qr, kr | q8, qs, y | z", "kr | q8, qs | y | z"}) {
      SCOPED_TRACE(fmt::format("{} tokens, {} keys, {}", tokens, keys, grouping));
      KernelCase kernel;
      kernel.grouping = grouping;
      ASSERT_TRUE(kernel.prepare(kTwoSides, "", {}, target()));
      std::vector<float> q, k;
      for (int i = 0; i < tokens * 128; ++i)
        q.push_back((i * 53 % 89 - 44) * 0.0625f);
      for (int i = 0; i < keys * 64; ++i)
        k.push_back((i * 29 % 97 - 48) * 0.375f);
      kernel.setFloats("q", {tokens, 2, 64}, q);
      kernel.setFloats("k", {keys, 64}, k);
      kernel.fill("q8", {tokens, 2, 64}, 0xA5);
      kernel.fill("qs", {tokens, 2}, 0xA5);
      kernel.fill("y", {keys, 64}, 0xA5);
      kernel.fill("z", {keys, 64}, 0xA5);
      kernel.run();
      if (tokens > 3 && keys > 3) {
        kernel.counts = {{"token", 3}, {"key", keys - 1}};
        kernel.run();
      }
    }
}

TEST_P(Grouping, ScalesGoToAnE8m0FieldThroughAWorkspace) {
  KernelCase kernel;
  kernel.grouping = "kc, ks | cache";
  ASSERT_TRUE(kernel.prepare(R"(
kernel store() {
  axis   token
  input  k    : bf16[token, 128]
  input  slot : i64[token]
  cache  cache : linear(page_size = 16, dim = 128, scale = e8m0)
  kc, ks = quantize(k, fp8, scale = ue8m0, floor = 1e-4)
  cache[slot] = value: kc, scale: ks
})",
                             "", {}, target()));
  EXPECT_EQ(kernel.generated.meta.workspaces.size(), 2u);
  std::vector<float> k;
  for (int i = 0; i < 3 * 128; ++i)
    k.push_back(i * 0.25f);
  kernel.setFloats("k", {3, 128}, k);
  kernel.setInts("slot", {3}, {4, -1, 0});
  kernel.fill("cache", {1, 16 * 129}, 0xA5);
  kernel.run();
}

TEST_P(Grouping, ACacheOfTwoTensors) {
  KernelCase kernel;
  kernel.grouping = "unfused";
  ASSERT_TRUE(kernel.prepare(R"(
kernel store() {
  axis   token
  input  k    : bf16[token, 128]
  input  slot : i64[token]
  output y    : f32[token, 128]
  cache  keys : split(page_size = 16, dim = 128)
  kc, ks = quantize(k, fp8, scale = ue8m0, floor = 1e-4)
  keys[slot] = value: kc, scale: ks
  y = k * 2
})",
                             "", {}, target()));
  EXPECT_EQ(kernel.generated.meta.operands,
            (std::vector<std::string>{"k", "slot", "y", "keys.0", "keys.1"}));
  std::vector<float> k;
  for (int i = 0; i < 3 * 128; ++i)
    k.push_back(i * 0.25f);
  kernel.setFloats("k", {3, 128}, k);
  kernel.setInts("slot", {3}, {20, -1, 0});
  kernel.fill("y", {3, 128}, 0xA5);
  kernel.fill("keys.0", {2, 16 * 128}, 0xA5);
  kernel.fill("keys.1", {2, 16 * 4}, 0xA5);
  kernel.run();
}

// --- workspaces -------------------------------------------------------------------------------

class GroupingWorkspace : public Grouping {
protected:
  IndexerCase kernel{target()};

  void SetUp() override {
    kernel.grouping = "qr | q8, w | ks | index_k";
    kernel.heads = 4;
    ASSERT_TRUE(kernel.build());
    kernel.random(5, 1, /*seed=*/1);
  }

  uint64_t bytes(std::vector<runtime::RowCount> counts) const {
    uint64_t found = 1;
    Status status = kernel.kernel->workspaceBytes(counts, found);
    EXPECT_TRUE(status.ok()) << status.text();
    return found;
  }

  Status launch(runtime::Workspace workspace) {
    std::vector<runtime::Operand> operands;
    for (const OperandMeta &operand : kernel.generated.signature().operands) {
      const HostArray &array = kernel.operands.at(operand.name);
      operands.push_back({array.data(), array.dtype, array.extents, array.strides});
    }
    return kernel.kernel->launch(operands, {}, nullptr, workspace);
  }
};

TEST_P(GroupingWorkspace, SizesFollowTheCounts) {
  // qr: bf16[token, 4, 128]; ks: f32[token]; each from a multiple of 256.
  EXPECT_EQ(bytes({{"token", 5}}), 5u * 1024 + 256);
  EXPECT_EQ(bytes({{"token", 65}}), 65u * 1024 + 512);
  EXPECT_EQ(bytes({{"token", 0}}), 0u);
  uint64_t none = 1;
  EXPECT_EQ(kernel.kernel->workspaceBytes({}, none).id, errorId(Error::CountMissing));
  const std::vector<runtime::RowCount> unknown = {{"key", 1}},
                                       large = {{"token", int64_t(1) << 32}};
  EXPECT_EQ(kernel.kernel->workspaceBytes(unknown, none).id, errorId(Error::CountUnknownAxis));
  EXPECT_EQ(kernel.kernel->workspaceBytes(large, none).id, errorId(Error::ExtentTooLarge));
}

// S-LAUNCH-6.
TEST_P(GroupingWorkspace, TooSmallMisalignedOrShared) {
  runtime::Workspace workspace{nullptr, bytes({{"token", 5}})};
  ASSERT_EQ(kernel.api->hipMalloc(&workspace.data, workspace.bytes + 256), hipSuccess);
  const auto refused = [&](runtime::Workspace given, Error error) {
    EXPECT_EQ(launch(given).id, errorId(error));
    EXPECT_EQ(kernel.bytes("q8"), std::vector<uint8_t>(5 * 4 * 128, 0xA5))
        << "a refused launch has run";
  };
  refused({}, Error::WorkspaceSmall);
  refused({workspace.data, workspace.bytes - 1}, Error::WorkspaceSmall);
  refused({static_cast<std::byte *>(workspace.data) + 16, workspace.bytes},
          Error::WorkspaceMisaligned);
  // `k` is an operand of the last kernels, and written by none.
  refused({kernel.operands["k"].data(), workspace.bytes}, Error::WrittenOverlap);
  EXPECT_TRUE(launch(workspace).ok());
  EXPECT_NE(kernel.bytes("q8"), std::vector<uint8_t>(5 * 4 * 128, 0xA5));
  (void)kernel.api->hipFree(workspace.data);
}

TEST_P(GroupingWorkspace, OwnedByTheProgram) {
  std::vector<std::string_view> images(kernel.generated.texts.begin(),
                                       kernel.generated.texts.end());
  const std::vector<runtime::RowCount> most = {{"token", 5}};
  int device = 0;
  ASSERT_TRUE(kernel.api->findDevice(target(), device).ok());
  Status status = runtime::Program::prepare(*kernel.api, kernel.generated.meta, images, device,
                                            kernel.kernel, most);
  ASSERT_TRUE(status.ok()) << status.text();
  EXPECT_TRUE(launch({}).ok());
  std::vector<uint8_t> w = kernel.bytes("w");
  kernel.fill("w", {5, 4}, 0xA5);
  kernel.run();
  EXPECT_EQ(kernel.bytes("w"), w);
  kernel.random(6, 1, /*seed=*/1);
  EXPECT_EQ(launch({}).id, errorId(Error::WorkspaceSmall));
}

// A tensor that one kernel writes may share no byte with one that only another kernel reads.
TEST_P(GroupingWorkspace, OverlapAcrossKernels) {
  kernel.operands["q8"].bytes = kernel.operands["q"].bytes;
  EXPECT_EQ(kernel.launchStatus().id, errorId(Error::WrittenOverlap));
}

TEST_P(GroupingWorkspace, ImagesAndKernelsMustAgree) {
  std::unique_ptr<runtime::Program> program;
  std::vector<std::string_view> images(kernel.generated.texts.begin(),
                                       kernel.generated.texts.end() - 1);
  EXPECT_EQ(runtime::Program::prepare(*kernel.api, kernel.generated.meta, images, 0, program).id,
            errorId(Error::MetadataInconsistent));
  ProgramMeta late = kernel.generated.meta; // its first two kernels in the wrong order
  std::swap(late.kernels[0], late.kernels[1]);
  EXPECT_EQ(completeProgram(late).what, "workspace `qr` is read before it is written");
  ProgramMeta twice = kernel.generated.meta;
  twice.kernels[1] = twice.kernels[0];
  EXPECT_EQ(completeProgram(twice).what, "workspace `qr` is written twice");
  ProgramMeta none;
  EXPECT_EQ(completeProgram(none).id, errorId(Error::MetadataInconsistent));
}

BRAID_ON_TARGETS(Grouping);
BRAID_ON_TARGETS(GroupingWorkspace);

} // namespace
} // namespace braid::test
