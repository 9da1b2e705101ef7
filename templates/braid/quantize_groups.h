// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quantize with a scale for each group of a row: a group is a row of its own on the lanes and
// registers that hold it, so the functions of quantize.h serve it. The scales of a row are a row as
// well, spread over the lanes by a map of its own.
#pragma once
#include "braid/exchange.h"
#include "braid/quantize.h"

namespace braid {

// How one group of kGroup elements lies: on the low index bits of the row.
template <class Rows, u32 kGroup>
using GroupRows = RowMap<kGroup, Rows::kLaneMask &(kGroup - 1)>;

// One lane's codes, and the scales of the groups in which they lie.
template <class F, u32 N, u32 kGroups>
struct QuantizedGroups {
  Frag<F, N> codes;
  Frag<f32, kGroups> scale;
};

// Quantises each group of a lane by `quantizeGroup(part, g)`; parts are whole words.
template <class Group, class F, class T, u32 N, class Quantize>
BRAID_DEVICE QuantizedGroups<F, N, N / Group::kPerLane> forGroups(const Frag<T, N> &x,
                                                                  Quantize quantizeGroup) {
  constexpr u32 kPart = Group::kPerLane;
  constexpr u32 kWords = Frag<T, kPart>::kWords, kCodeWords = Frag<F, kPart>::kWords;
  static_assert(kPart % Frag<T, N>::kPerWord == 0 && kPart % Frag<F, N>::kPerWord == 0,
                "a lane's part of a group fills words");
  QuantizedGroups<F, N, N / kPart> result;
#pragma unroll
  for (u32 g = 0; g < N / kPart; ++g) {
    Frag<T, kPart> part;
#pragma unroll
    for (u32 w = 0; w < kWords; ++w)
      setWord(part, w, wordAt(x, g * kWords + w));
    const Quantized<F, kPart> quantized = quantizeGroup(part, g);
#pragma unroll
    for (u32 w = 0; w < kCodeWords; ++w)
      result.codes.words[g * kCodeWords + w] = quantized.codes.words[w];
    result.scale.values[g] = quantized.scale;
  }
  return result;
}

template <class Rows, u32 kGroup, class F, class T, u32 N>
BRAID_DEVICE auto quantizeGroupsUe8m0(const Frag<T, N> &x, f32 floor, f32 max) {
  using Group = GroupRows<Rows, kGroup>;
  return forGroups<Group, F>(
      x, [=](const auto &part, u32) { return quantizeUe8m0<Group, F>(part, floor, max); });
}

template <class Rows, u32 kGroup, class F, ValueRule kRule = ValueRule::multiply,
          bool kSaturate = false, class T, u32 N>
BRAID_DEVICE auto quantizeGroupsDivide(const Frag<T, N> &x, f32 floor, f32 max) {
  using Group = GroupRows<Rows, kGroup>;
  return forGroups<Group, F>(x, [=](const auto &part, u32) {
    return quantizeDivide<Group, F, kRule, kSaturate>(part, floor, max);
  });
}

template <class Rows, u32 kGroup, class F, ValueRule kRule = ValueRule::multiply,
          bool kSaturate = false, class T, u32 N>
BRAID_DEVICE auto quantizeGroupsReciprocal(const Frag<T, N> &x, f32 floor, f32 max) {
  using Group = GroupRows<Rows, kGroup>;
  return forGroups<Group, F>(x, [=](const auto &part, u32) {
    return quantizeReciprocal<Group, F, kRule, kSaturate>(part, floor, max);
  });
}

// One given scale for all groups, or one for each that the lane holds.
template <class Rows, u32 kGroup, class F, ValueRule kRule = ValueRule::multiply, class T, u32 N>
BRAID_DEVICE auto quantizeGroupsGiven(const Frag<T, N> &x, f32 scale, f32 max) {
  return forGroups<GroupRows<Rows, kGroup>, F>(
      x, [=](const auto &part, u32) { return quantizeGiven<F, kRule>(part, scale, max); });
}
template <class Rows, u32 kGroup, class F, ValueRule kRule = ValueRule::multiply, class T, u32 N,
          u32 kGroups>
BRAID_DEVICE auto quantizeGroupsGiven(const Frag<T, N> &x, const Frag<f32, kGroups> &scale,
                                      f32 max) {
  return forGroups<GroupRows<Rows, kGroup>, F>(x, [=](const auto &part, u32 g) {
    return quantizeGiven<F, kRule>(part, scale.values[g], max);
  });
}

// The scales as a row of their own: element r of a lane's share is the scale of one group, which
// some lane of the row holds.
template <class Rows, class ScaleRows, u32 kGroup, u32 kGroups>
BRAID_DEVICE Frag<f32, ScaleRows::kPerLane> scaleRow(const Frag<f32, kGroups> &own, u32 lane) {
  constexpr u32 kPart = GroupRows<Rows, kGroup>::kPerLane;
  Frag<f32, ScaleRows::kPerLane> result;
  if constexpr (Rows::kSpansWaves) {
    constexpr u32 kScales = Rows::kElements / kGroup;
    static_assert(kScales <= Rows::kLanes * Rows::Group::kWords, "LDS holds all scales");
    u32 *lds = groupWords<typename Rows::Group, Rows::kLanes>();
    barrier();
#pragma unroll
    for (u32 g = 0; g < kGroups; ++g)
      if (Rows::present(Rows::lane(), g * kPart))
        lds[(Rows::laneBase(Rows::lane()) + Rows::registerBase(g * kPart)) / kGroup] =
            bitsOf(own.values[g]);
    barrier();
#pragma unroll
    for (u32 r = 0; r < ScaleRows::kPerLane; ++r)
      result.values[r] = floatOf(
          lds[smaller(ScaleRows::laneBase(lane) + ScaleRows::registerBase(r), kScales - 1)]);
  } else {
#pragma unroll
    for (u32 r = 0; r < ScaleRows::kPerLane; ++r) {
      const u32 first = (ScaleRows::laneBase(lane) + ScaleRows::registerBase(r)) * kGroup;
      const u32 source = Rows::laneOf(first), place = Rows::registerOf(first) / kPart;
      u32 bits = 0;
#pragma unroll
      for (u32 g = 0; g < kGroups; ++g) {
        const u32 read = laneRead<Rows::kLanes>(bitsOf(own.values[g]), source);
        bits = place == g ? read : bits;
      }
      result.values[r] = floatOf(bits);
    }
  }
  return result;
}

// The inverse: the scales of the groups that a lane holds, from a row of scales.
template <class Rows, class ScaleRows, u32 kGroup, class T>
BRAID_DEVICE auto groupScales(const Frag<T, ScaleRows::kPerLane> &scales, u32 lane) {
  constexpr u32 kPart = GroupRows<Rows, kGroup>::kPerLane;
  Frag<f32, Rows::kPerLane / kPart> result = {};
  const auto group = [&](u32 g) {
    return (Rows::laneBase(lane) + Rows::registerBase(g * kPart)) / kGroup;
  };
  if constexpr (ScaleRows::kSpansWaves) {
    takeElements<ScaleRows, Rows::kLanes>(roundTo<f32>(scales), result, group);
  } else {
#pragma unroll
    for (u32 g = 0; g < Rows::kPerLane / kPart; ++g) {
      const u32 source = ScaleRows::laneOf(group(g)), place = ScaleRows::registerOf(group(g));
      u32 bits = 0;
#pragma unroll
      for (u32 r = 0; r < ScaleRows::kPerLane; ++r) {
        const u32 read = laneRead<ScaleRows::kLanes>(bitsOf(elementAt(scales, r)), source);
        bits = place == r ? read : bits;
      }
      result.values[g] = floatOf(bits);
    }
  }
  return result;
}

// Powers of two as e8m0: their biased exponents.
template <u32 N>
BRAID_DEVICE Frag<e8m0, N> biasedExponents(const Frag<f32, N> &x) {
  Frag<e8m0, N> result = {};
#pragma unroll
  for (u32 i = 0; i < N; ++i)
    result.words[i / 4] |= bitsOf(x.values[i]) >> 23 << i % 4 * 8;
  return result;
}

} // namespace braid
