// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata: the way through JSON and back, and what is refused on the way.

#include "runtime/KernelMeta.h"
#include "tests/unit/runtime/SampleKernel.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

Status read(const std::string &json) {
  KernelMeta meta;
  return fromJson(json, meta);
}

TEST(KernelMeta, RoundTripGivesEqualBytes) {
  const std::string json = toJson(sampleMeta());
  KernelMeta meta;
  const Status status = fromJson(json, meta);
  ASSERT_TRUE(status.ok()) << status.text();
  EXPECT_EQ(toJson(meta), json);
  EXPECT_EQ(meta.operands[0].axes[0].extent, std::nullopt);
  EXPECT_EQ(meta.operands[0].axes[1].extent, 4u);
  EXPECT_TRUE(meta.operands[2].tableAxis);
  EXPECT_EQ(meta.operands[5].kind, OperandKind::Cache);
  EXPECT_EQ(meta.arguments.back().axisName, "key");
  EXPECT_EQ(meta.lineMap[0].program, "27:3");
}

TEST(KernelMeta, KeysComeInAFixedOrderWithTheVersionFirst) {
  const std::string json = toJson(sampleMeta());
  size_t last = 0;
  for (const char *key :
       {"version", "kernel", "symbol", "target", "wave_size", "parameters", "axes", "operands",
        "arguments", "launch", "constants", "layouts", "line_map"}) {
    const size_t place = json.find("\n  \"" + std::string(key) + "\":");
    ASSERT_NE(place, std::string::npos) << key;
    EXPECT_GE(place, last) << key;
    last = place;
  }
}

TEST(KernelMeta, AnotherVersionIsRefusedFirst) {
  const Status status = read("{\"version\": 2}");
  EXPECT_EQ(status.id, errorId(Error::MetadataVersion));
  EXPECT_NE(status.what.find('2'), std::string::npos);
  EXPECT_NE(status.why.find('1'), std::string::npos);
}

TEST(KernelMeta, TextThatIsNoJsonIsRefused) {
  EXPECT_EQ(read("{\"version\": 1").id, errorId(Error::MetadataMalformed));
  EXPECT_EQ(read("").id, errorId(Error::MetadataMalformed));
  EXPECT_EQ(read("[1]").id, errorId(Error::MetadataMalformed));
}

TEST(KernelMeta, AMissingKeyIsNamed) {
  const Status status = read(replaced(toJson(sampleMeta()), "\"wave_size\"", "\"wave\""));
  EXPECT_EQ(status.id, errorId(Error::MetadataMalformed));
  EXPECT_NE(status.what.find("wave_size"), std::string::npos) << status.text();
}

TEST(KernelMeta, AWrongTypeIsNamedWithItsPath) {
  const Status status =
      read(replaced(toJson(sampleMeta()), "\"kind\": \"input\"", "\"kind\": \"imput\""));
  EXPECT_EQ(status.id, errorId(Error::MetadataMalformed));
  EXPECT_NE(status.what.find("operands[0].kind"), std::string::npos) << status.text();
  EXPECT_NE(read(replaced(toJson(sampleMeta()), "\"workgroup\": 64", "\"workgroup\": -64"))
                .what.find("launch.workgroup"),
            std::string::npos);
  EXPECT_NE(read(replaced(toJson(sampleMeta()), "\"dtype\": \"f32\"", "\"dtype\": \"fp8\""))
                .what.find("operands[0].dtype"),
            std::string::npos);
}

TEST(KernelMeta, PartsThatContradictOneAnotherAreRefused) {
  const auto refused = [](auto change) {
    KernelMeta meta = sampleMeta();
    change(meta);
    return validate(meta).id == errorId(Error::MetadataInconsistent);
  };
  EXPECT_FALSE(refused([](KernelMeta &) {}));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.symbol.clear(); }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.workgroup = 2048; }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.sections.clear(); }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.sections[0].axis = "page"; }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.sections[0].rowsPerWorkgroup = 0; }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.arguments[0].operand = "z"; }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.arguments[1].axis = 3; }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.arguments[15].operand = "x"; }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.arguments.back().axisName = "row"; }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.operands[1].name = "x"; }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.operands[0].align = 12; }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.operands[0].axes[1].extent.reset(); }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.operands[5].layout = 1; }));
  EXPECT_TRUE(refused([](KernelMeta &m) { m.layouts[0].pageBytes = {0}; }));
}

} // namespace
} // namespace braid
