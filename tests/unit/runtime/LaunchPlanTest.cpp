// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch passes, and every refusal of semantics.md section 6, one test each.

#include "runtime/LaunchPlan.h"
#include "tests/unit/runtime/SampleKernel.h"

#include <gtest/gtest.h>

namespace braid::runtime {
namespace {

class LaunchPlanTest : public testing::Test {
protected:
  Status resolve(std::vector<RowCount> counts = {}) {
    LaunchPlan plan;
    if (Status status = LaunchPlan::make(meta, plan); !status.ok())
      return status;
    return plan.resolve(sample.operands(), counts, launch);
  }
  /// The refusal has that id and names the thing in its first line, and says why and what to do.
  void expectRefused(Error error, const std::string &name, std::vector<RowCount> counts = {}) {
    const Status status = resolve(std::move(counts));
    EXPECT_EQ(status.id, errorId(error)) << status.text();
    EXPECT_EQ(status.code, StatusCode::RequestWrong);
    EXPECT_NE(status.what.find(name), std::string::npos) << status.text();
    EXPECT_FALSE(status.why.empty());
    EXPECT_FALSE(status.fix.empty());
    EXPECT_EQ(launch.workgroups, 0u);
  }
  void expectRight(std::vector<RowCount> counts = {}) {
    const Status status = resolve(std::move(counts));
    EXPECT_TRUE(status.ok()) << status.text();
  }
  uint64_t value(std::string_view argument) const {
    for (size_t i = 0; i < meta.arguments.size(); ++i)
      if (meta.arguments[i].name == argument)
        return launch.values[i];
    ADD_FAILURE() << argument;
    return 0;
  }

  KernelMeta meta = sampleMeta();
  SampleOperands sample;
  ResolvedLaunch launch;
};

TEST_F(LaunchPlanTest, ArgumentsComeInTheOrderOfTheMetadata) {
  expectRight();
  EXPECT_EQ(value("x"), reinterpret_cast<uintptr_t>(sample.x().data));
  EXPECT_EQ(value("x_stride_token"), 64u);
  EXPECT_EQ(value("x_stride_heads"), 16u);
  EXPECT_EQ(value("gain_stride_heads"), 1u);
  EXPECT_EQ(value("table_rows"), 7u);
  EXPECT_EQ(value("pages_pages"), 2u);
  EXPECT_EQ(value("pages_page_stride"), 80u);
  EXPECT_EQ(value("token_count"), 3u);
  EXPECT_EQ(value("key_count"), 5u);
  EXPECT_EQ(launch.workgroups, 1u + 3u * 2u); // 8 keys a workgroup; 2 workgroups a token
}

// S-LAUNCH-1.
TEST_F(LaunchPlanTest, CountIsTheMinimumOverOperands) {
  sample.gain().extents[0] = 2;
  expectRight();
  EXPECT_EQ(value("token_count"), 2u);
  EXPECT_EQ(value("key_count"), 5u);
}

// S-LAUNCH-1.
TEST_F(LaunchPlanTest, ASmallerCountMayBeGiven) {
  expectRight({{"token", 1}, {"key", 0}});
  EXPECT_EQ(value("token_count"), 1u);
  EXPECT_EQ(launch.workgroups, 2u);
}

// S-LAUNCH-2.
TEST_F(LaunchPlanTest, AllCountsZeroIsRightAndLaunchesNothing) {
  sample.x().data = nullptr;
  sample.table().extents[0] = 0;
  expectRight({{"token", 0}, {"key", 0}});
  EXPECT_EQ(launch.workgroups, 0u);
}

// S-LAUNCH-3.
TEST_F(LaunchPlanTest, OperandsOfAZeroCountAreNotLookedAt) {
  sample.k().extents[0] = 0;
  sample.k().data = nullptr;
  sample.k().strides = {0, 0};
  expectRight();
  EXPECT_EQ(launch.workgroups, 6u);
}

TEST_F(LaunchPlanTest, StrideOfASingleElementMayBeAnything) {
  sample.x().strides[0] = 0;
  sample.k().strides[0] = -5;
  expectRight({{"token", 1}, {"key", 1}});
  EXPECT_EQ(value("x_stride_token"), 0u);
}

// S-LAUNCH-4.
TEST_F(LaunchPlanTest, InputsMayOverlap) {
  sample.k().data = sample.table().data;
  expectRight();
}

TEST_F(LaunchPlanTest, SlicesOfOnePackedBufferAreApart) {
  // y in columns 64..127 of rows of 128, x in columns 0..63: equal token stride.
  sample.x().data = sample.memory + 8192;
  sample.y().data = sample.memory + 8192 + 256;
  sample.x().strides[0] = sample.y().strides[0] = 128;
  expectRight();
}

TEST_F(LaunchPlanTest, PageStrideMayExceedThePage) {
  sample.pages().strides[0] = 96;
  expectRight();
  EXPECT_EQ(value("pages_page_stride"), 96u);
}

TEST_F(LaunchPlanTest, ACacheMayHaveNoPages) {
  sample.pages().extents[0] = 0;
  sample.pages().data = nullptr;
  expectRight();
  EXPECT_EQ(value("pages_pages"), 0u);
}

// Refusals.

TEST_F(LaunchPlanTest, RefusesAnotherNumberOfOperands) {
  sample.tensors.pop_back();
  expectRefused(Error::OperandCount, "sample");
}
TEST_F(LaunchPlanTest, RefusesAnotherType) {
  sample.x().dtype = DType::BF16;
  expectRefused(Error::OperandDType, "`x`");
}
TEST_F(LaunchPlanTest, RefusesATypedCache) {
  sample.pages().dtype = DType::F32;
  expectRefused(Error::OperandDType, "`pages`");
}
TEST_F(LaunchPlanTest, RefusesAnotherRank) {
  sample.gain().extents.push_back(1);
  sample.gain().strides.push_back(1);
  expectRefused(Error::OperandRank, "`gain`");
}
TEST_F(LaunchPlanTest, RefusesAFlatCache) {
  sample.pages().extents = {160};
  sample.pages().strides = {1};
  expectRefused(Error::OperandRank, "`pages`");
}
TEST_F(LaunchPlanTest, RefusesAnotherExtent) {
  sample.y().extents[1] = 5;
  expectRefused(Error::OperandExtent, "`y`");
}
TEST_F(LaunchPlanTest, RefusesANegativeExtent) {
  sample.y().extents[0] = -1;
  expectRefused(Error::OperandExtent, "`y`");
}
TEST_F(LaunchPlanTest, RefusesPagesOfAnotherSize) {
  sample.pages().extents[1] = 64;
  expectRefused(Error::OperandExtent, "`pages`");
}
TEST_F(LaunchPlanTest, RefusesARowThatIsNotContiguous) {
  sample.x().strides[2] = 2;
  expectRefused(Error::RowNotContiguous, "`x`");
}
TEST_F(LaunchPlanTest, RefusesAPageThatIsNotContiguous) {
  sample.pages().strides = {160, 2};
  expectRefused(Error::RowNotContiguous, "`pages`");
}
TEST_F(LaunchPlanTest, RefusesAZeroStride) {
  sample.gain().strides[1] = 0;
  expectRefused(Error::StrideNotPositive, "`gain`");
}
TEST_F(LaunchPlanTest, RefusesANegativeStride) {
  sample.x().strides[0] = -64;
  expectRefused(Error::StrideNotPositive, "`x`");
}
TEST_F(LaunchPlanTest, RefusesAStrideOfTwoTo31) {
  sample.x().strides[0] = int64_t(1) << 31;
  expectRefused(Error::StrideTooLarge, "`x`");
}
TEST_F(LaunchPlanTest, RefusesANullAddress) {
  sample.x().data = nullptr;
  expectRefused(Error::PointerNull, "`x`");
}
TEST_F(LaunchPlanTest, RefusesAMisalignedAddress) {
  sample.x().data = static_cast<char *>(sample.x().data) + 4;
  expectRefused(Error::PointerMisaligned, "`x`");
  EXPECT_NE(resolve().fix.find("16"), std::string::npos);
}
TEST_F(LaunchPlanTest, RefusesAMisalignedCache) {
  sample.pages().data = static_cast<char *>(sample.pages().data) + 8;
  expectRefused(Error::PointerMisaligned, "`pages`");
}
TEST_F(LaunchPlanTest, RefusesAMisalignedStride) {
  sample.x().strides[0] = 65;
  expectRefused(Error::StrideMisaligned, "`x`");
  EXPECT_NE(resolve().fix.find("4 elements"), std::string::npos);
}
TEST_F(LaunchPlanTest, RefusesAnOutputOverAnInput) {
  sample.y().data = sample.x().data;
  expectRefused(Error::WrittenOverlap, "`y`");
}
// S-LAUNCH-4.
TEST_F(LaunchPlanTest, RefusesAnOutputThatSharesOneByte) {
  meta.operands[4].align = 1;
  sample.y().data = static_cast<char *>(sample.y().data) - 1; // the last byte of k
  expectRefused(Error::WrittenOverlap, "`y`");
}
TEST_F(LaunchPlanTest, RefusesACacheOverAnInput) {
  sample.pages().data = sample.x().data;
  expectRefused(Error::WrittenOverlap, "`pages`");
}
TEST_F(LaunchPlanTest, RefusesOverlappingColumnsOfOnePackedBuffer) {
  sample.x().data = sample.memory + 8192;
  sample.y().data = sample.memory + 8192 + 240;
  sample.x().strides[0] = sample.y().strides[0] = 128;
  expectRefused(Error::WrittenOverlap, "`y`");
}
TEST_F(LaunchPlanTest, RefusesAnOutputWhoseRowsOverlap) {
  sample.y().strides[1] = 8;
  expectRefused(Error::WrittenOverlap, "`y`");
}
TEST_F(LaunchPlanTest, RefusesACountOfAnUnknownAxis) {
  expectRefused(Error::CountUnknownAxis, "row", {{"row", 1}});
}
TEST_F(LaunchPlanTest, RefusesAnAxisOfUnknownLength) {
  meta.axes.push_back("page");
  expectRefused(Error::CountUnknownAxis, "page");
}
TEST_F(LaunchPlanTest, RefusesALargerCount) {
  expectRefused(Error::CountTooLarge, "token", {{"token", 4}});
  expectRefused(Error::CountTooLarge, "token", {{"token", -1}});
}
TEST_F(LaunchPlanTest, RefusesTwoTo32Rows) {
  sample.k().extents[0] = int64_t(1) << 32;
  expectRefused(Error::ExtentTooLarge, "key");
}
// S-LAUNCH-5.
TEST_F(LaunchPlanTest, RefusesTwoTo32TableRows) {
  sample.table().extents[0] = int64_t(1) << 32;
  expectRefused(Error::ExtentTooLarge, "`table`");
}
// S-LAUNCH-5.
TEST_F(LaunchPlanTest, RefusesAnEmptyTable) {
  sample.table().extents[0] = 0;
  expectRefused(Error::TableEmpty, "`table`");
}
// S-LAUNCH-5.
TEST_F(LaunchPlanTest, RefusesAGridOfTwoTo32Threads) {
  sample.k().extents[0] = (int64_t(1) << 32) - 1;
  meta.sections[0].rowsPerWorkgroup = 1;
  sample.y().data = sample.memory + 8192; // k, before them, reaches far
  sample.k().data = sample.memory + 12288;
  sample.pages().data = sample.memory;
  sample.x().data = sample.memory + 4096;
  expectRefused(Error::GridTooLarge, "64 threads");
}
TEST_F(LaunchPlanTest, RefusesAPageStrideBelowThePage) {
  sample.pages().strides[0] = 64;
  expectRefused(Error::PageStride, "`pages`");
}
TEST_F(LaunchPlanTest, RefusesAMisalignedPageStride) {
  sample.pages().strides[0] = 88;
  expectRefused(Error::PageStride, "`pages`");
}
TEST_F(LaunchPlanTest, RefusesMorePagesThanSlotsCanBeCounted) {
  sample.pages().extents[0] = int64_t(1) << 62;
  expectRefused(Error::PageCount, "`pages`");
}
TEST_F(LaunchPlanTest, RefusesAnOperandBeyondTheAddressSpace) {
  sample.pages().extents[0] = int64_t(1) << 60;
  expectRefused(Error::AddressOverflow, "`pages`");
}
TEST_F(LaunchPlanTest, RefusesAKernelThatTheBuffersDoNotHold) {
  for (size_t i = 0; i <= kMostArguments; ++i)
    meta.arguments.push_back(meta.arguments[0]);
  LaunchPlan plan;
  EXPECT_EQ(LaunchPlan::make(meta, plan).id, errorId(Error::MetadataInconsistent));
}

} // namespace
} // namespace braid::runtime
