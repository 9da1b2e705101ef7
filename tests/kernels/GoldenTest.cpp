// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vectors of tests/data, made by an implementation that shares nothing with this one: the
// emulated wave and the reference give their bytes.

#include "KernelCase.h"

#include "codegen/reference/Compare.h"
#include "codegen/reference/PageMap.h"
#include "runtime/Npz.h"

using namespace mlir;

namespace braid::test {
namespace {

struct GoldenFile {
  const char *name, *target, *style, *layout;
  int pageSize;
  const char *eps;
};

void PrintTo(const GoldenFile &file, std::ostream *os) { *os << file.name; }

class Golden : public testing::TestWithParam<GoldenFile> {};

TEST_P(Golden, EmulatedWaveAndReferenceGiveTheBytes) {
  const GoldenFile &file = GetParam();
  Npz npz;
  Status status = readNpz(std::string(BRAID_SOURCE_DIR "/tests/data/") + file.name + ".npz", npz);
  ASSERT_TRUE(status.ok()) << status.text();
  const RawArray *q = npz.find("q"), *angle = npz.find("angle");
  ASSERT_TRUE(q && angle);
  int64_t headDim = q->extents[2];
  std::vector<std::string> sets = {"heads=" + std::to_string(q->extents[1]),
                                   "head_dim=" + std::to_string(headDim),
                                   "rope_dim=" + std::to_string(angle->extents[1]),
                                   std::string("style=") + file.style,
                                   std::string("eps=") + file.eps,
                                   std::string("page=") + file.layout +
                                       "(page_size=" + std::to_string(file.pageSize) +
                                       ", dim=" + std::to_string(headDim) + ")"};
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(dsaIndexer(), "", sets, file.target));
  for (const OperandMeta &operand : kernel.generated.signature().operands) {
    bool cache = operand.kind == OperandKind::Cache;
    std::optional<DType> dtype = cache ? std::nullopt : std::optional(operand.dtype);
    HostArray array;
    if (operand.kind == OperandKind::Output) {
      HostArray expected;
      status = npz.tensor("expected_" + operand.name, dtype, expected);
      ASSERT_TRUE(status.ok()) << status.text();
      kernel.fill(operand.name, expected.extents, 0xA5);
      continue;
    }
    status = npz.tensor(operand.name, dtype, array);
    ASSERT_TRUE(status.ok()) << status.text();
    HostArray &copy = kernel.array(operand.name, array.extents);
    std::memcpy(copy.data(), array.data(), array.byteCount());
  }
  kernel.run();

  FailureOr<OwningOpRef<ModuleOp>> program =
      runPipeline(*kernel.module, kernel.request, Stage::Program);
  ASSERT_TRUE(succeeded(program));
  for (OperandOp operand :
       (*(*program)->getOps<KernelOp>().begin()).getBody().getOps<OperandOp>()) {
    if (operand.getRole() == OperandRole::input)
      continue;
    std::string name = operand.getName().str();
    HostArray expected;
    auto cache = dyn_cast<CacheType>(operand.getHandle().getType());
    status = npz.tensor("expected_" + name,
                        cache ? std::nullopt : std::optional(kernel.meta(name).dtype), expected);
    ASSERT_TRUE(status.ok()) << status.text();
    reference::Comparison comparison =
        cache ? reference::comparePages(kernel.operands[name], expected,
                                        reference::pageMap(cache.getLayout(), 0))
              : reference::compare(kernel.operands[name], expected);
    EXPECT_TRUE(comparison.equal()) << name << ": " << comparison.text();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, Golden,
    testing::Values(
        GoldenFile{"indexer_gfx942_neox_linear64", "gfx942", "neox", "linear", 64, "1e-6"},
        GoldenFile{"indexer_gfx950_neox_linear64", "gfx950", "neox", "linear", 64, "1e-6"},
        GoldenFile{"indexer_gfx942_neox_linear64_nonfinite", "gfx942", "neox", "linear", 64,
                   "1e-6"},
        GoldenFile{"indexer_gfx950_neox_linear64_nonfinite", "gfx950", "neox", "linear", 64,
                   "1e-6"},
        GoldenFile{"indexer_gfx942_gptj_tiled16", "gfx942", "gptj", "tiled16", 16, "1e-5"},
        GoldenFile{"indexer_gfx950_gptj_tiled16", "gfx950", "gptj", "tiled16", 16, "1e-5"},
        GoldenFile{"indexer_gfx950_norope_linear1", "gfx950", "neox", "linear", 1, "1e-6"}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace braid::test
