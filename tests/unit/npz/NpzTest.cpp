// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files: written here and read here, written by numpy and read here, and the other way round.

#include "runtime/Npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace braid;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr DType kTypes[] = {DType::F32,        DType::BF16,   DType::F16,        DType::F8E4M3FN,
                            DType::F8E4M3FNUZ, DType::F8E5M2, DType::F8E5M2FNUZ, DType::E8M0,
                            DType::F4E2M1,     DType::I32,    DType::I64};

class NpzFile : public testing::Test {
protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder = std::filesystem::path(testing::TempDir()) / ("braid-npz-" + name);
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const { return (folder / name).string(); }

  /// Runs a script of numpy in the folder; true if it exits with 0.
  bool python(const std::string &script) const {
    std::ofstream(folder / "script.py") << "import numpy as np\n" << script;
    const std::string command = "cd '" + folder.string() + "' && '" BRAID_TEST_PYTHON "' script.py";
    return std::system(command.c_str()) == 0;
  }

  std::filesystem::path folder;
};

HostArray counting(std::optional<DType> dtype, std::vector<int64_t> extents) {
  HostArray array;
  EXPECT_TRUE(HostArray::zeros(dtype, std::move(extents), array).ok());
  for (int64_t flat = 0; flat < array.elementCount(); ++flat)
    array.storeBits(flat, static_cast<uint64_t>(flat) * 2654435761u);
  return array;
}

std::vector<std::byte> bytesOf(const HostArray &array) {
  const auto bytes = array.contiguousBytes();
  return {bytes.begin(), bytes.end()};
}

std::string contentsOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_F(NpzFile, RoundTripsEveryTypeStoredAndDeflated) {
  for (NpzCompression compression : {NpzCompression::Stored, NpzCompression::Deflated}) {
    Npz written, read;
    for (DType dtype : kTypes)
      ASSERT_TRUE(written.set(dtypeName(dtype), counting(dtype, {3, 6})).ok());
    ASSERT_TRUE(written.set("pages", counting(std::nullopt, {2, 132})).ok());
    ASSERT_TRUE(written.set("empty", counting(DType::F32, {32, 0})).ok());
    Status status = writeNpz(path("a.npz"), written, compression);
    ASSERT_TRUE(status.ok()) << status.text();
    status = readNpz(path("a.npz"), read);
    ASSERT_TRUE(status.ok()) << status.text();
    ASSERT_EQ(read.members.size(), std::size(kTypes) + 2);
    HostArray array;
    for (DType dtype : kTypes) {
      ASSERT_TRUE(read.tensor(dtypeName(dtype), dtype, array).ok());
      EXPECT_THAT(array.extents, ElementsAre(3, 6));
      EXPECT_EQ(bytesOf(array), bytesOf(counting(dtype, {3, 6}))) << dtypeName(dtype);
    }
    ASSERT_TRUE(read.tensor("pages", std::nullopt, array).ok());
    EXPECT_EQ(bytesOf(array), bytesOf(counting(std::nullopt, {2, 132})));
    ASSERT_TRUE(read.tensor("empty", DType::F32, array).ok());
    EXPECT_THAT(array.extents, ElementsAre(32, 0));
  }
}

TEST_F(NpzFile, WritesSlicesAsTheirElements) {
  HostArray part, read;
  ASSERT_TRUE(counting(DType::I32, {4, 8}).slice(1, 2, 4, part).ok());
  HostArray rows;
  ASSERT_TRUE(counting(DType::I32, {4, 8}).slice(0, 1, 3, rows).ok());
  Npz written, back;
  ASSERT_TRUE(written.set("part", part).ok());
  ASSERT_TRUE(written.set("rows", rows).ok());
  ASSERT_TRUE(writeNpz(path("a.npz"), written).ok());
  ASSERT_TRUE(readNpz(path("a.npz"), back).ok());
  ASSERT_TRUE(back.tensor("part", DType::I32, read).ok());
  HostArray expected;
  ASSERT_TRUE(part.contiguous(expected).ok());
  EXPECT_EQ(bytesOf(read), bytesOf(expected));
  ASSERT_TRUE(back.tensor("rows", DType::I32, read).ok());
  EXPECT_EQ(bytesOf(read), bytesOf(rows));
}

TEST_F(NpzFile, EqualArraysGiveEqualFiles) {
  Npz npz;
  ASSERT_TRUE(npz.set("q", counting(DType::BF16, {3, 64})).ok());
  ASSERT_TRUE(writeNpz(path("a.npz"), npz, NpzCompression::Deflated).ok());
  ASSERT_TRUE(writeNpz(path("b.npz"), npz, NpzCompression::Deflated).ok());
  EXPECT_EQ(contentsOf(path("a.npz")), contentsOf(path("b.npz")));
}

TEST_F(NpzFile, ReadsWhatNumpyWrites) {
  for (const char *save : {"savez", "savez_compressed"}) {
    ASSERT_TRUE(python(
        std::string("a = np.arange(24).reshape(2, 3, 4)\n"
                    "np.") +
        save +
        "('n.npz', f=a.astype('f4') / 3, h=a.astype('f2'), u=a.astype('u2'), b=a.astype('u1'),\n"
        "  i=a.astype('i4') - 12, l=a.astype('i8') - 2**40, z=np.zeros((0, 5), 'f4'),\n"
        "  s=np.float32(2.5), one=np.arange(5, dtype='i8'))\n"));
    Npz npz;
    const Status status = readNpz(path("n.npz"), npz);
    ASSERT_TRUE(status.ok()) << status.text();
    ASSERT_EQ(npz.members.size(), 9u);
    HostArray array;
    ASSERT_TRUE(npz.tensor("f", DType::F32, array).ok());
    EXPECT_THAT(array.extents, ElementsAre(2, 3, 4));
    float third;
    std::memcpy(&third, array.data() + 4, 4);
    EXPECT_EQ(third, 1.0f / 3);
    ASSERT_TRUE(npz.tensor("l", DType::I64, array).ok());
    EXPECT_EQ(static_cast<int64_t>(array.loadBits(23)), 23 - (1ll << 40));
    ASSERT_TRUE(npz.tensor("s", DType::F32, array).ok());
    EXPECT_EQ(array.rank(), 0u);
    EXPECT_TRUE(npz.tensor("u", DType::BF16, array).ok());
    EXPECT_TRUE(npz.tensor("b", DType::F8E4M3FNUZ, array).ok());
    ASSERT_TRUE(npz.tensor("b", DType::F4E2M1, array).ok());
    EXPECT_THAT(array.extents, ElementsAre(2, 3, 8));
  }
}

TEST_F(NpzFile, NumpyReadsWhatIsWritten) {
  Npz npz;
  HostArray floats;
  ASSERT_TRUE(HostArray::zeros(DType::F32, {2, 3}, floats).ok());
  floats.storeBits(5, 0x40490FDB);
  ASSERT_TRUE(npz.set("w", floats).ok());
  ASSERT_TRUE(npz.set("q", counting(DType::BF16, {3, 4, 2})).ok());
  ASSERT_TRUE(npz.set("f4", counting(DType::F4E2M1, {3, 8})).ok());
  ASSERT_TRUE(npz.set("none", counting(DType::I64, {0})).ok());
  for (NpzCompression compression : {NpzCompression::Stored, NpzCompression::Deflated}) {
    ASSERT_TRUE(writeNpz(path("o.npz"), npz, compression).ok());
    EXPECT_TRUE(python("d = np.load('o.npz')\n"
                       "assert list(d) == ['w', 'q', 'f4', 'none'], list(d)\n"
                       "assert d['w'].dtype == 'f4' and d['w'].shape == (2, 3)\n"
                       "assert d['w'][1, 2] == np.float32(3.1415927)\n"
                       "assert d['q'].dtype == 'u2' and d['q'].shape == (3, 4, 2)\n"
                       "assert (d['q'].ravel() == np.arange(24) * 2654435761 % 65536).all()\n"
                       "assert d['f4'].dtype == 'u1' and d['f4'].shape == (3, 4)\n"
                       "assert d['none'].dtype == 'i8' and d['none'].shape == (0,)\n"));
  }
}

TEST_F(NpzFile, RefusesNumpyTypesNamingMemberAndType) {
  const std::pair<const char *, const char *> cases[] = {
      {"np.zeros(3)", "'<f8'"},
      {"np.zeros(3, '>f4')", "'>f4'"},
      {"np.zeros(3, bool)", "'|b1'"},
      {"np.asfortranarray(np.zeros((3, 4), 'f4'))", "fortran"}};
  for (const auto &[value, expected] : cases) {
    ASSERT_TRUE(python(std::string("np.savez('n.npz', gamma=") + value + ")\n"));
    Npz npz;
    const Status status = readNpz(path("n.npz"), npz);
    EXPECT_EQ(status.code, StatusCode::RequestWrong);
    EXPECT_THAT(status.text(), HasSubstr("'gamma'"));
    EXPECT_THAT(status.text(), HasSubstr(expected));
    EXPECT_TRUE(npz.members.empty());
  }
}

TEST_F(NpzFile, RefusesAnotherCarrierNamingMemberFoundAndExpected) {
  Npz npz;
  ASSERT_TRUE(npz.set("q", counting(DType::F32, {3, 4})).ok());
  HostArray array;
  const Status status = npz.tensor("q", DType::BF16, array);
  EXPECT_EQ(status.id, "BR5408");
  EXPECT_EQ(status.what, "member 'q' is float32 [3, 4], and uint16 is expected");
  EXPECT_THAT(status.why, HasSubstr("bf16"));
  EXPECT_EQ(npz.tensor("q", std::nullopt, array).id, "BR5408");
}

TEST_F(NpzFile, NamesAMissingMemberAndWhatThereIs) {
  Npz npz;
  ASSERT_TRUE(npz.set("q", counting(DType::F32, {1})).ok());
  ASSERT_TRUE(npz.set("gate", counting(DType::F32, {1})).ok());
  HostArray array;
  const Status status = npz.tensor("k", DType::BF16, array);
  EXPECT_EQ(status.id, "BR5407");
  EXPECT_EQ(status.what, "the file has no member 'k'");
  EXPECT_EQ(status.why, "it has q, gate");
}

TEST_F(NpzFile, ReportsPathsThatCannotBeUsed) {
  Npz npz;
  EXPECT_EQ(readNpz(path("absent.npz"), npz).code, StatusCode::EnvironmentWrong);
  EXPECT_EQ(readNpz(folder.string(), npz).code, StatusCode::EnvironmentWrong);
  EXPECT_FALSE(writeNpz(path("a.npz"), npz).ok()) << "an archive without members is no file";
  ASSERT_TRUE(npz.set("q", counting(DType::F32, {1})).ok());
  const Status status = writeNpz(path("no/such/folder.npz"), npz);
  EXPECT_EQ(status.code, StatusCode::EnvironmentWrong);
  EXPECT_THAT(status.what, HasSubstr("folder.npz"));
}

TEST(NpzGolden, EveryGoldenFileIsRead) {
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(BRAID_TEST_DATA)) {
    if (entry.path().extension() != ".npz")
      continue;
    ++files;
    Npz npz;
    const Status status = readNpz(entry.path().string(), npz);
    ASSERT_TRUE(status.ok()) << status.text();
    HostArray array;
    for (const char *name : {"q", "k", "gate"})
      EXPECT_TRUE(npz.tensor(name, DType::BF16, array).ok()) << entry.path();
    for (const char *name : {"gamma", "beta", "angle", "expected_w"})
      EXPECT_TRUE(npz.tensor(name, DType::F32, array).ok()) << entry.path();
    for (const char *name : {"index_k", "expected_index_k"})
      EXPECT_TRUE(npz.tensor(name, std::nullopt, array).ok()) << entry.path();
    EXPECT_TRUE(npz.tensor("slot", DType::I64, array).ok()) << entry.path();
  }
  EXPECT_EQ(files, 7);
}
