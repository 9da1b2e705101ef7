// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges among the lanes of a row that may pass the bounds of a wave: lane functions inside it,
// LDS between waves. Every thread of the workgroup comes to every exchange, never under a condition
// in which lanes differ. Each begins with a barrier, so that nobody still reads what the one before
// it left in LDS.
#pragma once
#include "braid/device.h"
#include "braid/row.h"

namespace braid {

// All LDS of the workgroup: rows of every length share it.
template <class Group>
BRAID_DEVICE u32 *workgroupWords() {
  __shared__ u32 words[Group::kThreads * Group::kWords];
  return words;
}

// The words of the group of kLanes lanes that this thread belongs to: Group::kWords for each lane.
template <class Group, u32 kLanes>
BRAID_DEVICE u32 *groupWords() {
  return workgroupWords<Group>() + (threadId() & ~(kLanes - 1)) * Group::kWords;
}

// The words of the lane whose number differs in the lane bit kDistance.
template <class Rows, u32 kDistance, u32 kCount>
BRAID_DEVICE void swapLanes(u32 (&words)[kCount]) {
  using Group = typename Rows::Group;
  static_assert(kDistance < Rows::kLanes, "the lane distance lies inside the row's group");
  if constexpr (kDistance < Group::kWave) {
#pragma unroll
    for (u32 i = 0; i < kCount; ++i)
      words[i] = laneXor<kDistance>(words[i]);
  } else {
    u32 *lds = groupWords<Group, Rows::kLanes>();
    const u32 lane = Rows::lane();
#pragma unroll
    for (u32 first = 0; first < kCount; first += Group::kWords) {
      const u32 count = smaller(kCount - first, Group::kWords);
      barrier();
#pragma unroll
      for (u32 i = 0; i < count; ++i)
        lds[i * Rows::kLanes + lane] = words[first + i];
      barrier();
#pragma unroll
      for (u32 i = 0; i < count; ++i)
        words[first + i] = lds[i * Rows::kLanes + (lane ^ kDistance)];
    }
  }
}

// Every element's neighbour whose index differs in kBit, which is a lane bit.
template <class Rows, u32 kBit, class T, u32 N>
BRAID_DEVICE Frag<T, N> neighboursByLane(const Frag<T, N> &x) {
  static_assert((Rows::kLaneMask & kBit) != 0, "the neighbours lie in other lanes");
  u32 words[Frag<T, N>::kWords];
#pragma unroll
  for (u32 i = 0; i < Frag<T, N>::kWords; ++i)
    words[i] = wordAt(x, i);
  swapLanes<Rows, Rows::laneOf(kBit)>(words);
  Frag<T, N> result;
#pragma unroll
  for (u32 i = 0; i < Frag<T, N>::kWords; ++i)
    setWord(result, i, words[i]);
  return result;
}

// Gives what each wave of the row agrees on to all of them: kCount words a wave, wave by wave. The
// caller reads them at once.
template <class Rows, u32 kCount>
BRAID_DEVICE const u32 *wordsOfWaves(const u32 (&words)[kCount]) {
  using Group = typename Rows::Group;
  static_assert(Rows::kWaves * kCount <= Rows::kLanes * Group::kWords, "LDS holds all words");
  u32 *lds = groupWords<Group, Rows::kLanes>();
  const u32 lane = Rows::lane();
  barrier();
  if (lane % Group::kWave == 0)
#pragma unroll
    for (u32 i = 0; i < kCount; ++i)
      lds[lane / Group::kWave * kCount + i] = words[i];
  barrier();
  return lds;
}

// The bits of register r, in the low bits of a word; and back.
template <class T, u32 N>
BRAID_DEVICE u32 elementBits(const Frag<T, N> &x, u32 r) {
  constexpr u32 kPerWord = Frag<T, N>::kPerWord;
  if constexpr (kPerWord == 1)
    return wordAt(x, r);
  else
    return wordAt(x, r / kPerWord) >> r % kPerWord * (32 / kPerWord) & ((1u << 32 / kPerWord) - 1);
}
template <class T, u32 N>
BRAID_DEVICE void setElementBits(Frag<T, N> &x, u32 r, u32 bits) {
  constexpr u32 kPerWord = Frag<T, N>::kPerWord;
  if constexpr (kPerWord == 1) {
    setWord(x, r, bits);
  } else {
    const u32 shift = r % kPerWord * (32 / kPerWord);
    const u32 mask = ((1u << 32 / kPerWord) - 1) << shift;
    setWord(x, r / kPerWord, (wordAt(x, r / kPerWord) & ~mask) | bits << shift);
  }
}

// Any elements of a row: result register r becomes element index(r) of x, and stays where that is
// none of kFirst .. kLast - 1. kReaders lanes read what the row's lanes hold. The elements pass
// through LDS in windows.
template <class Rows, u32 kReaders, u32 kFirst = 0, u32 kLast = Rows::kElements, class T, u32 N,
          u32 M, class Index>
BRAID_DEVICE void takeElements(const Frag<T, N> &x, Frag<T, M> &result, const Index &index) {
  using Group = typename Rows::Group;
  constexpr u32 kSharers = larger(kReaders, Rows::kLanes);
  constexpr u32 kWindow = kSharers * Group::kWords;
  static_assert(kWindow > 0 && N == Rows::kPerLane, "elements pass through LDS");
  u32 *lds = groupWords<Group, kSharers>();
  const u32 lane = Rows::lane();
#pragma unroll
  for (u32 first = kFirst; first < kLast; first += kWindow) {
    barrier();
#pragma unroll
    for (u32 r = 0; r < N; ++r) {
      const u32 place = Rows::laneBase(lane) + Rows::registerBase(r) - first;
      if (place < kWindow && Rows::present(lane, r))
        lds[place] = elementBits(x, r);
    }
    barrier();
#pragma unroll
    for (u32 r = 0; r < M; ++r) {
      const u32 element = index(r);
      if (element - first < kWindow && element < kLast)
        setElementBits(result, r, lds[element - first]);
    }
  }
}

} // namespace braid
