// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables: element types, targets, errors.

#include "codegen/targets/Targets.h"

#include <gtest/gtest.h>
#include <set>

namespace braid {
namespace {

TEST(DTypes, NamesAreUniqueAndParseBack) {
  std::set<std::string_view> names;
  for (DType type : allDTypes()) {
    EXPECT_TRUE(names.insert(dtypeName(type)).second);
    EXPECT_EQ(parseDType(dtypeName(type)), type);
  }
  EXPECT_FALSE(parseDType("fp8").has_value()); // means the target's own: not a type of data
  EXPECT_NE(dtypeNames().find("f8e4m3fnuz"), std::string::npos);
}

TEST(DTypes, BytesRoundUpSubByteTypes) {
  EXPECT_EQ(dtypeBytes(DType::BF16, 3), 6u);
  EXPECT_EQ(dtypeBytes(DType::F4E2M1, 3), 2u);
}

TEST(Targets, EveryRowIsFoundByItsName) {
  for (const Target &target : allTargets()) {
    EXPECT_EQ(lookupTarget(target.name), &target);
    EXPECT_GE(target.waveSize, 32u);
    EXPECT_EQ(dtypeBits(target.fp8), 8u);
    EXPECT_FALSE(target.products.empty());
  }
}

TEST(Targets, FeaturesAndTheEmulatorsMarkAreCutOff) {
  EXPECT_EQ(lookupTarget("gfx942:sramecc+:xnack-"), lookupTarget("gfx942"));
  EXPECT_EQ(lookupTarget("gfx950@emu"), lookupTarget("gfx950"));
}

TEST(Targets, AnUnknownNameListsTheKnownOnes) {
  const Target *target = nullptr;
  const Status status = findTarget("gfx9999", target);
  EXPECT_EQ(status.id, errorId(Error::UnknownTarget));
  EXPECT_EQ(target, nullptr);
  for (const Target &known : allTargets())
    EXPECT_NE(status.fix.find(known.name), std::string::npos);
}

TEST(Errors, IdsAreUnique) {
  std::set<std::string_view> ids;
#define BRAID_ERROR(Enumerator, Id, Code, When) EXPECT_TRUE(ids.insert(Id).second) << Id;
#include "runtime/Errors.def"
}

TEST(Errors, TextHasIdWhatWhyAndFix) {
  const Status status = makeError(Error::TableEmpty, "a", "b", "c");
  EXPECT_EQ(status.text(), "error[" + status.id + "]: a\n  why : b\n  fix : c");
  EXPECT_EQ(status.code, StatusCode::RequestWrong);
  EXPECT_TRUE(Status().text().empty());
}

} // namespace
} // namespace braid
