// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device headers' encoders and decoders of all narrow formats against ml_dtypes: every code,
// every bf16, every midpoint and its neighbours.
#include "braid/convert.h"
#include "braid/fp8.h"

#include "tests/data/FormatTables.h"

#include <gtest/gtest.h>

using namespace braid;

namespace {

template <class F>
void expectFormat(size_t index) {
  const braid::test::FormatTable &table = braid::test::kFormatTables[index];
  const u32 perWord = 32 / kBits<F>;
  for (u32 code = 0; code < table.codes.size(); ++code)
    for (u32 place = 0; place < perWord; ++place) {
      const f32 value = wordElement<F>(code << place * kBits<F>, place);
      if (table.isNan(code))
        ASSERT_NE(value, value) << code;
      else
        ASSERT_EQ(bitsOf(value), table.codes[code]) << code;
    }
  std::vector<float> values = braid::test::allBf16();
  for (float edge : table.edges())
    values.push_back(edge);
  for (f32 x : values) {
    const f32 cut = saturate(x, table.largest());
    const u32 four = encodeFour<F>(0, cut, 0, -cut);
    const u32 code = four >> kBits<F> & ((1u << kBits<F>)-1);
    ASSERT_TRUE(table.isCodeOf(code, x)) << x << " " << code;
    ASSERT_TRUE(table.isCodeOf(four >> 3 * kBits<F> & ((1u << kBits<F>)-1), -x)) << -x;
  }
}

// In the order of kFormatTables.
TEST(Formats, F8E4M3FN) { expectFormat<f8e4m3fn>(0); }
TEST(Formats, F8E4M3FNUZ) { expectFormat<f8e4m3fnuz>(1); }
TEST(Formats, F8E5M2) { expectFormat<f8e5m2>(2); }
TEST(Formats, F8E5M2FNUZ) { expectFormat<f8e5m2fnuz>(3); }
// S-F4-1.
TEST(Formats, F4E2M1) { expectFormat<f4e2m1>(4); }

// What a scale of the row's own amax never lets happen gives NaN, as AMD's instruction does.
TEST(Formats, PastTheLargestIsNanWithoutSaturation) {
  EXPECT_EQ(encodeFp8<f8e5m2>(61440.0f), 0x7Eu);
  EXPECT_EQ(encodeFp8<f8e5m2>(61439.99f), 0x7Bu);
  EXPECT_EQ(encodeFp8<f8e5m2fnuz>(-61440.0f), 0x80u);
}

} // namespace
