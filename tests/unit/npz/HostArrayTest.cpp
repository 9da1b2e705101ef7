// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents, strides and slices of host arrays, four-bit elements among them.

#include "runtime/HostArray.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

using namespace braid;
using testing::ElementsAre;

namespace {

HostArray counting(std::optional<DType> dtype, std::vector<int64_t> extents) {
  HostArray array;
  EXPECT_TRUE(HostArray::zeros(dtype, std::move(extents), array).ok());
  for (int64_t flat = 0; flat < array.elementCount(); ++flat)
    array.storeBits(flat, static_cast<uint64_t>(flat));
  return array;
}

std::vector<uint64_t> codesOf(const HostArray &array) {
  std::vector<uint64_t> codes;
  for (int64_t flat = 0; flat < array.elementCount(); ++flat)
    codes.push_back(array.loadBits(array.offsetOf(flat)));
  return codes;
}

} // namespace

TEST(HostArray, IsAlignedZeroedAndContiguous) {
  HostArray array;
  ASSERT_TRUE(HostArray::zeros(DType::BF16, {3, 5, 128}, array).ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % 64, 0u);
  EXPECT_THAT(array.strides, ElementsAre(640, 128, 1));
  EXPECT_EQ(array.byteCount(), 3840u);
  EXPECT_TRUE(array.isContiguous());
  for (std::byte byte : array.contiguousBytes())
    ASSERT_EQ(byte, std::byte{0});
}

TEST(HostArray, TakesEmptyAxesAndNoAxes) {
  HostArray array;
  ASSERT_TRUE(HostArray::zeros(DType::F32, {32, 0}, array).ok());
  EXPECT_EQ(array.elementCount(), 0);
  EXPECT_NE(array.data(), nullptr);
  EXPECT_TRUE(array.isContiguous());
  ASSERT_TRUE(HostArray::zeros(DType::F32, {}, array).ok());
  EXPECT_EQ(array.elementCount(), 1);
}

TEST(HostArray, SlicesShareTheBytes) {
  const HostArray whole = counting(DType::I32, {3, 8});
  HostArray part, copy;
  ASSERT_TRUE(whole.slice(1, 2, 4, part).ok());
  EXPECT_THAT(codesOf(part), ElementsAre(2, 3, 10, 11, 18, 19));
  EXPECT_FALSE(part.isContiguous());
  ASSERT_TRUE(part.contiguous(copy).ok());
  EXPECT_THAT(codesOf(copy), ElementsAre(2, 3, 10, 11, 18, 19));
  part.storeBits(part.offsetOf(0), 99);
  EXPECT_EQ(whole.loadBits(2), 99u);
  EXPECT_EQ(copy.loadBits(0), 2u);
}

TEST(HostArray, LeadingSlicesStayContiguous) {
  const HostArray whole = counting(DType::F8E4M3FN, {4, 6});
  HostArray rows;
  ASSERT_TRUE(whole.slice(0, 1, 3, rows).ok());
  EXPECT_TRUE(rows.isContiguous());
  EXPECT_EQ(rows.data(), whole.data() + 6);
}

TEST(HostArray, HoldsTwoFourBitElementsAByte) {
  const HostArray array = counting(DType::F4E2M1, {2, 8});
  EXPECT_EQ(array.byteCount(), 8u);
  EXPECT_EQ(array.bytes[0], std::byte{0x10}) << "low nibble first";
  HostArray part;
  ASSERT_TRUE(array.slice(1, 2, 6, part).ok());
  EXPECT_THAT(codesOf(part), ElementsAre(2, 3, 4, 5, 10, 11, 12, 13));
  EXPECT_EQ(array.slice(1, 1, 3, part).id, "BR5411") << "a row must start on a byte";
  EXPECT_EQ(HostArray::zeros(DType::F4E2M1, {2, 3}, part).id, "BR5411");
}

TEST(HostArray, RefusesRangesThatAreNotThere) {
  const HostArray array = counting(DType::F32, {3, 8});
  HostArray part;
  for (auto [axis, begin, end] : {std::tuple{0, 0, 4}, {0, -1, 2}, {1, 5, 4}, {2, 0, 1}}) {
    const Status status = array.slice(static_cast<size_t>(axis), begin, end, part);
    EXPECT_EQ(status.code, StatusCode::RequestWrong);
    EXPECT_NE((status.what + status.why).find("[3, 8]"), std::string::npos) << status.text();
  }
}

TEST(HostArray, RefusesExtentsThatOverflow) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  HostArray array;
  const std::vector<std::vector<int64_t>> shapes = {
      {-1}, {kMost}, {1ll << 32, 1ll << 32}, {0, kMost, kMost}};
  for (const std::vector<int64_t> &shape : shapes)
    EXPECT_EQ(HostArray::zeros(DType::F32, shape, array).id, "BR5410");
}
