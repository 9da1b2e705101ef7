// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Page layouts: every layout of the library, and layouts that programs define. What a generated
// kernel stores on the emulated wave is read back through the descriptor.

#include "KernelCase.h"

#include "codegen/layouts/PageLayout.h"
#include "codegen/reference/RandomInputs.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

using namespace mlir;

namespace braid::test {
namespace {

// One dense row of codes and its scale.
const std::string kCodes = R"(
kernel k(page: layout) {
  axis   token
  input  x     : bf16[token, 64]
  input  slot  : i64[token]
  output value : fp8[token, 64]
  output scale : f32[token]
  cache  keys  : page
  c, s       = quantize(x, fp8, scale = ue8m0, floor = 1e-4)
  value      = c
  scale      = s
  keys[slot] = value: c, scale: s
})";

const std::string kHeads = R"(
kernel k(page: layout) {
  axis   token
  input  x     : bf16[token, 4, 64]
  input  slot  : i64[token]
  output value : fp8[token, 4, 64]
  output scale : f32[token, 4]
  cache  keys  : page
  c, s       = quantize(x, fp8, scale = ue8m0, floor = 1e-4)
  value      = c
  scale      = s
  keys[slot] = value: c
})";

const std::string kHeadsScaled = R"(
kernel k(page: layout) {
  axis   token
  input  x     : bf16[token, 4, 64]
  input  slot  : i64[token]
  output value : fp8[token, 4, 64]
  output scale : f32[token, 4]
  cache  keys  : page
  c, s       = quantize(x, fp8, scale = ue8m0, floor = 1e-4)
  value      = c
  scale      = s
  keys[slot] = scale: s, value: c
})";

// Stored as they were loaded, and rounded ones.
const std::string kMla = R"(
kernel k(page: layout) {
  axis   token
  input  l      : bf16[token, 512]
  input  rope   : bf16[token, 64]
  input  slot   : i32[token]
  output latent : bf16[token, 512]
  cache  keys   : page
  y          = round(l * 3, bf16)
  latent     = y
  keys[slot] = latent: y, rope: round(rope, bf16)
})";

const std::string kDsMla = R"(
kernel k(page: layout) {
  axis   token
  input  l      : bf16[token, 512]
  input  scale  : f32[token, 4]
  input  rope   : bf16[token, 64]
  input  slot   : i64[token]
  output latent : fp8[token, 512]
  cache  keys   : page
  c, s       = quantize(l, fp8, scale = ue8m0, floor = 1e-4)
  latent     = c
  keys[slot] = latent: c, scale: scale, rope: round(rope, bf16)
})";

struct LayoutCase : KernelCase {
  LayoutAttr layout; ///< of the cache `keys`, with concrete dtypes
  std::vector<int64_t> slots;

  bool build(const std::string &text, const std::string &page, const std::string &target) {
    if (!prepare(text, "", {"page=" + page}, target))
      return false;
    FailureOr<OwningOpRef<ModuleOp>> program = runPipeline(*module, request, Stage::Program);
    EXPECT_TRUE(succeeded(program));
    for (OperandOp operand :
         (*(*program)->getOps<KernelOp>().begin()).getBody().getOps<OperandOp>())
      if (auto cache = dyn_cast<CacheType>(operand.getHandle().getType()))
        layout = cache.getLayout();
    return bool(layout);
  }

  // Random operands; each token has a slot of its own, in any order.
  void fillOperands(int64_t tokens, uint64_t seed, std::vector<int64_t> pages = {}) {
    const int64_t size = layout.getPageSize(), most = (tokens + tokens / 2) / size + 1;
    int64_t least = most;
    for (int64_t count : pages)
      least = std::min(least, count);
    for (const OperandMeta &operand : generated.signature().operands) {
      if (operand.kind == OperandKind::Cache) {
        const int64_t count = operand.buffer < pages.size() ? pages[operand.buffer] : most;
        fill(operand.name, {count, layout.getPageBytes()[operand.buffer]}, 0xA5);
        continue;
      }
      std::vector<int64_t> extents;
      for (const AxisMeta &axis : operand.axes)
        extents.push_back(axis.extent ? static_cast<int64_t>(*axis.extent) : tokens);
      fill(operand.name, extents, 0x5A);
      if (operand.name == "slot" || operand.written())
        continue;
      reference::RandomOptions options;
      options.seed = reference::seedFor(seed, operand.name);
      ASSERT_TRUE(
          reference::fillRandom(operands[operand.name], reference::OperandRole::Activation, options)
              .ok());
    }
    slots.resize(most * size);
    std::iota(slots.begin(), slots.end(), 0);
    std::shuffle(slots.begin(), slots.end(), std::mt19937_64(seed));
    slots.resize(tokens);
    for (int64_t i = 0; i < tokens; ++i)
      putInt("slot", {i}, slots[i]);
    capacity = least * size;
  }

  // The elements of `field` at a slot, in order of the indices.
  std::vector<uint64_t> stored(FieldAttr field, int64_t slot) const {
    const HostArray &pages =
        operands.at(bufferName("keys", field.getBuffer(), layout.getBuffers()));
    const int64_t bytes = elementBits(field.getDtype()) / 8, size = layout.getPageSize();
    std::vector<uint64_t> values;
    EXPECT_TRUE(succeeded(forEachElement(field, 1, [&](int64_t, ArrayRef<int64_t> indices) {
      const int64_t first =
          slot / size * pages.strides[0] + fieldOffset(field, slot % size, indices);
      uint64_t value = 0;
      for (int64_t i = 0; i < bytes; ++i)
        value |= pages.loadBits(pages.first + first + i) << (8 * i);
      values.push_back(value);
      return success();
    })));
    return values;
  }

  // Every field at every token's slot holds the row of the dense operand of the field's name; those
  // outputs have been compared with the reference before.
  void expectStored() const {
    for (FieldAttr field : layout.getFields()) {
      const std::vector<uint64_t> dense = bits(field.getName().str());
      const size_t width = dense.size() / slots.size();
      for (size_t i = 0; i < slots.size(); ++i) {
        if (slots[i] >= capacity)
          continue;
        ASSERT_EQ(stored(field, slots[i]),
                  std::vector<uint64_t>(dense.begin() + i * width, dense.begin() + (i + 1) * width))
            << field.getName().str() << " of token " << i << " at slot " << slots[i];
      }
    }
  }

  int64_t capacity = 0;
};

struct Example {
  std::string page, text;
};

const std::vector<Example> kExamples = {
    {"linear(page_size=24, dim=64)", kCodes},
    {"tiled16(page_size=16, dim=64)", kCodes},
    {"per_token(page_size=48, dim=64)", kCodes},
    {"split(page_size=16, dim=64)", kCodes},
    {"nhd(page_size=16, heads=4, dim=64, value=fp8)", kHeads},
    {"hnd(page_size=8, heads=4, dim=64, value=fp8)", kHeads},
    {"shuffle(page_size=16, heads=4, dim=64, value=fp8)", kHeads},
    {"mla_576(page_size=16)", kMla},
    {"ds_mla_656(page_size=64)", kDsMla},
};

TEST(LayoutsTest, EveryLayoutOfTheLibraryIsTried) {
  std::set<std::string> tried, known;
  for (const Example &example : kExamples)
    tried.insert(example.page.substr(0, example.page.find('(')));
  for (const LayoutSpec &layout : layoutLibrary()) {
    known.insert(layout.name);
    EXPECT_FALSE(layout.broken) << layout.name;
    EXPECT_FALSE(layout.summary.empty()) << layout.name;
  }
  EXPECT_EQ(tried, known);
}

// S-PAGE-2.
TEST(LayoutsTest, ThousandRandomSlots) {
  uint64_t seed = 1;
  for (const Example &example : kExamples) {
    const std::string target = ++seed % 2 ? "gfx942" : "gfx950";
    SCOPED_TRACE(example.page + " " + target);
    LayoutCase kernel;
    ASSERT_TRUE(kernel.build(example.text, example.page, target));
    kernel.fillOperands(1000, seed);
    kernel.run();
    kernel.expectStored();
    if (testing::Test::HasFailure())
      return;
  }
}

// Layouts of the program itself; `page` is their only parameter.
const std::string kPadded = R"(
layout padded(page_size: int) {
  index t in 0..page_size
  field value : fp8 [d in 0..64] at 80*t + d
  field scale : f32 []           at 80*t + 64
  bytes 80*page_size
})";

// The scale of a head beside its codes; codes are not aligned to what a lane holds.
const std::string kByHead = R"(
layout by_head(page_size: int) {
  index t in 0..page_size
  field value : fp8 [h in 0..4, d in 0..64] at 4 + 276*t + 68*h + d
  field scale : f32 [h in 0..4]             at 276*t + 68 + 68*h
  bytes 276*page_size
})";

// Two scalars and a row of several heads: different leading axes in one store.
const std::string kMixed = R"(
layout mixed(page_size: int) {
  index t in 0..page_size
  field value : fp8  [h in 0..4, d in 0..64] at (h*page_size + t)*64 + d
  field rest  : bf16 [d in 0..32]            at 256*page_size + 64*t + 2*d
  field scale : f32  []                      at 320*page_size + 4*t in buffer 0
  field gate  : bf16 []                      at 2*t in buffer 1
  bytes 324*page_size
  bytes 2*page_size in buffer 1
}
kernel k(page: layout) {
  axis   token
  input  x     : bf16[token, 4, 64]
  input  rest  : bf16[token, 32]
  input  scale : f32[token]
  input  gate  : bf16[token]
  input  slot  : i64[token]
  output value : fp8[token, 4, 64]
  cache  keys  : page
  c, s       = quantize(x, fp8, scale = ue8m0, floor = 1e-4)
  value      = c
  keys[slot] = value: c, scale: scale, rest: round(rest, bf16), gate: round(gate, bf16)
})";

// Two leading axes of one extent, which have no names, in the cache and in a dense tensor.
const std::string kSquare = R"(
layout square(page_size: int) {
  index t in 0..page_size
  field value : fp8 [a in 0..4, b in 0..4, d in 0..16] at ((b*4 + a)*page_size + t)*16 + d
  bytes 256*page_size
}
kernel k(page: layout) {
  axis   token
  input  x     : bf16[token, 4, 4, 16]
  input  slot  : i64[token]
  output value : fp8[token, 4, 4, 16]
  output scale : f32[token, 4, 4]
  cache  keys  : page
  c, s       = quantize(x, fp8, scale = ue8m0, floor = 1e-4)
  value      = c
  scale      = s
  keys[slot] = value: c
})";

// A row of scalars alone, and as an index of a scalar that another op makes.
const std::string kScalars = R"(
layout scalars(page_size: int) {
  index t in 0..page_size
  field weight : f32 [g in 0..4] at (g*page_size + t)*4
  field one    : bf16 [g in 0..1] at 16*page_size + 2*t
  bytes 18*page_size
}
kernel k(page: layout) {
  axis   token
  input  weight : f32[token, 4]
  input  one    : bf16[token, 1]
  input  slot   : i64[token]
  cache  keys   : page
  keys[slot] = weight: weight, one: round(one, bf16)
})";

TEST(LayoutsTest, LayoutsOfPrograms) {
  const std::vector<Example> examples = {{"padded(page_size=8)", kPadded + kCodes},
                                         {"by_head(page_size=3)", kByHead + kHeadsScaled},
                                         {"mixed(page_size=16)", kMixed},
                                         {"square(page_size=4)", kSquare}};
  uint64_t seed = 100;
  for (const Example &example : examples)
    for (const std::string &target : {"gfx942", "sm_90"}) {
      SCOPED_TRACE(example.page + " " + target);
      LayoutCase kernel;
      ASSERT_TRUE(kernel.build(example.text, example.page, target));
      kernel.fillOperands(61, ++seed);
      kernel.run();
      kernel.expectStored();
    }
}

TEST(LayoutsTest, ScalarsAsRows) {
  LayoutCase kernel;
  ASSERT_TRUE(kernel.build(kScalars, "scalars(page_size=6)", "gfx950"));
  kernel.fillOperands(23, 7);
  kernel.run();
  kernel.expectStored();
}

// A cache of two tensors: an operand and a page stride each, one number of pages.
TEST(LayoutsTest, SignatureOfSeveralBuffers) {
  LayoutCase kernel;
  ASSERT_TRUE(kernel.build(kCodes, "split(page_size=16, dim=64)", "gfx942"));
  const KernelMeta &meta = kernel.generated.signature();
  EXPECT_EQ(kernel.meta("keys.0").cache, "keys");
  EXPECT_EQ(kernel.meta("keys.1").buffer, 1u);
  EXPECT_EQ(meta.layouts[0].pageBytes, (std::vector<uint64_t>{1024, 64}));
  EXPECT_EQ(meta.layouts[0].align, (std::vector<unsigned>{1, 4}));
  std::vector<std::string> names;
  for (const ArgumentMeta &argument : meta.arguments)
    if (argument.operand.starts_with("keys"))
      names.push_back(argument.name + " " + std::string(argumentKindName(argument.kind)));
  EXPECT_EQ(names, (std::vector<std::string>{"keys.0 pointer", "keys_pages pages",
                                             "keys.0_page_stride page_stride", "keys.1 pointer",
                                             "keys.1_page_stride page_stride"}));
  KernelMeta read;
  ASSERT_TRUE(fromJson(toJson(meta), read).ok());
  EXPECT_EQ(toJson(read), toJson(meta));
  read.operands.pop_back();
  EXPECT_FALSE(validate(read).ok());
}

// The shortest buffer bounds the slots; strides differ.
// S-CACHE-3.
TEST(LayoutsTest, BuffersOfDifferentLengthAndStride) {
  LayoutCase kernel;
  ASSERT_TRUE(kernel.build(kCodes, "split(page_size=4, dim=64)", "gfx950"));
  kernel.fillOperands(30, 3, {5, 9});
  kernel.fill("keys.0", {5, 256 + 64}, 0xA5);
  HostArray &values = kernel.operands["keys.0"];
  values.extents[1] = 256; // packed behind one another with a gap
  kernel.run();
  kernel.expectStored();
  EXPECT_LT(std::count_if(kernel.slots.begin(), kernel.slots.end(),
                          [&](int64_t slot) { return slot < kernel.capacity; }),
            30);
  // Pages of the wrong size, and a scale buffer that is not aligned.
  values.extents[1] = 255;
  EXPECT_EQ(kernel.launchStatus().id, "BR5304");
  values.extents[1] = 256;
  kernel.operands["keys.1"].first += 1;
  kernel.operands["keys.1"].extents[0] = 3;
  EXPECT_EQ(kernel.launchStatus().id, "BR5309");
}

} // namespace
} // namespace braid::test
