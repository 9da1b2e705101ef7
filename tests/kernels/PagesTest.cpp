// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Acceptance cases 13, 14, 18 and 26: where a stored row lies, to the byte.

#include "IndexerCase.h"

#include "codegen/reference/FloatFormat.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace braid::test {
namespace {

class Pages : public OnTargets {
protected:
  /// A key row without repetition: dim i has code i, and the last one the largest, so the scale
  /// is 1.
  void setDistinctKey(IndexerCase &kernel) const {
    for (int64_t i = 0; i < kernel.headDim; ++i)
      kernel.put("beta", {i}, reference::decode(fp(), codeOf(i)));
  }
  unsigned codeOf(int64_t dim) const {
    // In fn 7E is the largest and 7F is NaN.
    return target() == "gfx950" && dim == 127 ? 0xFE : dim;
  }
};

BRAID_ON_TARGETS(Pages);

struct Place {
  const char *layout;
  int64_t pageSize, slot, dim, byte, scale;
};

// S-CACHE-2.
TEST_P(Pages, AC13_AC14_Addresses) {
  for (const Place &place :
       {Place{"linear", 64, 130, 17, 17169, 25096}, Place{"tiled16", 64, 130, 17, 17185, 25096},
        Place{"linear", 64, 79, 100, 10468, 16700}, Place{"tiled16", 64, 79, 100, 10228, 16700},
        Place{"linear", 1, 3, 5, 401, 524}, Place{"tiled16", 16, 35, 15, 4287, 6284},
        Place{"tiled16", 256, 300, 127, 39887, 66736}}) {
    SCOPED_TRACE(fmt::format("{} {} slot {}", place.layout, place.pageSize, place.slot));
    IndexerCase kernel(target());
    kernel.heads = 1;
    kernel.layout = place.layout;
    kernel.pageSize = place.pageSize;
    ASSERT_TRUE(kernel.build());
    ASSERT_EQ(kernel.generated.signature().layouts[0].pageBytes,
              std::vector<uint64_t>{uint64_t(132 * place.pageSize)});
    kernel.plain(1, place.slot / place.pageSize + 2);
    kernel.guard("index_k");
    kernel.putInt("slot", {0}, place.slot);
    kernel.put("beta", {place.dim}, largest());
    kernel.run();
    kernel.expectGuardsIntact();
    std::vector<uint8_t> cache = kernel.bytes("index_k");
    EXPECT_EQ(cache[place.byte], pick(0x7E, 0x7F));
    EXPECT_EQ(kernel.cacheFloat(place.scale), 1);
    // The other 127 codes are 0, and no other byte has changed.
    EXPECT_EQ(std::count(cache.begin(), cache.end(), 0), 127 + 2); // 1.0f has two bytes of 0
    EXPECT_EQ(std::count(cache.begin(), cache.end(), 0xA5),
              static_cast<int64_t>(cache.size()) - 132);
  }
}

TEST_P(Pages, AC13_AC14_EveryDim) {
  for (const char *layout : {"linear", "tiled16"})
    for (int64_t size : {16, 64, 256})
      for (int64_t slot : {int64_t(0), size - 1, size, 2 * size + 11}) {
        SCOPED_TRACE(fmt::format("{} {} slot {}", layout, size, slot));
        IndexerCase kernel(target());
        kernel.heads = 1;
        kernel.layout = layout;
        kernel.pageSize = size;
        ASSERT_TRUE(kernel.build());
        kernel.plain(1, 3);
        kernel.putInt("slot", {0}, slot);
        setDistinctKey(kernel);
        kernel.run();
        std::vector<uint8_t> expected(3 * 132 * size, 0xA5);
        int64_t page = slot / size * 132 * size, t = slot % size;
        for (int64_t d = 0; d < 128; ++d)
          expected[page + (layout == std::string("linear") ? t * 128 + d
                                                           : t / 16 * (16 * 128) + d / 16 * 256 +
                                                                 t % 16 * 16 + d % 16)] = codeOf(d);
        float one = 1;
        std::memcpy(&expected[page + size * 128 + 4 * t], &one, 4);
        EXPECT_EQ(kernel.bytes("index_k"), expected);
      }
}

TEST(PagesDsl, AC14_TiledPagesOfOneAreRefused) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadBraidDialects(context);
  dsl::Program program = dsl::parseProgram(
      context, {dsaIndexer(), "test.braid", "", "glm5", {"page=tiled16(page_size=1, dim=128)"}});
  EXPECT_FALSE(program.module);
  ASSERT_FALSE(program.diagnostics.empty());
  EXPECT_EQ(program.diagnostics[0].id, "BR0305");
  EXPECT_THAT(program.diagnostics[0].message, testing::HasSubstr("page_size % 16 == 0"));
  EXPECT_THAT(program.diagnostics[0].message, testing::HasSubstr("page_size is 1"));
  EXPECT_FALSE(program.diagnostics[0].why.empty());
}

// --- packed and huge caches -------------------------------------------------------------------

// Address space without memory behind it until a byte is written.
std::shared_ptr<std::byte[]> sparseBytes(uint64_t count) {
  void *memory = mmap(nullptr, count, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  return {static_cast<std::byte *>(memory), [count](std::byte *bytes) { munmap(bytes, count); }};
}

// The bytes that are not 0, by place. What was never written has no memory and is not looked at.
std::map<uint64_t, uint8_t> bytesNotZero(const std::byte *begin, uint64_t count) {
  const uint64_t size = sysconf(_SC_PAGESIZE);
  std::vector<unsigned char> present((count + size - 1) / size);
  EXPECT_EQ(mincore(const_cast<std::byte *>(begin), count, present.data()), 0);
  std::map<uint64_t, uint8_t> found;
  for (uint64_t page = 0; page < present.size(); ++page)
    for (uint64_t at = page * size; (present[page] & 1) && at < std::min(count, (page + 1) * size);
         ++at)
      if (begin[at] != std::byte{0})
        found[at] = static_cast<uint8_t>(begin[at]);
  return found;
}

// Page strides of packed caches, of an interleave [page][3 layers], and one beyond 2^31 bytes.
// S-CACHE-2.
TEST_P(Pages, AC26_PackedPages) {
  for (const char *layout : {"linear", "tiled16"}) {
    IndexerCase kernel(target());
    kernel.heads = 8;
    kernel.layout = layout;
    kernel.pageSize = 16;
    ASSERT_TRUE(kernel.build());
    const int64_t page = kernel.pageBytes(), pages = 3;
    kernel.random(20, pages, /*seed=*/5, /*prefill=*/0);
    kernel.run();
    const std::vector<uint8_t> dense = kernel.bytes("index_k");
    ASSERT_GT(std::count_if(dense.begin(), dense.end(), [](uint8_t b) { return b != 0; }), 1000);
    for (int64_t stride : {page + 4, page + 64, 3 * page, (int64_t(1) << 31) + 8 * page}) {
      SCOPED_TRACE(fmt::format("{} stride {}", layout, stride));
      HostArray &cache = kernel.operands["index_k"];
      // The layer in the middle: the gaps lie before and behind.
      const uint64_t count = stride * pages, first = stride == 3 * page ? page : 0;
      cache.bytes = sparseBytes(count);
      ASSERT_TRUE(cache.bytes);
      cache.first = first;
      cache.strides = {stride, 1};
      kernel.run();
      EXPECT_EQ(kernel.bytes("index_k"), dense);
      for (auto [at, byte] : bytesNotZero(cache.bytes.get(), count))
        EXPECT_TRUE(at >= first && int64_t((at - first) % stride) < page)
            << "byte " << at << " is in a gap";
    }
  }
}

// Two caches of one kernel: each has its own stride and its own number of pages, hence capacity.
TEST_P(Pages, AC26_TwoCachesWithStridesOfTheirOwn) {
  KernelCase kernel;
  ASSERT_TRUE(kernel.prepare(R"(
kernel twice() {
  axis   token
  input  x    : f32[token, 64]
  input  slot : i32[token]
  cache  a : linear(page_size = 4, dim = 64)
  cache  b : linear(page_size = 2, dim = 64)
  codes, scale = quantize(x, fp8, scale = ue8m0, floor = 1e-10)
  a[slot] = value: codes, scale: scale
  b[slot] = value: codes, scale: scale
})",
                             "", {}, target()));
  std::vector<float> x(5 * 64);
  for (int64_t i = 0; i < 5 * 64; ++i)
    x[i] = i + 1;
  kernel.setFloats("x", {5, 64}, x);
  kernel.setInts("slot", {5}, {7, 0, 5, 2, 8});
  std::map<std::string, std::vector<uint8_t>> dense;
  for (bool packed : {false, true}) {
    std::map<std::string, HostArray> whole;
    for (auto [name, pages, bytes, stride] : {std::tuple("a", 2, 272, 300), {"b", 4, 136, 404}}) {
      ASSERT_TRUE(
          HostArray::zeros(std::nullopt, {pages, packed ? stride : bytes}, whole[name]).ok());
      ASSERT_TRUE(whole[name].slice(1, 0, bytes, kernel.operands[name]).ok());
    }
    kernel.run();
    for (auto &[name, cache] : whole) {
      if (!packed)
        dense[name] = kernel.bytes(name);
      EXPECT_EQ(kernel.bytes(name), dense[name]);
      HostArray gaps, bytes;
      int64_t used = kernel.operands[name].extents[1];
      ASSERT_TRUE(cache.slice(1, used, cache.extents[1], gaps).ok() && gaps.contiguous(bytes).ok());
      EXPECT_THAT(bytes.contiguousBytes(), testing::Each(std::byte{0}));
    }
  }
  EXPECT_NE(dense["a"], std::vector<uint8_t>(dense["a"].size()));
}

// The arithmetic of it; the device's part is a test of its own. Only written memory is there.
// S-CACHE-2.
TEST_P(Pages, AC18_Past2GiB) {
  constexpr int64_t kPages = 254202;
  IndexerCase kernel(target());
  kernel.heads = 1;
  ASSERT_TRUE(kernel.build());
  kernel.plain(2, 1);
  setDistinctKey(kernel);
  kernel.setInts("slot", {2}, {64, 16268901});
  kernel.setInts("pos", {2}, {0, 0});
  HostArray &cache = kernel.operands["index_k"];
  cache.extents = {kPages, 8448};
  const uint64_t count = kPages * 8448;
  cache.bytes = sparseBytes(count);
  ASSERT_TRUE(cache.bytes);
  Status status = kernel.launchStatus(); // no reference: it would copy the whole cache
  ASSERT_TRUE(status.ok()) << status.text();
  std::map<uint64_t, uint8_t> expected;
  for (uint64_t begin : {uint64_t(8448), uint64_t(2147494784)})
    for (int64_t dim = 1; dim < 128; ++dim)
      expected[begin + dim] = codeOf(dim);
  for (uint64_t scale : {uint64_t(8448 + 64 * 128), uint64_t(2147498388)})
    expected[scale + 2] = 0x80, expected[scale + 3] = 0x3F; // 1.0f
  EXPECT_EQ(expected[2147494789], codeOf(5));               // dim 5
  EXPECT_EQ(bytesNotZero(cache.bytes.get(), count), expected);
}

} // namespace
} // namespace braid::test
