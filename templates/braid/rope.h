// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rope: rotates pairs of elements, first = fma(x1, c, -(x2 * s)), second = fma(x2, c, x1 * s), and
// passes the other elements on with their own bits. Partners in one lane need no exchange, partners
// one lane bit apart one, all others a shuffle, or LDS where the row takes several waves.
#pragma once
#include "braid/angles.h"
#include "braid/device.h"
#include "braid/exchange.h"
#include "braid/row.h"

namespace braid {

// Rotated values of all registers; registers and lanes outside the range hold values that nobody
// uses.
template <class Shape, class T, u32 N, u32 P>
BRAID_DEVICE Frag<f32, N> rotateInLane(const Frag<T, N> &x, const Angles<P> &angles) {
  Frag<f32, N> result = {};
  constexpr u32 kStep = P % 2 == 0 ? 2 : 1;
#pragma unroll
  for (u32 k = 0; k < P; k += kStep) {
    const u32 l = k + kStep - 1; // two pairs at a time
    const u32 a = Shape::firstRegister(k), b = Shape::firstRegister(l);
    const Pair first = {elementAt(x, a), elementAt(x, b)};
    const Pair second = {elementAt(x, a + Shape::kRegisterBit),
                         elementAt(x, b + Shape::kRegisterBit)};
    const Pair c = {angles.cosine[k], angles.cosine[l]}, s = {angles.sine[k], angles.sine[l]};
    const Pair newFirst = mulAdd(first, c, -(second * s));
    const Pair newSecond = mulAdd(second, c, first * s);
    result.values[a] = newFirst.x, result.values[b] = newFirst.y;
    result.values[a + Shape::kRegisterBit] = newSecond.x,
                      result.values[b + Shape::kRegisterBit] = newSecond.y;
  }
  return result;
}

// For every register, the registers that hold its partner in some lane.
template <class Rows, class Shape>
struct PartnerRegisters {
  bool meets[Rows::kPerLane][Rows::kPerLane] = {};
  BRAID_DEVICE constexpr PartnerRegisters() {
    for (u32 lane = 0; lane < Rows::kLanes; ++lane)
      for (u32 r = 0; r < Rows::kPerLane; ++r) {
        const u32 element = Rows::laneBase(lane) + Rows::registerBase(r);
        if (element - Shape::kFirst < Shape::kRotated)
          meets[r][Rows::registerOf(Shape::partner(element))] = true;
      }
  }
};

// Every register's partner, wherever it is: each register that may hold it is read from the lane
// where it would be.
template <class Rows, class Shape, class T, u32 N>
BRAID_DEVICE Frag<f32, N> partnersByShuffle(const Frag<T, N> &x, u32 lane) {
  constexpr PartnerRegisters<Rows, Shape> kRegisters;
  Frag<f32, N> partners = {};
#pragma unroll
  for (u32 r = 0; r < N; ++r) {
    const u32 partner = Shape::partner(Rows::laneBase(lane) + Rows::registerBase(r));
#pragma unroll
    for (u32 source = 0; source < N; ++source)
      if (kRegisters.meets[r][source]) {
        const f32 value =
            floatOf(laneRead<Rows::kLanes>(bitsOf(elementAt(x, source)), Rows::laneOf(partner)));
        partners.values[r] = Rows::registerOf(partner) == source ? value : partners.values[r];
      }
  }
  return partners;
}

// As above, for a row over several waves.
template <class Rows, class Shape, class T, u32 N>
BRAID_DEVICE Frag<T, N> partnersThroughLds(const Frag<T, N> &x, u32 lane) {
  Frag<T, N> partners = {};
  takeElements<Rows, Rows::kLanes>(x, partners, [&](u32 r) {
    return Shape::partner(Rows::laneBase(lane) + Rows::registerBase(r));
  });
  return partners;
}

template <class T, class P, u32 N>
BRAID_DEVICE Frag<f32, N> rotateWithPartners(const Frag<T, N> &x, const Frag<P, N> &partners,
                                             const Angles<N> &angles) {
  constexpr u32 kStep = N % 2 == 0 ? 2 : 1;
  Frag<f32, N> result = {};
#pragma unroll
  for (u32 i = 0; i < N; i += kStep) {
    const u32 j = i + kStep - 1;
    const Pair product = pairAt(partners, i) * Pair{angles.sine[i], angles.sine[j]};
    setPair(result, i, mulAdd(pairAt(x, i), Pair{angles.cosine[i], angles.cosine[j]}, product));
  }
  return result;
}

// Word i of x as a fragment of type To.
template <class To, class T, u32 N>
BRAID_DEVICE u32 originalWord(const Frag<T, N> &x, u32 i) {
  if constexpr (kSame<To, T>)
    return wordAt(x, i);
  else if constexpr (kSame<To, f32>)
    return bitsOf(elementAt(x, i));
  else
    return packPair<To>(pairAt(x, 2 * i));
}

// Rotated values where the range is, the original elsewhere. Types alike: whole words keep their
// bits.
template <class Shape, class To, class T, u32 N>
BRAID_DEVICE Frag<To, N> mergeRotated(const Frag<T, N> &x, const Frag<f32, N> &rotated, u32 lane) {
  // A NaN among bf16 inputs and short angles gives a NaN whose low half is zero or small.
  constexpr bool kShortNan = kSame<T, bf16>;
  constexpr u32 kPerWord = Frag<To, N>::kPerWord;
  Frag<To, N> result = {};
#pragma unroll
  for (u32 i = 0; i < Frag<To, N>::kWords; ++i) {
    const u32 r = i * kPerWord, last = kPerWord == 2 && N > 1 ? r + 1 : r;
    u32 word;
    if constexpr (kSame<To, f32>) {
      word = bitsOf(rotated.values[r]);
    } else {
      const Pair value = pairAt(rotated, r);
      word =
          kSame<To, bf16> && kShortNan ? packBf16ShortNan(value.x, value.y) : packPair<To>(value);
    }
    const bool low = Shape::inside(lane, r), high = Shape::inside(lane, last);
    if constexpr (Shape::kGranule > 1 || kPerWord == 1) {
      word = choose(low, word, originalWord<To>(x, i));
    } else {
      const u32 mask = (low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u);
      word = (word & mask) | (originalWord<To>(x, i) & ~mask);
    }
    setWord(result, i, word);
  }
  return result;
}

// rope(x, angles), rounded to To (f32: not rounded).
template <class Rows, RopeStyle kStyle, u32 kBegin, u32 kEnd, class To, class T, u32 N, u32 P>
BRAID_DEVICE Frag<To, N> rope(const Frag<T, N> &x, const Angles<P> &angles, u32 lane) {
  using Shape = RopeShape<Rows, kStyle, kBegin, kEnd>;
  static_assert(N == Rows::kPerLane && P == Shape::kAngles,
                "the fragment or the angles belong to another row map");
  if constexpr (Shape::kInLane)
    return mergeRotated<Shape, To>(x, rotateInLane<Shape>(x, angles), lane);
  else if constexpr (Shape::kByLaneBit)
    return mergeRotated<Shape, To>(
        x, rotateWithPartners(x, neighboursByLane<Rows, Shape::kDistance>(x), angles), lane);
  else if constexpr (Rows::kSpansWaves)
    return mergeRotated<Shape, To>(
        x, rotateWithPartners(x, partnersThroughLds<Rows, Shape>(x, lane), angles), lane);
  else
    return mergeRotated<Shape, To>(
        x, rotateWithPartners(x, partnersByShuffle<Rows, Shape>(x, lane), angles), lane);
}

} // namespace braid
