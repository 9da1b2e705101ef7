// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/reference/FloatFormat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

namespace braid::reference {
namespace {

constexpr FloatFormat kFormats[] = {
    {DType::F32, 8, 23, 127, SpecialCodes::Ieee},
    {DType::BF16, 8, 7, 127, SpecialCodes::Ieee},
    {DType::F16, 5, 10, 15, SpecialCodes::Ieee},
    {DType::F8E4M3FN, 4, 3, 7, SpecialCodes::HighestIsNan},
    {DType::F8E4M3FNUZ, 4, 3, 8, SpecialCodes::MinusZeroNan},
    {DType::F8E5M2, 5, 2, 15, SpecialCodes::Ieee},
    {DType::F8E5M2FNUZ, 5, 2, 16, SpecialCodes::MinusZeroNan},
    {DType::F4E2M1, 2, 1, 1, SpecialCodes::None},
};

/// The value that exponent and fraction stand for, whatever special meaning the code may have.
double magnitudeOf(const FloatFormat &format, uint32_t magnitude) {
  const uint32_t fraction = magnitude & ((1u << format.fractionBits) - 1);
  const int exponent = static_cast<int>(magnitude >> format.fractionBits);
  const double unit = std::ldexp(1.0, -static_cast<int>(format.fractionBits));
  if (exponent == 0) // subnormal: no leading one, the exponent of the lowest normal
    return std::ldexp(fraction * unit, 1 - format.bias);
  return std::ldexp(1.0 + fraction * unit, exponent - format.bias);
}

/// Magnitudes count up with their codes, so the largest finite one lies just below the specials.
uint32_t largestFiniteCode(const FloatFormat &format) {
  const uint32_t all = format.signBit() - 1;
  switch (format.special) {
  case SpecialCodes::Ieee:
    return (all >> format.fractionBits << format.fractionBits) - 1;
  case SpecialCodes::HighestIsNan:
    return all - 1;
  case SpecialCodes::MinusZeroNan:
  case SpecialCodes::None:
    return all;
  }
  return all;
}

uint32_t nanCode(const FloatFormat &format) {
  switch (format.special) {
  case SpecialCodes::Ieee: // the quiet bit, the highest of the fraction
    return (largestFiniteCode(format) + 1) | (1u << (format.fractionBits - 1));
  case SpecialCodes::HighestIsNan:
    return format.signBit() - 1;
  case SpecialCodes::MinusZeroNan:
    return format.signBit();
  case SpecialCodes::None:
    return largestFiniteCode(format);
  }
  return 0;
}

/// bf16 and f16 hold values as they are; the narrower formats hold scaled ones and saturate.
bool isStorage(const FloatFormat &format) { return format.bits() == 16; }

/// midpoints[c] lies between the magnitudes of codes c and c + 1. For bf16 and f16 the last one
/// lies between the largest finite value and the power of two after it: from there on it is
/// infinity. All are exact, for a midpoint has one bit more than the format.
struct Encoder {
  const FloatFormat *format = nullptr;
  std::vector<double> midpoints;

  explicit Encoder(const FloatFormat &format) : format(&format) {
    const uint32_t steps = largestFiniteCode(format) + (isStorage(format) ? 1 : 0);
    for (uint32_t code = 0; code < steps; ++code)
      midpoints.push_back((magnitudeOf(format, code) + magnitudeOf(format, code + 1)) / 2);
  }

  /// The midpoints among which `magnitude`, an f32, is looked for: those around the code that its
  /// own exponent and upper fraction bits name, or all up to the first normal codes.
  std::span<const double> near(double magnitude) const {
    const unsigned dropped = 23 - format->fractionBits;
    const auto upper =
        static_cast<int64_t>(std::bit_cast<uint32_t>(static_cast<float>(magnitude)) >> dropped);
    const int64_t guess = upper - (int64_t(127 - format->bias) << format->fractionBits);
    const int64_t firstNormal = int64_t(1) << format->fractionBits;
    const auto size = static_cast<int64_t>(midpoints.size());
    const int64_t begin = guess <= firstNormal ? 0 : std::min(guess - 1, size);
    const int64_t end = std::min(std::max(guess, firstNormal) + 2, size);
    return std::span(midpoints).subspan(begin, end - begin);
  }

  uint32_t nearest(double magnitude) const {
    const std::span<const double> searched = near(magnitude);
    const auto before = (searched.data() - midpoints.data()) +
                        (std::ranges::lower_bound(searched, magnitude) - searched.begin());
    const auto at = midpoints.begin() + before;
    const auto code = static_cast<uint32_t>(at - midpoints.begin());
    const bool tie = at != midpoints.end() && *at == magnitude;
    return tie ? code + code % 2 : code;
  }
};

const Encoder &encoderOf(const FloatFormat &format) {
  static const std::vector<Encoder> encoders = [] {
    std::vector<Encoder> all;
    for (const FloatFormat &each : std::span(kFormats).subspan(1)) // f32 needs none
      all.emplace_back(each);
    return all;
  }();
  return encoders[&format - &kFormats[1]];
}

uint32_t encodeValue(const FloatFormat &format, double value, double limit) {
  const bool keepsInfinity = isStorage(format) || format.special == SpecialCodes::None;
  if (std::isnan(value) || (std::isinf(value) && !keepsInfinity))
    return nanCode(format);
  const uint32_t code = encoderOf(format).nearest(std::min(std::fabs(value), limit));
  if (!std::signbit(value) || (code == 0 && format.special == SpecialCodes::MinusZeroNan))
    return code;
  return code | format.signBit();
}

} // namespace

const FloatFormat *floatFormat(DType dtype) {
  const auto *found = std::ranges::find(kFormats, dtype, &FloatFormat::dtype);
  return found == std::end(kFormats) ? nullptr : found;
}

double largestFinite(DType floatType) {
  const FloatFormat &format = *floatFormat(floatType);
  return magnitudeOf(format, largestFiniteCode(format));
}

bool isNanCode(DType dtype, uint64_t code) { return std::isnan(decode(dtype, code)); }

static double decodeOnce(DType dtype, uint64_t code) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (dtype == DType::I32)
    return static_cast<int32_t>(code);
  if (dtype == DType::I64)
    return static_cast<double>(static_cast<int64_t>(code));
  if (dtype == DType::E8M0)
    return code == 0xFF ? kNan : std::ldexp(1.0, static_cast<int>(code) - 127);
  const FloatFormat &format = *floatFormat(dtype);
  const auto magnitude = static_cast<uint32_t>(code & (format.signBit() - 1));
  const bool negative = (code & format.signBit()) != 0;
  if (format.special == SpecialCodes::MinusZeroNan && negative && magnitude == 0)
    return kNan;
  double value = magnitudeOf(format, magnitude);
  if (magnitude > largestFiniteCode(format))
    value = format.special == SpecialCodes::Ieee && magnitude == largestFiniteCode(format) + 1
                ? std::numeric_limits<double>::infinity()
                : kNan;
  return negative ? -value : value;
}

// The codes of the formats of 16 bits and less, decoded once.
static const std::vector<double> &decodedCodes(DType dtype) {
  static const std::vector<std::vector<double>> tables = [] {
    std::vector<std::vector<double>> all(allDTypes().size());
    for (DType each : allDTypes())
      if (dtypeBits(each) <= 16)
        for (uint64_t code = 0; code < (uint64_t(1) << dtypeBits(each)); ++code)
          all[static_cast<size_t>(each)].push_back(decodeOnce(each, code));
    return all;
  }();
  return tables[static_cast<size_t>(dtype)];
}

double decode(DType dtype, uint64_t code) {
  return dtypeBits(dtype) <= 16 ? decodedCodes(dtype)[code] : decodeOnce(dtype, code);
}

uint32_t encode(DType floatType, float value) {
  if (floatType == DType::F32)
    return std::bit_cast<uint32_t>(value);
  return encodeValue(*floatFormat(floatType), value, std::numeric_limits<double>::infinity());
}

uint32_t encodeUpTo(DType floatType, float value, float max) {
  return encodeValue(*floatFormat(floatType), value, max);
}

float roundTo(DType floatType, float value) {
  return floatType == DType::F32 ? value
                                 : static_cast<float>(decode(floatType, encode(floatType, value)));
}

} // namespace braid::reference
