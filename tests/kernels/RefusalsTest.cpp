// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host refuses before it launches (AC19 and semantics.md section 6): the error and what it
// says is needed. Nothing is written then.

#include "IndexerCase.h"

#include <gmock/gmock.h>

#include <functional>

namespace braid::test {
namespace {

using testing::Each;
using testing::HasSubstr;

struct Refusal {
  const char *name;
  std::function<void(IndexerCase &)> spoil;
  Error error;
  const char *operand, *needed; // texts of the message
};

void setDType(IndexerCase &kernel, const char *name, DType dtype) {
  HostArray &array = kernel.operands[name];
  ASSERT_TRUE(HostArray::zeros(dtype, array.extents, array).ok());
}

void setExtents(IndexerCase &kernel, const char *name, std::vector<int64_t> extents) {
  HostArray &array = kernel.operands[name];
  ASSERT_TRUE(HostArray::zeros(array.dtype, std::move(extents), array).ok());
}

// The same extents at other strides, in memory that has room for them on either side.
void setStrides(IndexerCase &kernel, const char *name, std::vector<int64_t> strides) {
  HostArray &array = kernel.operands[name];
  array.bytes = allocateBytes(1 << 20);
  array.first = (1 << 19) / (array.elementBits() / 8);
  array.strides = std::move(strides);
}

void shift(IndexerCase &kernel, const char *name, int64_t elements) {
  setStrides(kernel, name, kernel.operands[name].strides);
  kernel.operands[name].first += elements;
}

const std::vector<Refusal> &refusals() {
  using K = IndexerCase;
  static const std::vector<Refusal> all = {
      {"RowStride0", [](K &k) { setStrides(k, "q", {0, 128, 1}); }, Error::StrideNotPositive, "`q`",
       "needs a positive stride"},
      {"RowStrideNegative", [](K &k) { setStrides(k, "q", {-4096, 128, 1}); },
       Error::StrideNotPositive, "`q`", "needs a positive stride"},
      {"HeadStride0", [](K &k) { setStrides(k, "q", {4096, 0, 1}); }, Error::StrideNotPositive,
       "`q`", "needs a positive stride"},
      {"KeyStride0", [](K &k) { setStrides(k, "k", {0, 1}); }, Error::StrideNotPositive, "`k`",
       "needs a positive stride"},
      {"GateStride0", [](K &k) { setStrides(k, "gate", {0, 1}); }, Error::StrideNotPositive,
       "`gate`", "needs a positive stride"},
      {"PositionStrideNegative", [](K &k) { setStrides(k, "pos", {-1}); }, Error::StrideNotPositive,
       "`pos`", "needs a positive stride"},
      {"SlotStride0", [](K &k) { setStrides(k, "slot", {0}); }, Error::StrideNotPositive, "`slot`",
       "needs a positive stride"},
      {"TableStride0", [](K &k) { setStrides(k, "angle", {0, 1}); }, Error::StrideNotPositive,
       "`angle`", "needs a positive stride"},
      {"RowsNotContiguous", [](K &k) { setStrides(k, "k", {256, 2}); }, Error::RowNotContiguous,
       "`k`", "contiguous"},
      {"TypeOfQ", [](K &k) { setDType(k, "q", DType::F16); }, Error::OperandDType, "`q`",
       "has type f16, but the kernel wants bf16"},
      {"TypeOfOutput", [](K &k) { setDType(k, "w", DType::BF16); }, Error::OperandDType, "`w`",
       "has type bf16, but the kernel wants f32"},
      {"TypeOfSlots", [](K &k) { setDType(k, "slot", DType::I32); }, Error::OperandDType, "`slot`",
       "has type i32, but the kernel wants i64"},
      // The other flavour of fp8 has the same size and would pass unseen.
      {"FlavourOfCodes",
       [](K &k) { setDType(k, "q8", k.target == "gfx942" ? DType::F8E4M3FN : DType::F8E4M3FNUZ); },
       Error::OperandDType, "`q8`", "but the kernel wants f8e4m3fn"},
      {"TypedCache", [](K &k) { setDType(k, "index_k", DType::F8E4M3FN); }, Error::OperandDType,
       "`index_k`", "uint8 [pages, page bytes]"},
      {"Rank", [](K &k) { setExtents(k, "q", {4, 4096}); }, Error::OperandRank, "`q`",
       "the kernel wants 3 axes"},
      {"HeadsOfQ", [](K &k) { setExtents(k, "q", {4, 31, 128}); }, Error::OperandExtent, "`q`",
       "has extent 31, but the kernel wants 32"},
      {"WidthOfTable", [](K &k) { setExtents(k, "angle", {16, 128}); }, Error::OperandExtent,
       "`angle`", "has extent 128, but the kernel wants 64"},
      {"BytesOfPages", [](K &k) { setExtents(k, "index_k", {1, 8192}); }, Error::OperandExtent,
       "`index_k`", "8448"},
      {"AddressOfQ", [](K &k) { shift(k, "q", 4); }, Error::PointerMisaligned, "`q`",
       "start the view at a multiple of 16 bytes"},
      {"AddressOfCodes", [](K &k) { shift(k, "q8", 1); }, Error::PointerMisaligned, "`q8`",
       "start the view at a multiple of 8 bytes"},
      {"AddressOfTable", [](K &k) { shift(k, "angle", 1); }, Error::PointerMisaligned, "`angle`",
       "start the view at a multiple of 16 bytes"},
      {"AddressOfCache", [](K &k) { shift(k, "index_k", 2); }, Error::PointerMisaligned,
       "`index_k`", "start the view at a multiple of 4 bytes"},
      {"StrideOfQ", [](K &k) { setStrides(k, "q", {4100, 128, 1}); }, Error::StrideMisaligned,
       "`q`", "use a stride that is a multiple of 8 elements"},
      {"StrideOfCodes", [](K &k) { setStrides(k, "q8", {4097, 128, 1}); }, Error::StrideMisaligned,
       "`q8`", "use a stride that is a multiple of 8 elements"},
      {"StrideOfTable", [](K &k) { setStrides(k, "angle", {66, 1}); }, Error::StrideMisaligned,
       "`angle`", "use a stride that is a multiple of 4 elements"},
      {"PageStrideTooSmall", [](K &k) { setStrides(k, "index_k", {8440, 1}); }, Error::PageStride,
       "`index_k`", "at least 8448 bytes, a multiple of 4"},
      {"PageStrideMisaligned", [](K &k) { setStrides(k, "index_k", {8450, 1}); }, Error::PageStride,
       "`index_k`", "at least 8448 bytes, a multiple of 4"},
      {"RowsOfOutputOverlap", [](K &k) { setStrides(k, "q8", {2048, 128, 1}); },
       Error::WrittenOverlap, "`q8`", "must step over"},
      {"InputInAnOutput", [](K &k) { k.operands["gate"].bytes = k.operands["w"].bytes; },
       Error::WrittenOverlap, "`w`", "shares bytes with operand `gate`"},
      {"TableWithoutRows", [](K &k) { setExtents(k, "angle", {0, 64}); }, Error::TableEmpty,
       "`angle`", "at least one row"},
      {"CountOfUnknownAxis", [](K &k) { k.counts["row"] = 1; }, Error::CountUnknownAxis, "`row`",
       "token"},
      {"CountTooLarge", [](K &k) { k.counts["token"] = 5; }, Error::CountTooLarge, "`token`",
       "pass a smaller count"},
      {"CountNegative", [](K &k) { k.counts["token"] = -1; }, Error::CountTooLarge, "`token`",
       "a count is 0 to the minimum"},
  };
  return all;
}

class Refusals : public testing::TestWithParam<std::tuple<const char *, size_t>> {};

// S-LAUNCH-3.
TEST_P(Refusals, AC19_BeforeTheLaunch) {
  const Refusal &refusal = refusals()[std::get<1>(GetParam())];
  IndexerCase kernel(std::get<0>(GetParam()));
  ASSERT_TRUE(kernel.build());
  kernel.random(4, 2, /*seed=*/1);
  Status right = kernel.launchStatus();
  ASSERT_TRUE(right.ok()) << right.text();
  kernel.random(4, 2, /*seed=*/1);
  refusal.spoil(kernel);
  std::map<std::string, std::vector<uint8_t>> before;
  for (const char *name : {"q8", "w", "index_k"})
    before[name] = kernel.bytes(name);
  Status status = kernel.launchStatus();
  EXPECT_EQ(status.id, errorId(refusal.error)) << status.text();
  EXPECT_EQ(status.code, StatusCode::RequestWrong);
  EXPECT_THAT(status.text(), HasSubstr(refusal.operand));
  EXPECT_THAT(status.text(), HasSubstr(refusal.needed));
  EXPECT_FALSE(status.why.empty() || status.fix.empty());
  for (const auto &[name, bytes] : before)
    EXPECT_EQ(kernel.bytes(name), bytes) << name;
}

INSTANTIATE_TEST_SUITE_P(Targets, Refusals,
                         testing::Combine(testing::Values("gfx942", "gfx950"),
                                          testing::Range(size_t(0), refusals().size())),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  refusals()[std::get<1>(info.param)].name;
                         });

} // namespace
} // namespace braid::test
