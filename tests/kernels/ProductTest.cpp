// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dsa_indexer over its shapes: generated code on the emulated wave == reference, bit for bit. By
// default a set in which every pair of values occurs; with BRAID_FULL=1 the whole product over the
// targets that code objects are made for.

#include "KernelCase.h"

#include <algorithm>
#include <cstdlib>
#include <set>

using namespace mlir;

namespace braid::test {
namespace {

// One value of each parameter, as an index into its list.
enum Parameter { kHeads, kStyle, kRope, kHeadDim, kPage, kTarget, kFlavour, kRows, kParameters };

const std::vector<std::vector<std::string>> kValues = {
    {"1", "8", "24", "32", "33", "64", "128"},
    {"neox", "gptj"},
    {"0", "2", "32", "64", "128"},
    {"64", "128", "256"},
    {"linear 1", "linear 24", "linear 64", "tiled16 16", "tiled16 48", "tiled16 256"},
    {"gfx942", "gfx950", "sm_90"},
    {"own", "other"},
    {"0", "1", "7", "64", "257"},
};

using Case = std::array<unsigned, kParameters>;

const std::string &value(const Case &c, Parameter parameter) { return kValues[parameter][c[parameter]]; }

bool isLegal(const Case &c) {
  return std::stoi(value(c, kRope)) <= std::stoi(value(c, kHeadDim));
}

std::vector<Case> legalProduct() {
  std::vector<Case> all;
  Case c{};
  while (true) {
    if (isLegal(c))
      all.push_back(c);
    unsigned position = 0;
    while (position < kParameters && ++c[position] == kValues[position].size())
      c[position++] = 0;
    if (position == kParameters)
      return all;
  }
}

using Pair = std::array<unsigned, 4>; // parameter, value, parameter, value

std::vector<Pair> pairsOf(const Case &c) {
  std::vector<Pair> pairs;
  for (unsigned i = 0; i < kParameters; ++i)
    for (unsigned j = i + 1; j < kParameters; ++j)
      pairs.push_back({i, c[i], j, c[j]});
  return pairs;
}

// Greedy cover: of a pseudo-random sample of the product always the case with most new pairs.
std::vector<Case> pairwiseCover() {
  std::vector<Case> all = legalProduct();
  std::set<Pair> open;
  for (const Case &c : all)
    for (const Pair &pair : pairsOf(c))
      open.insert(pair);
  std::vector<Case> cover;
  uint64_t state = 1;
  while (!open.empty()) {
    size_t best = 0, bestCount = 0;
    for (int sample = 0; sample < 400 || bestCount == 0; ++sample) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      size_t candidate = (state >> 20) % all.size(), count = 0;
      for (const Pair &pair : pairsOf(all[candidate]))
        count += open.count(pair);
      if (count > bestCount)
        best = candidate, bestCount = count;
    }
    for (const Pair &pair : pairsOf(all[best]))
      open.erase(pair);
    cover.push_back(all[best]);
  }
  return cover;
}

bool isFull() {
  const char *full = std::getenv("BRAID_FULL");
  return full && std::string(full) == "1";
}

// The whole product of kernels, each with all row counts, or the cover.
const std::vector<Case> &cases() {
  static const std::vector<Case> chosen = [] {
    if (!isFull())
      return pairwiseCover();
    std::vector<Case> kernels;
    for (const Case &c : legalProduct())
      if (c[kRows] == 0 && value(c, kTarget) != "sm_90")
        kernels.push_back(c);
    return kernels;
  }();
  return chosen;
}

std::string caseName(const Case &c) {
  std::string name;
  for (unsigned i = 0; i < kParameters; ++i)
    if (i != kRows || !isFull())
      name += (name.empty() ? "" : "_") + kValues[i][c[i]];
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

class Product : public testing::TestWithParam<size_t> {};

// S-ROUND-2.
TEST_P(Product, EqualsTheReference) {
  const Case &c = cases()[GetParam()];
  const std::string &target = value(c, kTarget);
  std::string page = value(c, kPage);
  page = page.substr(0, page.find(' ')) + "(page_size=" + page.substr(page.find(' ') + 1) + ", dim=" +
         value(c, kHeadDim) + ", value=fp)";
  bool own = value(c, kFlavour) == "own";
  std::string other = target == "gfx942" ? "f8e4m3fn" : "f8e4m3fnuz";

  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadBraidDialects(context);
  dsl::Program program = dsl::parseProgram(
      context, {dsaIndexer(), "dsa_indexer.braid", "", "",
                {"heads=" + value(c, kHeads), "style=" + value(c, kStyle), "rope_dim=" + value(c, kRope),
                 "head_dim=" + value(c, kHeadDim), "eps=1e-6", "page=" + page,
                 "fp=" + (own ? std::string("fp8") : other)}});
  ASSERT_TRUE(program.module) << (program.diagnostics.empty() ? "" : renderText(program.diagnostics[0]));
  tool::Verifier verifier;
  Status status;
  ASSERT_TRUE(succeeded(verifier.prepare(*program.module, {target, {}}, status)));
  ASSERT_TRUE(status.ok()) << status.text();
  for (unsigned rows = 0; rows < kValues[kRows].size(); ++rows) {
    if (!isFull() && rows != c[kRows])
      continue;
    tool::VerifyOptions options;
    options.tokens = std::stoi(kValues[kRows][rows]);
    options.seed = GetParam() * 16 + rows;
    options.nonfinite = GetParam() % 2;
    tool::VerifyResult result = verifier.verify(options);
    EXPECT_TRUE(result.equal()) << options.tokens << " rows: " << result.status.text() << result.differences;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Product, testing::Range(size_t(0), cases().size()),
                         [](const auto &info) {
                           return caseName(cases()[info.param]) + "_case" + std::to_string(info.param);
                         });

} // namespace
} // namespace braid::test
