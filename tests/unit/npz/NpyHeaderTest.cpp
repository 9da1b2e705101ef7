// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .npy header: what numpy writes is read, everything else is refused with the member's name.

#include "runtime/NpyHeader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace braid;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// A header of any version and any literal; length -1: the literal's own.
std::string headerOf(std::string_view literal, int major = 1, int minor = 0, int64_t length = -1) {
  if (length < 0)
    length = static_cast<int64_t>(literal.size());
  std::string text = "\x93NUMPY";
  text += static_cast<char>(major);
  text += static_cast<char>(minor);
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    text += static_cast<char>(length >> (8 * i));
  return text += literal;
}

Status parse(const std::string &text, NpyHeader &header) {
  return parseNpyHeader(std::as_bytes(std::span(text)), "q", header);
}

std::string shape(std::string_view tuple) {
  return headerOf("{'descr': '<f4', 'fortran_order': False, 'shape': " + std::string(tuple) +
                  ", }\n");
}

} // namespace

TEST(NpyHeader, ReadsTheThreeVersions) {
  for (int major : {1, 2, 3}) {
    NpyHeader header;
    const Status status = parse(
        headerOf("{'descr': '<u2', 'fortran_order': False, 'shape': (6, 4, 128), }   \n", major),
        header);
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_EQ(header.kind, NpyKind::UInt16);
    EXPECT_THAT(header.extents, ElementsAre(6, 4, 128));
  }
}

TEST(NpyHeader, ReadsEveryWayToWriteALiteral) {
  NpyHeader header;
  EXPECT_TRUE(
      parse(headerOf("{\"shape\":(3,),\"descr\":\"|u1\",\"fortran_order\":False}"), header).ok());
  EXPECT_THAT(header.extents, ElementsAre(3));
  EXPECT_TRUE(parse(shape("()"), header).ok());
  EXPECT_THAT(header.extents, IsEmpty());
  EXPECT_TRUE(parse(shape("(0, 128)"), header).ok());
  EXPECT_TRUE(parse(shape("(2, 3,)"), header).ok());
}

TEST(NpyHeader, WritesWhatItReads) {
  for (NpyKind kind : {NpyKind::Float32, NpyKind::Float16, NpyKind::UInt16, NpyKind::UInt8,
                       NpyKind::Int32, NpyKind::Int64})
    for (const std::vector<int64_t> &extents :
         {std::vector<int64_t>{}, {7}, {3, 4}, {123456789, 0, 1}}) {
      const std::string text = npyHeaderText({kind, extents});
      EXPECT_EQ(text.size() % 64, 0u);
      NpyHeader header;
      ASSERT_TRUE(parse(text, header).ok());
      EXPECT_EQ(header.kind, kind);
      EXPECT_EQ(header.extents, extents);
    }
}

TEST(NpyHeader, RefusesTypesNamingMemberAndType) {
  for (std::string_view descr :
       {"<f8", ">f4", "|b1", "|O", "<u4", "|i1", "<c8", "|V2", "<U3", "f4", ""}) {
    NpyHeader header;
    const Status status = parse(headerOf("{'descr': '" + std::string(descr) +
                                         "', 'fortran_order': False, 'shape': (3,), }"),
                                header);
    EXPECT_EQ(status.id, "BR5405") << descr;
    EXPECT_THAT(status.what, HasSubstr("'q' has the numpy type '" + std::string(descr) + "'"));
    EXPECT_FALSE(status.fix.empty());
  }
}

TEST(NpyHeader, RefusesFortranOrderWithAReason) {
  NpyHeader header;
  const Status status =
      parse(headerOf("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }"), header);
  EXPECT_EQ(status.id, "BR5405");
  EXPECT_THAT(status.text(), HasSubstr("fortran order"));
  EXPECT_THAT(status.fix, HasSubstr("ascontiguousarray"));
}

TEST(NpyHeader, RefusesMalformedLiterals) {
  const std::string_view literals[] = {
      "",
      "  ",
      "{",
      "{}",
      "[]",
      "{'descr': '<f4'}",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'shape': (4,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 'x'}",
      "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}",
      "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}",
      "{'descr' '<f4'}",
  };
  for (std::string_view literal : literals) {
    NpyHeader header;
    const Status status = parse(headerOf(literal), header);
    EXPECT_EQ(status.id, "BR5404") << literal;
    EXPECT_THAT(status.what, HasSubstr("'q'"));
    EXPECT_FALSE(status.why.empty() || status.fix.empty()) << literal;
  }
}

TEST(NpyHeader, RefusesEveryCut) {
  const std::string whole = npyHeaderText({NpyKind::Float32, {6, 4, 128}});
  for (size_t size = 0; size < whole.size(); ++size) {
    NpyHeader header;
    EXPECT_EQ(parse(whole.substr(0, size), header).id, "BR5404") << size;
  }
}

TEST(NpyHeader, SurvivesEveryChangedByte) {
  const std::string whole = npyHeaderText({NpyKind::Float32, {6, 4, 128}});
  for (size_t at = 0; at < whole.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      NpyHeader header;
      const Status status = parse(changed, header);
      EXPECT_TRUE(status.ok() || !status.why.empty());
    }
}

TEST(NpyHeader, RefusesVersionsLengthsAndRanks) {
  NpyHeader header;
  EXPECT_EQ(parse(headerOf("{}", 0), header).id, "BR5404");
  EXPECT_EQ(parse(headerOf("{}", 4), header).id, "BR5404");
  EXPECT_EQ(parse(headerOf("{}", 1, 1), header).id, "BR5404");
  EXPECT_EQ(parse(headerOf("{}", 2, 0, 0xFFFFFFFF), header).id, "BR5404");
  std::string many = "(";
  for (int i = 0; i < 33; ++i)
    many += "1,";
  EXPECT_EQ(parse(shape(many + ")"), header).id, "BR5404");
  EXPECT_EQ(parse(shape("(4294967296, 4294967296)"), header).id, "BR5410");
  EXPECT_EQ(parse(shape("(0, 9223372036854775807, 9223372036854775807)"), header).id, "BR5410");
}
