// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The narrow float formats as ml_dtypes has them (formats.inc, by make_formats.py), and the inputs
// on which encoders are compared with them. Constant; no code of Braid decides what is right here.

#pragma once

#include "runtime/DType.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

namespace braid::test {

#define BRAID_FORMAT_CODES(Format, ...) inline constexpr uint32_t kCodesOf##Format[] = __VA_ARGS__;
#define BRAID_FORMAT_THRESHOLDS(Format, ...)                                                       \
  inline constexpr uint32_t kThresholdsOf##Format[] = __VA_ARGS__;
#include "formats.inc"
#undef BRAID_FORMAT_CODES
#undef BRAID_FORMAT_THRESHOLDS

struct FormatTable {
  DType dtype;
  std::span<const uint32_t> codes;      ///< The f32 of every code.
  std::span<const uint32_t> thresholds; ///< [c - 1]: the least f32 that rounds to code c or above.

  uint32_t signBit() const { return static_cast<uint32_t>(codes.size() / 2); }
  float largest() const { return std::bit_cast<float>(codes[thresholds.size()]); }
  bool isNan(uint32_t code) const { return std::isnan(std::bit_cast<float>(codes[code])); }
  bool hasNan() const { return dtype != DType::F4E2M1; }
  bool hasMinusZero() const { return codes[signBit()] == 0x80000000u; }

  /// True if `code` is right for x, saturated at the largest number. NaN and infinity give NaN
  /// where the format has one.
  bool isCodeOf(uint32_t code, float x) const {
    if (hasNan() && !std::isfinite(x))
      return isNan(code);
    const uint32_t magnitude = std::bit_cast<uint32_t>(x) & 0x7FFFFFFF;
    const auto expected =
        static_cast<uint32_t>(std::ranges::upper_bound(thresholds, magnitude) - thresholds.begin());
    const bool negative = std::signbit(x) && !std::isnan(x) && (expected != 0 || hasMinusZero());
    return code == (negative ? expected | signBit() : expected);
  }

  /// Every threshold and the two f32 beside it, every number of the format, of either sign: among
  /// them the midpoints and their neighbours.
  std::vector<float> edges() const {
    std::vector<float> values;
    auto add = [&](uint32_t bits) {
      values.push_back(std::bit_cast<float>(bits));
      values.push_back(-std::bit_cast<float>(bits));
    };
    for (uint32_t threshold : thresholds)
      for (uint32_t step : {0u, 1u, 2u, 3u}) // the midpoint is the threshold or the f32 below it
        add(threshold - 2 + step);
    for (uint32_t code = 0; code <= thresholds.size(); ++code)
      add(codes[code]);
    return values;
  }
};

inline std::ostream &operator<<(std::ostream &out, const FormatTable &table) {
  return out << dtypeName(table.dtype);
}

#define BRAID_FORMAT_TABLE(Format) {DType::Format, kCodesOf##Format, kThresholdsOf##Format}
inline const FormatTable kFormatTables[] = {
    BRAID_FORMAT_TABLE(F8E4M3FN), BRAID_FORMAT_TABLE(F8E4M3FNUZ), BRAID_FORMAT_TABLE(F8E5M2),
    BRAID_FORMAT_TABLE(F8E5M2FNUZ), BRAID_FORMAT_TABLE(F4E2M1)};
#undef BRAID_FORMAT_TABLE

/// All values of bf16: numbers, infinities and NaN.
inline std::vector<float> allBf16() {
  std::vector<float> values;
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    values.push_back(std::bit_cast<float>(bits << 16));
  return values;
}

} // namespace braid::test
