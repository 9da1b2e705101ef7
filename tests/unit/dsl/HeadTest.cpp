// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Binding.h"

#include <gmock/gmock.h>

using namespace braid::dsl;
using testing::ElementsAre;
using testing::Pair;

namespace {

constexpr const char *kProgram = R"(
kernel k(heads: int, dim: int = 128, rope_dim: int = dim / 2, style: rope_style, eps: f32, page: layout,
         io: dtype = bf16, fp: dtype = fp8, on: bool = true, mode: enum(fast, exact) = fast) {
  preset big, huge { heads = 64, style = neox, eps = 1e-6, page = linear(page_size = 64, dim = dim, value = fp) }
  preset small     { heads = 2 * 3, style = gptj, eps = 1 / 100, page = linear(dim = min(dim, 32), page_size = 7 % 4), }
  axis token
}
kernel other() {}
)";

struct Bound {
  explicit Bound(std::string preset, std::vector<std::string> sets = {},
                 std::string text = kProgram, std::string kernelName = "k")
      : head(parseHead(std::make_shared<const Source>("t", std::move(text)), diagnostics)) {
    if (const KernelHead *kernel = selectKernel(head, kernelName, diagnostics))
      params = bindParams(*kernel, preset, sets, diagnostics);
  }
  std::string text(const char *name) const {
    return params && params->find(name) ? params->find(name)->canonical() : "<none>";
  }
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const Diagnostic &diagnostic : diagnostics.all())
      all.push_back(diagnostic.id);
    return all;
  }
  DiagnosticList diagnostics;
  Head head;
  std::optional<BoundParams> params;
};

TEST(Head, ListsKernelsAndPresets) {
  Bound bound("big");
  ASSERT_EQ(bound.head.kernels.size(), 2u);
  EXPECT_EQ(bound.head.kernels[0].name, "k");
  EXPECT_THAT(bound.head.kernels[0].presetNames(), ElementsAre("big", "huge", "small"));
  EXPECT_EQ(bound.head.kernels[0].findParam("rope_dim")->defaultText(), "dim / 2");
  EXPECT_EQ(bound.head.kernels[0].findParam("mode")->typeText(), "enum(fast, exact)");
}

TEST(Binding, GivesCanonicalTexts) {
  Bound bound("big");
  ASSERT_TRUE(bound.params);
  EXPECT_THAT(bound.params->canonical(),
              ElementsAre(Pair("dim", "128"), Pair("eps", "1e-06"), Pair("fp", "fp8"),
                          Pair("heads", "64"), Pair("io", "bf16"), Pair("mode", "fast"),
                          Pair("on", "true"), Pair("padding", "skip_store"),
                          Pair("page", "linear(dim=128, page_size=64, value=fp8)"),
                          Pair("rope_dim", "64"), Pair("style", "neox")));
}

TEST(Binding, EqualRequestsHaveEqualTexts) {
  Bound a("big", {"heads=32", "page = linear( value=fp,dim=64*2,  page_size=64)"});
  Bound b("big", {"page=linear(page_size=64, dim=128, value=fp8)", "heads = 8 * 4"});
  ASSERT_TRUE(a.params && b.params);
  EXPECT_EQ(a.params->canonical(), b.params->canonical());
}

TEST(Binding, EvaluatesAfterAllAreBound) {
  Bound bound("big", {"dim=64", "fp=f8e4m3fn"});
  EXPECT_EQ(bound.text("page"), "linear(dim=64, page_size=64, value=f8e4m3fn)");
  EXPECT_EQ(bound.text("rope_dim"), "32");
}

TEST(Binding, IntegersFloorAndRealsDivide) {
  Bound bound("small", {"dim=-7 / 2 + 40"});
  EXPECT_EQ(bound.text("dim"), "36");
  EXPECT_EQ(bound.text("heads"), "6");
  EXPECT_EQ(bound.text("eps"), "0.01");
  EXPECT_EQ(bound.text("page"), "linear(dim=32, page_size=3)");
  EXPECT_EQ(Bound("small", {"eps=sqrt(2)"}).text("eps"), "1.4142135623730951");
  EXPECT_EQ(Bound("small", {"dim=-7 % 4"}).text("dim"), "1");
}

TEST(Binding, NamesWhatIsMissing) {
  Bound bound("");
  EXPECT_THAT(bound.ids(), ElementsAre("BR0115", "BR0115", "BR0115", "BR0115"));
  EXPECT_EQ(bound.diagnostics.all()[0].message, "parameter `heads` has no value");
  EXPECT_EQ(bound.diagnostics.all()[0].line, 2u);
  EXPECT_EQ(bound.diagnostics.all()[0].column, 10u);
}

TEST(Binding, RefusesWhatDoesNotFit) {
  EXPECT_THAT(Bound("bgi").ids(), ElementsAre("BR0113"));
  EXPECT_THAT(Bound("big", {"haeds=3"}).ids(), ElementsAre("BR0114"));
  EXPECT_THAT(Bound("big", {"style=spiral"}).ids(), ElementsAre("BR0116"));
  EXPECT_THAT(Bound("big", {"io=b16"}).ids(), ElementsAre("BR0116"));
  EXPECT_THAT(Bound("big", {"on=1"}).ids(), ElementsAre("BR0116"));
  EXPECT_THAT(Bound("big", {"page=linear"}).ids(), ElementsAre("BR0116"));
  EXPECT_THAT(Bound("big", {"heads"}).ids(), ElementsAre("BR0117"));
  EXPECT_THAT(Bound("big", {"heads="}).ids(), ElementsAre("BR0117"));
  EXPECT_THAT(Bound("big", {"heads=1", "heads=2"}).ids(), ElementsAre("BR0118"));
  EXPECT_THAT(Bound("big", {"dim=rope_dim"}).ids(), ElementsAre("BR0119"));
  EXPECT_THAT(Bound("big", {"heads=1.5"}).ids(), ElementsAre("BR0121"));
  EXPECT_THAT(Bound("big", {"heads=eps"}).ids(), ElementsAre("BR0121"));
  EXPECT_THAT(Bound("big", {"heads=1 / 0"}).ids(), ElementsAre("BR0122"));
  EXPECT_THAT(Bound("big", {"heads=9223372036854775807 + 1"}).ids(), ElementsAre("BR0123"));
  EXPECT_THAT(Bound("big", {"eps=1e39"}).ids(), ElementsAre("BR0123"));
  EXPECT_THAT(Bound("big", {"heads=1 2"}).ids(), ElementsAre("BR0105"));
  for (const char *wrong : {"padding=skip_all", "padding=skip_all()", "padding=skip_all(slot",
                            "padding=skip_all(1)", "padding=skip_all(slot) x"})
    EXPECT_THAT(Bound("big", {wrong}).ids(), ElementsAre("BR0105")) << wrong;
  EXPECT_THAT(Bound("big", {"padding=skip"}).ids(), ElementsAre("BR0116"));
}

TEST(Binding, PlacesErrorsInTheSetting) {
  Bound bound("big", {"heads=1 / 0"});
  EXPECT_EQ(bound.diagnostics.all()[0].file, "--set heads");
  EXPECT_EQ(bound.diagnostics.all()[0].column, 9u);
}

TEST(Binding, BoundsRecursion) {
  EXPECT_THAT(Bound("big", {"heads=" + std::string(100000, '(')}).ids(), ElementsAre("BR0106"));
  EXPECT_THAT(Bound("big", {"heads=" + std::string(100000, '-') + "1"}).ids(),
              ElementsAre("BR0106"));
  std::string chain = "kernel k(p0: int = 1";
  for (int i = 1; i < 2000; ++i)
    chain += fmt::format(", p{}: int = p{}", i, i - 1);
  std::string backwards = "kernel k(p2000: int = 1";
  for (int i = 0; i < 2000; ++i)
    backwards += fmt::format(", p{}: int = p{}", i, i + 1);
  EXPECT_TRUE(Bound("", {}, chain + ") {}").ids().empty());
  EXPECT_THAT(Bound("", {}, backwards + ") {}").ids(), testing::Contains("BR0106"));
}

TEST(Head, AsksForAKernel) {
  EXPECT_THAT(Bound("big", {}, kProgram, "").ids(), ElementsAre("BR0111"));
  EXPECT_THAT(Bound("big", {}, kProgram, "othr").ids(), ElementsAre("BR0110"));
  EXPECT_THAT(Bound("", {}, "", "").ids(), ElementsAre("BR0109"));
}

} // namespace
