// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All groupings of dsa_indexer: how many there are, and that they give the bytes of the fused
// kernel. With BRAID_FULL=1 all of up to three groups are run, and 500 of four; otherwise some of
// each. A kernel that occurs in several groupings is compiled once.

#include "IndexerCase.h"

#include "codegen/grouping/Grouping.h"

#include <random>
#include <set>

using namespace mlir;

namespace braid::test {
namespace {

// What a kernel loads, computes and stores.
std::string identity(const GroupingModel &model, const GroupPlan &plan) {
  std::set<std::string> parts;
  for (auto [value, listable] : plan.loads)
    parts.insert("load " + model[listable].name);
  for (Operation *op : plan.computes)
    parts.insert(fmt::format("compute {}", fmt::ptr(op)));
  for (unsigned listable : plan.stores)
    parts.insert("store " + model[listable].name);
  return fmt::format("{}", fmt::join(parts, "; "));
}

class Groupings : public OnTargets {
protected:
  IndexerCase indexer{target()};
  OwningOpRef<ModuleOp> program;
  std::unique_ptr<GroupingModel> model;

  void SetUp() override {
    indexer.heads = 4;
    ASSERT_TRUE(indexer.build());
    auto resolved = runPipeline(*indexer.module, indexer.request, Stage::Program);
    ASSERT_TRUE(succeeded(resolved));
    program = std::move(*resolved);
    model = std::make_unique<GroupingModel>(*program->getOps<KernelOp>().begin());
  }

  std::vector<Groups> all(size_t count) const {
    std::vector<Groups> found;
    model->enumerate(count, [&](const Groups &groups) { found.push_back(groups); });
    return found;
  }
};

TEST_P(Groupings, AreAsManyAsTheRulesGive) {
  const std::vector<size_t> expected = {1, 105, 1016, 2830};
  std::set<std::string> texts, kernels;
  for (size_t count = 1; count <= expected.size(); ++count) {
    std::vector<Groups> groupings = all(count);
    EXPECT_EQ(groupings.size(), expected[count - 1]) << count << " groups";
    for (const Groups &groups : groupings) {
      texts.insert(model->text(groups));
      std::optional<std::vector<GroupPlan>> plans = model->plan(groups);
      ASSERT_TRUE(plans) << model->text(groups);
      for (const GroupPlan &plan : *plans)
        kernels.insert(identity(*model, plan));
    }
  }
  EXPECT_EQ(texts.size(), 1u + 105 + 1016 + 2830);
  EXPECT_EQ(kernels.size(), 521u);
}

TEST_P(Groupings, HaveOneOrder) {
  for (Groups groups : all(3)) {
    const Groups canonical = groups;
    std::sort(groups.begin(), groups.end());
    do
      if (model->plan(groups))
        EXPECT_EQ(model->ordered(groups), canonical) << model->text(groups);
    while (std::next_permutation(groups.begin(), groups.end()));
  }
}

// What chance gives is legal, in its one order, and all may come.
TEST_P(Groupings, SamplesAreLegalAndComplete) {
  std::set<std::string> known, found;
  for (size_t count = 1; count <= 2; ++count)
    for (const Groups &groups : all(count))
      known.insert(model->text(groups));
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    Groups groups = model->sample(2, [&](uint64_t bound) { return random() % bound; });
    ASSERT_TRUE(model->plan(groups)) << model->text(groups);
    found.insert(model->text(groups));
  }
  EXPECT_EQ(found, known);
}

TEST_P(Groupings, UnfusedAsAServingStackRunsIt) {
  EXPECT_EQ(model->text(model->unfused()), "qr | q8, qs | w | kn | kr | kc, ks | index_k");
  EXPECT_EQ(model->text(model->fused()), "fused");
}

class GroupingBytes : public Groupings {
protected:
  struct Compiled {
    KernelMeta meta;
    std::string text;
    std::shared_ptr<const runtime::Kernel> kernel;
  };
  std::map<std::string, Compiled> byIdentity;
  std::map<std::string, std::shared_ptr<const runtime::Kernel>> byText;
  std::map<std::string, std::vector<uint8_t>> expected;
  runtime::Workspace workspace;

  void SetUp() override {
    Groupings::SetUp();
    indexer.random(/*tokens=*/5, /*pages=*/1, /*seed=*/11);
    ASSERT_TRUE(indexer.launchStatus().ok());
    for (const char *name : {"q8", "w", "index_k"})
      expected[name] = indexer.bytes(name);
    workspace.bytes = 1 << 16;
    ASSERT_EQ(indexer.api->hipMalloc(&workspace.data, workspace.bytes), hipSuccess);
  }

  void TearDown() override { (void)indexer.api->hipFree(workspace.data); }

  void compile(const Groups &groups, const std::vector<GroupPlan> &plans) {
    FailureOr<GeneratedProgram> generated =
        generateHip(*indexer.module, {target(), {}, model->text(groups)});
    ASSERT_TRUE(succeeded(generated));
    ASSERT_EQ(generated->texts.size(), groups.size());
    EXPECT_EQ(generated->meta.grouping, model->text(groups));
    int device = 0;
    ASSERT_TRUE(indexer.api->findDevice(target(), device).ok());
    for (size_t i = 0; i < groups.size(); ++i) {
      Compiled &entry = byIdentity[identity(*model, plans[i])];
      const std::string &text = generated->texts[i];
      if (entry.kernel) {
        EXPECT_EQ(entry.text, text) << "one kernel, two texts, in " << model->text(groups);
        continue;
      }
      std::shared_ptr<const runtime::Kernel> &kernel = byText[text];
      if (!kernel) {
        std::unique_ptr<runtime::Kernel> fresh;
        Status status =
            runtime::Kernel::prepare(*indexer.api, generated->meta.kernels[i], text, device, fresh);
        ASSERT_TRUE(status.ok()) << status.text();
        kernel = std::move(fresh);
      }
      entry = {generated->meta.kernels[i], text, kernel};
    }
  }

  void expectFusedBytes(const Groups &groups) {
    std::vector<GroupPlan> plans = *model->plan(groups);
    if (llvm::any_of(plans, [&](const GroupPlan &plan) {
          return !byIdentity.contains(identity(*model, plan));
        }))
      compile(groups, plans);
    if (HasFatalFailure())
      return;
    ProgramMeta meta;
    meta.kernel = "dsa_indexer";
    meta.grouping = model->text(groups);
    std::vector<std::shared_ptr<const runtime::Kernel>> kernels;
    for (const GroupPlan &plan : plans) {
      const Compiled &entry = byIdentity.at(identity(*model, plan));
      meta.kernels.push_back(entry.meta);
      kernels.push_back(entry.kernel);
    }
    meta.operands = indexer.generated.meta.operands;
    std::unique_ptr<runtime::Program> prepared;
    Status status =
        runtime::Program::make(*indexer.api, std::move(meta), std::move(kernels), prepared);
    ASSERT_TRUE(status.ok()) << model->text(groups) << "\n" << status.text();

    std::vector<runtime::Operand> operands;
    for (const OperandMeta &operand : prepared->signature().operands) {
      if (operand.written())
        indexer.fill(operand.name, indexer.extentsOf(operand, 5, 1), 0xA5);
      const HostArray &array = indexer.operands.at(operand.name);
      operands.push_back({array.data(), array.dtype, array.extents, array.strides});
    }
    std::memset(workspace.data, 0xA5, workspace.bytes);
    status = prepared->launch(operands, {}, nullptr, workspace);
    ASSERT_TRUE(status.ok()) << model->text(groups) << "\n" << status.text();
    for (const auto &[name, bytes] : expected)
      ASSERT_EQ(indexer.bytes(name), bytes) << name << " in " << model->text(groups);
  }
};

// S-LAUNCH-6.
TEST_P(GroupingBytes, AreThoseOfTheFusedKernel) {
  const char *full = std::getenv("BRAID_FULL");
  const bool isFull = full && std::string(full) == "1";
  const std::vector<size_t> most =
      isFull ? std::vector<size_t>{1, 105, 1016, 500} : std::vector<size_t>{1, 12, 12, 12};
  std::vector<Groups> chosen = {model->unfused()};
  std::mt19937 random(1);
  for (size_t count = 1; count <= most.size(); ++count) {
    std::vector<Groups> more = all(count);
    for (size_t i = more.size(); i > 1; --i) // as std::shuffle, but alike everywhere
      std::swap(more[i - 1], more[random() % i]);
    more.resize(std::min(more.size(), most[count - 1]));
    llvm::append_range(chosen, more);
  }
  for (const Groups &groups : chosen) {
    expectFusedBytes(groups);
    if (HasFatalFailure())
      return;
  }
  std::printf("%zu groupings of %zu kernels, of which %zu have a text of their own\n",
              chosen.size(), byIdentity.size(), byText.size());
}

// --- a value of several names -----------------------------------------------------------------

// All orders of all choices of groups: those of one choice that are legal have one canonical order,
// and there is one as soon as any order is legal.
TEST(GroupingOrder, IsOneAlsoForValuesOfSeveralNames) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadBraidDialects(context);
  dsl::Program program = dsl::parseProgram(context, {R"(kernel k() {
  axis token
  input  x : f32[token, 64]
  output a : f32[token, 64]
  output b : f32[token, 64]
  output z : f32[token, 64]
  n = x * 2
  a = n
  b = n
  t = n + 1
  z = t * b
})"});
  ASSERT_TRUE(program.module);
  const GroupingModel model(*program.module->getOps<KernelOp>().begin());
  ASSERT_EQ(model.listables().size(), 5u);
  size_t legal = 0;
  for (unsigned choice = 0; choice < 1024; ++choice) { // two bits a value: its group, or none
    Groups groups(3);
    for (unsigned number = 0; number < 5; ++number)
      if (unsigned group = choice >> 2 * number & 3)
        groups[group - 1].push_back(number);
    llvm::erase_if(groups, [](const auto &group) { return group.empty(); });
    std::sort(groups.begin(), groups.end());
    const std::optional<Groups> canonical = groups.empty() ? std::nullopt : model.ordered(groups);
    do {
      if (!groups.empty() && model.plan(groups)) {
        ++legal;
        ASSERT_TRUE(canonical) << model.text(groups);
      }
      EXPECT_EQ(groups.empty() ? std::nullopt : model.ordered(groups), canonical)
          << model.text(groups);
    } while (std::next_permutation(groups.begin(), groups.end()));
  }
  EXPECT_GT(legal, 100u);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i)
    EXPECT_TRUE(model.plan(model.sample(4, [&](uint64_t bound) { return random() % bound; })));
}

BRAID_ON_TARGETS(Groupings);
BRAID_ON_TARGETS(GroupingBytes);

} // namespace
} // namespace braid::test
