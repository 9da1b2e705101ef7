// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lane and register rotate with which (RopeShape), and the cos and sin values a lane needs
// for that (Angles), loaded once a token. A lane outside the rotated range reads angles of the same
// table row and does not use them.
#pragma once
#include "braid/device.h"
#include "braid/row.h"

namespace braid {

enum class RopeStyle { neox, gptj };

// Rotation of the elements kBegin .. kEnd - 1 of a row.
template <class Rows, RopeStyle kStyle, u32 kBegin, u32 kEnd>
struct RopeShape {
  static_assert(kBegin < kEnd && kEnd <= Rows::kElements && (kEnd - kBegin) % 2 == 0,
                "an even range inside the row");
  static constexpr bool kNeox = kStyle == RopeStyle::neox;
  static constexpr u32 kFirst = kBegin;
  static constexpr u32 kRotated = kEnd - kBegin;
  static constexpr u32 kPairs = kRotated / 2;
  static constexpr u32 kDistance = kNeox ? kPairs : 1;
  // Partners differ in one index bit. A register bit: both in one lane; a lane bit: an exchange
  // with one lane.
  static constexpr bool kOneBit = isPowerOfTwo(kDistance) && kBegin % (2 * kDistance) == 0;
  static constexpr bool kInLane = kOneBit && (Rows::kLaneMask & kDistance) == 0;
  static constexpr bool kByLaneBit = kOneBit && !kInLane;
  static constexpr u32 kRegisterBit = kInLane ? Rows::registerOf(kDistance) : 1;
  // Aligned runs of this many registers lie in or out of the range, and in one half, as a whole.
  static constexpr u32 kGranule =
      smaller(Rows::kChunk, smaller(alignmentOf(kBegin), alignmentOf(kNeox ? kPairs : kRotated)));
  // Angles a lane holds: one for each two registers that rotate with each other, else one for each
  // register. Registers past the last whole block of partners do not rotate.
  static constexpr u32 kAngles =
      kInLane ? Rows::kPerLane / (2 * kRegisterBit) * kRegisterBit : Rows::kPerLane;
  // Angles that lie side by side in the table.
  static constexpr u32 kRun = kNeox ? kGranule : larger(kGranule / 2, 1);

  // The register of angle k's first element.
  BRAID_DEVICE static constexpr u32 firstRegister(u32 k) {
    return kInLane ? ((k & ~(kRegisterBit - 1)) << 1) | (k & (kRegisterBit - 1)) : k;
  }
  BRAID_DEVICE static constexpr u32 runBase(u32 reg) {
    return Rows::registerBase(reg & ~(kGranule - 1));
  }
  // Whether register reg rotates in no lane, or in every lane.
  BRAID_DEVICE static constexpr bool never(u32 reg) {
    return i32(runBase(reg)) >= i32(kEnd) || i32(runBase(reg) + Rows::kLaneMask) < i32(kBegin);
  }
  BRAID_DEVICE static constexpr bool always(u32 reg) {
    return i32(runBase(reg)) >= i32(kBegin) && i32(runBase(reg) + Rows::kLaneMask) < i32(kEnd);
  }
  BRAID_DEVICE static bool inside(u32 lane, u32 reg) {
    return always(reg) || (!never(reg) && Rows::laneBase(lane) + runBase(reg) - kBegin < kRotated);
  }
  // The pair that an element belongs to; some pair of the table for an element outside the range.
  BRAID_DEVICE static constexpr u32 pairOf(u32 element) {
    const u32 offset = element - kBegin;
    const u32 pair = kNeox ? offset : offset / 2;
    if (isPowerOfTwo(kPairs))
      return pair & (kPairs - 1);
    const u32 folded = pair < kPairs ? pair : pair - kPairs;
    return folded < kPairs ? folded : 0;
  }
  BRAID_DEVICE static constexpr bool isFirst(u32 element) {
    const u32 offset = element - kBegin;
    return kNeox ? offset < kPairs : (offset & 1) == 0;
  }
  // The element that `element` rotates with; itself outside the range.
  BRAID_DEVICE static constexpr u32 partner(u32 element) {
    if (element - kBegin >= kRotated)
      return element;
    return isFirst(element) ? element + kDistance : element - kDistance;
  }
};

// cos and sin for a lane, in the order of RopeShape::firstRegister. Where elements meet partners of
// other lanes sin carries the sign of the element's own formula.
template <u32 P>
struct Angles {
  f32 cosine[P];
  f32 sine[P];
};

// kCount neighbouring table values from a place whose address is a multiple of kAlign bytes.
template <u32 kCount, u32 kAlign, class T>
BRAID_DEVICE void loadTable(const T *from, f32 *values) {
  constexpr u32 kBytes = smaller(16, kCount * sizeof(T));
  constexpr u32 kStep = kBytes / sizeof(T);
#pragma unroll
  for (u32 i = 0; i < kCount; i += kStep) {
    if constexpr (kBytes >= 4) {
      Frag<T, kStep> part;
      u32 words[kBytes / 4];
      loadWords<kBytes, smaller(kAlign, kBytes)>(from + i, words);
#pragma unroll
      for (u32 w = 0; w < kBytes / 4; ++w)
        setWord(part, w, words[w]);
#pragma unroll
      for (u32 j = 0; j < kStep; ++j)
        values[i + j] = elementAt(part, j);
    } else {
      values[i] = toFloat(from[i]);
    }
  }
}

// cos and sin of neighbouring pairs from two places: halves of a row (joined), or rows of two
// tables (split).
template <class T, u32 kAlign>
struct SeparateAngles {
  const T *cosines, *sines;
  using Element = T;
  template <u32 kCount>
  BRAID_DEVICE void load(u32 pair, f32 *cosine, f32 *sine) const {
    loadTable<kCount, kAlign>(cosines + pair, cosine);
    loadTable<kCount, kAlign>(sines + pair, sine);
  }
};

// cos, sin, cos, sin, ... in one place.
template <class T, u32 kAlign>
struct InterleavedAngles {
  const T *row;
  using Element = T;
  template <u32 kCount>
  BRAID_DEVICE void load(u32 pair, f32 *cosine, f32 *sine) const {
    f32 both[2 * kCount];
    loadTable<2 * kCount, kAlign>(row + 2 * pair, both);
#pragma unroll
    for (u32 i = 0; i < kCount; ++i) {
      cosine[i] = both[2 * i];
      sine[i] = both[2 * i + 1];
    }
  }
};

// x, but NaNs get patterns whose low half is small, so that rope may round its results to bf16
// without a NaN test: an integer minimum for each sign, no branch and no condition register.
BRAID_DEVICE f32 shortNan(f32 x) {
  const i32 positive = static_cast<i32>(bitsOf(x));
  const u32 bits = static_cast<u32>(positive < 0x7f800001 ? positive : 0x7f800001);
  return floatOf(smaller(bits, 0xff800001u));
}

template <class Shape, class Rows, class Source>
BRAID_DEVICE Angles<Shape::kAngles> loadAnglesFrom(const Source &source, u32 lane) {
  Angles<Shape::kAngles> angles;
#pragma unroll
  for (u32 k = 0; k < Shape::kAngles; k += Shape::kRun) {
    const u32 reg = Shape::firstRegister(k);
    if (Shape::never(reg)) {
#pragma unroll
      for (u32 i = k; i < k + Shape::kRun; ++i)
        angles.cosine[i] = angles.sine[i] = 0.0f;
      continue;
    }
    const u32 element = Rows::laneBase(lane) + Rows::registerBase(reg);
    source.template load<Shape::kRun>(Shape::pairOf(element), angles.cosine + k, angles.sine + k);
    if constexpr (!Shape::kInLane) {
#pragma unroll
      for (u32 i = k; i < k + Shape::kRun; ++i)
        angles.sine[i] = Shape::isFirst(element) ? -angles.sine[i] : angles.sine[i];
    }
  }
  if constexpr (kRoundsBf16ByInteger && !kSame<typename Source::Element, bf16>)
#pragma unroll
    for (u32 k = 0; k < Shape::kAngles; ++k) {
      angles.cosine[k] = shortNan(angles.cosine[k]);
      angles.sine[k] = shortNan(angles.sine[k]);
    }
  return angles;
}

// table = joined: `row` holds all cosines, then all sines. kAlign: what the row's address is a
// multiple of, in bytes.
template <class Rows, RopeStyle kStyle, u32 kBegin, u32 kEnd, u32 kAlign = 16, class T>
BRAID_DEVICE auto loadAnglesJoined(const T *row, u32 lane) {
  using Shape = RopeShape<Rows, kStyle, kBegin, kEnd>;
  constexpr u32 kSineAlign = smaller(kAlign, alignmentOf(Shape::kPairs * sizeof(T)));
  return loadAnglesFrom<Shape, Rows>(SeparateAngles<T, kSineAlign>{row, row + Shape::kPairs}, lane);
}

// table = split: a row of each of two tables.
template <class Rows, RopeStyle kStyle, u32 kBegin, u32 kEnd, u32 kAlign = 16, class T>
BRAID_DEVICE auto loadAnglesSplit(const T *cosines, const T *sines, u32 lane) {
  using Shape = RopeShape<Rows, kStyle, kBegin, kEnd>;
  return loadAnglesFrom<Shape, Rows>(SeparateAngles<T, kAlign>{cosines, sines}, lane);
}

// table = pairs: cos and sin alternate.
template <class Rows, RopeStyle kStyle, u32 kBegin, u32 kEnd, u32 kAlign = 16, class T>
BRAID_DEVICE auto loadAnglesPairs(const T *row, u32 lane) {
  using Shape = RopeShape<Rows, kStyle, kBegin, kEnd>;
  return loadAnglesFrom<Shape, Rows>(InterleavedAngles<T, kAlign>{row}, lane);
}

} // namespace braid
