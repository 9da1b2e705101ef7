// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives that lie: about sizes, checksums, names. Each is refused by name, none takes memory.

#include "runtime/Npz.h"

#include "runtime/NpyHeader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace braid;
using testing::HasSubstr;

namespace {

class HostileNpz : public testing::Test {
protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    file =
        (std::filesystem::path(testing::TempDir()) / ("braid-hostile-" + name + ".npz")).string();
  }
  void TearDown() override { std::filesystem::remove(file); }

  Status read() const {
    Npz npz;
    return readNpz(file, npz);
  }

  Status readBytes(const std::string &bytes) const {
    std::ofstream(file, std::ios::binary) << bytes;
    return read();
  }

  /// An archive of one member with any bytes.
  Status readMember(const std::string &bytes, const std::string &name = "k.npy") const {
    std::filesystem::remove(file);
    zip_t *archive = zip_open(file.c_str(), ZIP_CREATE, nullptr);
    zip_source_t *source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    EXPECT_GE(zip_file_add(archive, name.c_str(), source, 0), 0);
    EXPECT_EQ(zip_close(archive), 0);
    return read();
  }

  /// A good archive of one deflated or stored member, as bytes.
  std::string goodBytes(NpzCompression compression) const {
    HostArray array;
    EXPECT_TRUE(HostArray::zeros(DType::F32, {4, 16}, array).ok());
    for (int64_t i = 0; i < 64; ++i)
      array.storeBits(i, static_cast<uint64_t>(i) * 77777);
    Npz npz;
    EXPECT_TRUE(npz.set("k", array).ok());
    EXPECT_TRUE(writeNpz(file, npz, compression).ok());
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string file;
};

/// Overwrites a little-endian field of the archive's central directory entry.
void patch(std::string &bytes, size_t offset, uint64_t value, int count) {
  const size_t entry = bytes.find("PK\x01\x02");
  ASSERT_NE(entry, std::string::npos);
  for (int i = 0; i < count; ++i)
    bytes[entry + offset + i] = static_cast<char>(value >> (8 * i));
}

constexpr size_t kMethodAt = 10, kPackedAt = 20, kSizeAt = 24;

} // namespace

TEST_F(HostileNpz, RefusesFilesThatAreNoArchive) {
  for (const std::string &bytes :
       {std::string(), std::string("\x93NUMPY"), std::string(1000, 'x')}) {
    const Status status = readBytes(bytes);
    EXPECT_EQ(status.code, StatusCode::EnvironmentWrong);
    EXPECT_THAT(status.what, HasSubstr(file));
    EXPECT_FALSE(status.why.empty());
  }
}

TEST_F(HostileNpz, SurvivesEveryCutAndEveryChangedByte) {
  for (NpzCompression compression : {NpzCompression::Stored, NpzCompression::Deflated}) {
    const std::string good = goodBytes(compression);
    for (size_t size = 0; size < good.size(); ++size)
      EXPECT_FALSE(readBytes(good.substr(0, size)).ok()) << size;
    for (size_t at = 0; at < good.size(); ++at)
      for (char flip : {'\x01', '\x80', '\xFF'}) {
        std::string changed = good;
        changed[at] ^= flip;
        const Status status = readBytes(changed);
        EXPECT_TRUE(status.ok() || !status.what.empty());
      }
  }
}

TEST_F(HostileNpz, NoticesChangedData) {
  std::string bytes = goodBytes(NpzCompression::Stored);
  const size_t headerEnd = bytes.find(" \n");
  ASSERT_NE(headerEnd, std::string::npos);
  bytes[headerEnd + 10] ^= 1;
  const Status status = readBytes(bytes);
  EXPECT_EQ(status.id, "BR5403");
  EXPECT_THAT(status.what, HasSubstr("'k'"));
}

TEST_F(HostileNpz, RefusesSizesThatTheFileCannotHold) {
  for (NpzCompression compression : {NpzCompression::Stored, NpzCompression::Deflated}) {
    std::string bytes = goodBytes(compression);
    patch(bytes, kSizeAt, 0xFFFFFFF0, 4);
    EXPECT_FALSE(readBytes(bytes).ok());
    bytes = goodBytes(compression);
    patch(bytes, kSizeAt, 0x7FFFFFF0, 4);
    patch(bytes, kPackedAt, 0x7FFFFFF0, 4);
    EXPECT_FALSE(readBytes(bytes).ok());
  }
}

TEST_F(HostileNpz, RefusesUnknownCompression) {
  std::string bytes = goodBytes(NpzCompression::Deflated);
  patch(bytes, kMethodAt, 12, 2);
  EXPECT_FALSE(readBytes(bytes).ok());
}

TEST_F(HostileNpz, RefusesMembersThatAreNoArrays) {
  EXPECT_EQ(readMember("").id, "BR5404");
  EXPECT_EQ(readMember("hello").id, "BR5404");
  EXPECT_EQ(readMember("x", "readme.txt").id, "BR5405");
  EXPECT_EQ(readMember("x", ".npy").id, "BR5405");
}

TEST_F(HostileNpz, RefusesDataThatDoesNotFitTheHeader) {
  const std::string header = npyHeaderText({NpyKind::Float32, {3, 4}});
  EXPECT_TRUE(readMember(header + std::string(48, '\0')).ok());
  for (size_t size : {0, 47, 49, 480}) {
    const Status status = readMember(header + std::string(size, '\0'));
    EXPECT_EQ(status.id, "BR5406") << size;
    EXPECT_THAT(status.what, HasSubstr("'k'"));
    EXPECT_THAT(status.what, HasSubstr("48"));
  }
  EXPECT_EQ(readMember(header.substr(0, 70)).id, "BR5406") << "the header itself is cut";
}

TEST_F(HostileNpz, RefusesAHugeShapeWithoutAskingForMemory) {
  const std::string header = npyHeaderText({NpyKind::Float32, {1ll << 40, 1ll << 18}});
  EXPECT_EQ(readMember(header + std::string(48, '\0')).id, "BR5406");
}

TEST_F(HostileNpz, RefusesTheSameNameTwice) {
  // The zip library writes no such file, so one of two equally long names is renamed in the bytes.
  HostArray array;
  ASSERT_TRUE(HostArray::zeros(DType::F32, {1}, array).ok());
  Npz npz;
  ASSERT_TRUE(npz.set("aa", array).ok());
  ASSERT_TRUE(npz.set("ab", array).ok());
  ASSERT_TRUE(writeNpz(file, npz).ok());
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  for (size_t at = bytes.find("ab.npy"); at != std::string::npos; at = bytes.find("ab.npy", at))
    bytes[at + 1] = 'a';
  const Status status = readBytes(bytes);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.what, HasSubstr("'aa'"));
}
