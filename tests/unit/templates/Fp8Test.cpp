// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fp8 codes against a reference that is written another way: a table of all values in double, and
// comparison with the midpoints between neighbours.
#include "braid/fp8.h"
#include "braid/convert.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace braid;

namespace {

// Value of a non-negative code by the definition of the format.
double valueOf(u32 code, int bias) {
  const int exponent = static_cast<int>(code >> 3), mantissa = static_cast<int>(code & 7);
  return exponent == 0 ? std::ldexp(mantissa, 1 - bias - 3)
                       : std::ldexp(8 + mantissa, exponent - bias - 3);
}

template <class F>
struct Reference;
template <>
struct Reference<f8e4m3fn> {
  static constexpr int kBias = 7;
  static constexpr u32 kLargest = 0x7e;
  static u32 zero(bool negative) { return negative ? 0x80 : 0; }
  static bool isNan(u32 code) { return code == 0x7f || code == 0xff; }
};
template <>
struct Reference<f8e4m3fnuz> {
  static constexpr int kBias = 8;
  static constexpr u32 kLargest = 0x7f;
  static u32 zero(bool) { return 0; }
  static bool isNan(u32 code) { return code == 0x80; }
};

// The code of x, or 0x100 for NaN.
template <class F>
u32 referenceCode(f32 x, bool saturates) {
  using R = Reference<F>;
  if (std::isnan(x) || std::isinf(x))
    return 0x100;
  const double magnitude = std::fabs(static_cast<double>(x));
  u32 code = 0;
  while (code <= R::kLargest) {
    const double middle = (valueOf(code, R::kBias) + valueOf(code + 1, R::kBias)) / 2;
    if (magnitude < middle || (magnitude == middle && code % 2 == 0))
      break;
    ++code;
  }
  if (code > R::kLargest) {
    if (!saturates)
      return 0x100;
    code = R::kLargest;
  }
  if (code == 0)
    return R::zero(std::signbit(x));
  return std::signbit(x) ? code | 0x80 : code;
}

template <class F>
void expectCode(f32 x) {
  const f32 max = static_cast<f32>(valueOf(Reference<F>::kLargest, Reference<F>::kBias));
  for (bool saturates : {false, true}) {
    const u32 code = encodeFp8<F>(saturates ? saturate(x, max) : x);
    const u32 expected = referenceCode<F>(x, saturates);
    if (expected == 0x100)
      EXPECT_TRUE(Reference<F>::isNan(code)) << x << " gives " << code;
    else
      EXPECT_EQ(code, expected) << x << " saturates " << saturates;
  }
}

template <class F>
class Fp8 : public testing::Test {};
using Flavours = testing::Types<f8e4m3fn, f8e4m3fnuz>;
TYPED_TEST_SUITE(Fp8, Flavours);

TYPED_TEST(Fp8, EncodesEveryBf16) {
  for (u32 bits = 0; bits < 0x10000; ++bits)
    expectCode<TypeParam>(floatOf(bits << 16));
}

TYPED_TEST(Fp8, EncodesMidpointsAndTheirNeighbours) {
  using R = Reference<TypeParam>;
  for (u32 code = 0; code <= R::kLargest; ++code) {
    const double middle = (valueOf(code, R::kBias) + valueOf(code + 1, R::kBias)) / 2;
    for (double x : {middle, valueOf(code, R::kBias)})
      for (i32 step = -2; step <= 2; ++step) {
        const f32 magnitude =
            floatOf(bitsOf(static_cast<f32>(x)) + static_cast<u32>(x == 0 && step < 0 ? 0 : step));
        expectCode<TypeParam>(magnitude);
        expectCode<TypeParam>(-magnitude);
      }
  }
}

TYPED_TEST(Fp8, DecodesEveryCode) {
  using R = Reference<TypeParam>;
  for (u32 code = 0; code < 256; ++code) {
    const f32 value = decodeFp8<TypeParam>(code);
    if (R::isNan(code)) {
      EXPECT_TRUE(std::isnan(value)) << code;
      continue;
    }
    const f32 magnitude = static_cast<f32>(valueOf(code & 0x7f, R::kBias));
    EXPECT_EQ(bitsOf(value), bitsOf(code & 0x80 ? -magnitude : magnitude)) << code;
    EXPECT_EQ(encodeFp8<TypeParam>(value), code);
    EXPECT_EQ(bitsOf(toFloat(TypeParam{static_cast<u8>(code)})), bitsOf(value));
  }
}

TEST(Fp8Cases, EncodeAtScaleOne) {
  const f32 inputs[] = {0, 0.3f, 1, -1, 17, 18, 240, 448, 500};
  const u32 fn[] = {0x00, 0x2a, 0x38, 0xb8, 0x58, 0x59, 0x77, 0x7e, 0x7e};
  const u32 fnuz[] = {0x00, 0x32, 0x40, 0xc0, 0x60, 0x61, 0x7f, 0x7f, 0x7f};
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(encodeFp8<f8e4m3fn>(saturate(inputs[i], 448)), fn[i]);
    EXPECT_EQ(encodeFp8<f8e4m3fnuz>(saturate(inputs[i], 240)), fnuz[i]);
  }
  EXPECT_EQ(encodeFp8<f8e4m3fn>(floatOf(kNanBits)) & 0x7f, 0x7fu);
  EXPECT_EQ(encodeFp8<f8e4m3fnuz>(floatOf(kNanBits)), 0x80u);
  EXPECT_EQ(encodeFp8<f8e4m3fnuz>(-1e-9f), 0u);
  EXPECT_EQ(encodeFp8<f8e4m3fn>(-1e-9f), 0x80u);
}

TEST(Fp8Cases, DecodeLandmarks) {
  EXPECT_EQ(decodeFp8<f8e4m3fn>(0x7e), 448.0f);
  EXPECT_EQ(bitsOf(decodeFp8<f8e4m3fn>(0x80)), kSignBit);
  EXPECT_EQ(decodeFp8<f8e4m3fnuz>(0x7f), 240.0f);
  EXPECT_EQ(decodeFp8<f8e4m3fnuz>(0xff), -240.0f);
  for (u32 code = 0; code < 256; ++code)
    if ((code & 0x7f) != 0x7f && code != 0x80) {
      EXPECT_EQ(2 * decodeFp8<f8e4m3fnuz>(code), decodeFp8<f8e4m3fn>(code));
    }
}

} // namespace
