// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits are equal or not; only NaN equals NaN; pages are compared through their fields.

#include "codegen/reference/Compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace braid;
using namespace braid::reference;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

HostArray arrayOf(std::optional<DType> dtype, std::vector<int64_t> extents,
                  std::vector<uint64_t> codes) {
  HostArray array;
  EXPECT_TRUE(HostArray::zeros(dtype, std::move(extents), array).ok());
  for (size_t i = 0; i < codes.size(); ++i)
    array.storeBits(static_cast<int64_t>(i), codes[i]);
  return array;
}

/// Four fp8 values, then an f32 scale, then a byte of no field.
std::optional<PageElement> smallPage(int64_t byte) {
  if (byte < 4)
    return PageElement{DType::F8E4M3FN, byte, "value"};
  if (byte < 8)
    return PageElement{DType::F32, 4, "scale"};
  return std::nullopt;
}

} // namespace

TEST(Compare, AnyNanEqualsAnyNan) {
  EXPECT_TRUE(compare(arrayOf(DType::F8E4M3FN, {2}, {0x7F, 0xFF}),
                      arrayOf(DType::F8E4M3FN, {2}, {0xFF, 0x7F}))
                  .equal());
  EXPECT_TRUE(compare(arrayOf(DType::F32, {2}, {0x7FC00000, 0xFF800001}),
                      arrayOf(DType::F32, {2}, {0xFFFFFFFF, 0x7FC00000}))
                  .equal());
  EXPECT_TRUE(
      compare(arrayOf(DType::BF16, {1}, {0x7FC0}), arrayOf(DType::BF16, {1}, {0xFF81})).equal());
  EXPECT_TRUE(
      compare(arrayOf(DType::F16, {1}, {0x7E00}), arrayOf(DType::F16, {1}, {0xFC01})).equal());
}

TEST(Compare, NothingElseIsEqual) {
  // Infinity and NaN, the zeros, and codes that are NaN only in another flavour.
  EXPECT_FALSE(
      compare(arrayOf(DType::F32, {1}, {0x7F800000}), arrayOf(DType::F32, {1}, {0x7FC00000}))
          .equal());
  EXPECT_FALSE(
      compare(arrayOf(DType::F32, {1}, {0}), arrayOf(DType::F32, {1}, {0x80000000})).equal());
  EXPECT_FALSE(
      compare(arrayOf(DType::F8E4M3FNUZ, {1}, {0x7F}), arrayOf(DType::F8E4M3FNUZ, {1}, {0xFF}))
          .equal());
  EXPECT_FALSE(
      compare(arrayOf(std::nullopt, {1}, {0x7F}), arrayOf(std::nullopt, {1}, {0xFF})).equal());
}

TEST(Compare, TellsIndexCodesAndDistance) {
  const Comparison result = compare(arrayOf(DType::F8E4M3FN, {2, 3}, {0, 1, 2, 3, 4, 0x7E}),
                                    arrayOf(DType::F8E4M3FN, {2, 3}, {0, 1, 2, 3, 0x80, 0x7C}));
  EXPECT_EQ(result.compared, 6);
  EXPECT_EQ(result.differing, 2);
  EXPECT_EQ(result.largestSteps, 5u);
  ASSERT_EQ(result.first.size(), 2u);
  EXPECT_THAT(result.first[0].index, ElementsAre(1, 1));
  EXPECT_EQ(result.first[0].steps, 5u) << "-0 is one step below +0";
  EXPECT_EQ(result.first[1].text(),
            "[1, 2] f8e4m3fn 0x7e = 448, expected 0x7c = 384, 2 steps apart");
}

TEST(Compare, KeepsTheFirstFewAndCountsAll) {
  const Comparison result = compare(arrayOf(DType::I64, {20}, {}),
                                    arrayOf(DType::I64, {20}, std::vector<uint64_t>(20, ~0ull)));
  EXPECT_EQ(result.differing, 20);
  EXPECT_EQ(result.first.size(), kDifferencesKept);
  EXPECT_EQ(result.largestSteps, 1u);
  EXPECT_THAT(result.text(), HasSubstr("and 12 more"));
}

TEST(Compare, HasNoDistanceToNan) {
  const Comparison result =
      compare(arrayOf(DType::F32, {1}, {0x7FC00000}), arrayOf(DType::F32, {1}, {0x3F800000}));
  EXPECT_EQ(result.differing, 1);
  EXPECT_FALSE(result.first[0].steps.has_value());
}

TEST(Compare, RefusesOtherShapesAndTypes) {
  EXPECT_THAT(compare(arrayOf(DType::F32, {2, 3}, {}), arrayOf(DType::F32, {3, 2}, {})).refused,
              HasSubstr("[2, 3] and [3, 2]"));
  EXPECT_THAT(compare(arrayOf(DType::F16, {2}, {}), arrayOf(DType::BF16, {2}, {})).refused,
              HasSubstr("f16 and bf16"));
}

TEST(Compare, ReadsStridedArrays) {
  const HostArray wide = arrayOf(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  HostArray middle;
  ASSERT_TRUE(wide.slice(1, 1, 3, middle).ok());
  EXPECT_TRUE(compare(middle, arrayOf(DType::F32, {2, 2}, {2, 3, 5, 6})).equal());
}

TEST(ComparePages, KnowsNanInsideFields) {
  std::vector<uint64_t> a = {0x7F, 0x38, 0, 0, 0, 0, 0xC0, 0x7F, 0xFF};
  std::vector<uint64_t> b = {0xFF, 0x38, 0, 0, 1, 0, 0x80, 0xFF, 0xFF};
  EXPECT_TRUE(comparePages(arrayOf({}, {1, 9}, a), arrayOf({}, {1, 9}, b), smallPage).equal());
  b[8] = 0x7F; // the byte outside the fields is no fp8 code
  EXPECT_EQ(comparePages(arrayOf({}, {1, 9}, a), arrayOf({}, {1, 9}, b), smallPage).differing, 1);
}

TEST(ComparePages, NamesPageByteAndField) {
  std::vector<uint64_t> a(18), b(18);
  b[9 + 2] = 0x38;
  b[9 + 6] = 0x80; // one scale, counted once
  b[9 + 7] = 0x3F;
  const Comparison result = comparePages(arrayOf({}, {2, 9}, a), arrayOf({}, {2, 9}, b), smallPage);
  EXPECT_EQ(result.differing, 2);
  EXPECT_EQ(result.compared, 12);
  ASSERT_EQ(result.first.size(), 2u);
  EXPECT_THAT(result.first[0].index, ElementsAre(1, 2));
  EXPECT_EQ(result.first[1].text().substr(0, 16), "[1, 4] scale f32");
}

TEST(ComparePages, RefusesDenseArrays) {
  EXPECT_FALSE(
      comparePages(arrayOf(DType::F32, {1, 9}, {}), arrayOf(DType::F32, {1, 9}, {}), smallPage)
          .refused.empty());
}
