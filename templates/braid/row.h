// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row over lanes: RowMap says which lane and register hold an element, Frag is one lane's share
// of a row. Loads and stores move bits only; conversion to f32 happens where an op reads an
// element.
#pragma once
#include "braid/convert.h"
#include "braid/device.h"

namespace braid {

BRAID_DEVICE constexpr u32 countBits(u32 x) {
  u32 count = 0;
  for (; x != 0; x &= x - 1)
    ++count;
  return count;
}

// The lowest set bit, or a large power of two for 0: the alignment of x.
BRAID_DEVICE constexpr u32 alignmentOf(u32 x) { return x == 0 ? 0x80000000u : x & (0u - x); }

// Puts the low bits of x at the set bits of kMask, in order, one run of set bits at a time.
template <u32 kMask>
BRAID_DEVICE constexpr u32 depositBits(u32 x) {
  if constexpr (kMask == 0) {
    return 0;
  } else {
    constexpr u32 kLow = alignmentOf(kMask);
    constexpr u32 kRun = alignmentOf(~(kMask / kLow)); // 2^(length of the lowest run)
    constexpr u32 kRest = kMask & ~((kRun - 1) * kLow);
    return (x & (kRun - 1)) * kLow + depositBits<kRest>(x / kRun);
  }
}

// The inverse: collects the bits of x at the set bits of kMask.
template <u32 kMask>
BRAID_DEVICE constexpr u32 extractBits(u32 x) {
  if constexpr (kMask == 0) {
    return 0;
  } else {
    constexpr u32 kLow = alignmentOf(kMask);
    constexpr u32 kRun = alignmentOf(~(kMask / kLow));
    constexpr u32 kRest = kMask & ~((kRun - 1) * kLow);
    return (x / kLow & (kRun - 1)) + extractBits<kRest>(x) * kRun;
  }
}

// How many of the numbers with bits in kMask only are below `limit` (at least 1).
template <u32 kMask>
BRAID_DEVICE constexpr u32 numbersBelow(u32 limit) {
  u32 last = limit - 1, foreign = last & ~kMask;
  while ((foreign & (foreign - 1)) != 0)
    foreign &= foreign - 1; // the highest bit that such a number has not: below it all are smaller
  if (foreign != 0)
    last = (last & ~(2 * foreign - 1)) | (foreign - 1);
  return extractBits<kMask>(last) + 1;
}

BRAID_DEVICE constexpr u32 powerOfTwoCeil(u32 x) {
  u32 power = 1;
  while (power < x)
    power *= 2;
  return power;
}

// The threads that share LDS. OneWave: rows lie inside a wave and meet by lane functions alone.
struct OneWave {
  static constexpr u32 kWave = kWaveSize;
  static constexpr u32 kThreads = kWaveSize;
  static constexpr u32 kWords = 0;
};
// kThreadCount threads in waves of kWaveLanes; each brings kThreadWords words of LDS.
template <u32 kWaveLanes, u32 kThreadCount, u32 kThreadWords>
struct Workgroup {
  static constexpr u32 kWave = kWaveLanes;
  static constexpr u32 kThreads = kThreadCount;
  static constexpr u32 kWords = kThreadWords;
};

// Elements of a strip: longer rows are summed strip on strip first.
inline constexpr u32 kStripElements = 2048;

// A row of kElementCount elements. Index bits set in kMask come from the number of the lane in the
// row's group, the others from the register number, each in increasing order; bits above a strip
// are register bits. Lanes past a wave's are those of the next wave, so the highest lane bits are
// wave bits. Where the length is no power of two some elements are absent: registers that no lane
// has do not exist, the others hold values of no meaning where `present` is false.
template <u32 kElementCount, u32 kMask, class Threads = OneWave>
struct RowMap {
  using Group = Threads;
  static constexpr u32 kElements = kElementCount;
  static constexpr u32 kSpan = powerOfTwoCeil(kElements);
  static constexpr u32 kStrip = smaller(kSpan, kStripElements);
  static_assert(kElements >= 1 && kElements <= 16384, "a row has at most 16384 elements");
  static_assert(kMask < kStrip, "the lane mask has index bits of a strip only");
  static constexpr u32 kLaneMask = kMask;
  static constexpr u32 kRegisterMask = (kSpan - 1) & ~kLaneMask;
  static constexpr u32 kLanes = 1u << countBits(kLaneMask);
  static constexpr bool kComplete = kElements == kSpan;
  static constexpr u32 kPerLane = numbersBelow<kRegisterMask>(kElements);
  // Aligned runs of this many registers hold neighbouring elements, present or absent together.
  static constexpr u32 kChunk = smaller(alignmentOf(kLaneMask), alignmentOf(kElements));
  static constexpr u32 kChunks = kPerLane / kChunk;
  static constexpr bool kSpansWaves = kLanes > Group::kWave;
  static constexpr u32 kWaves = kSpansWaves ? kLanes / Group::kWave : 1;
  static_assert(kLanes <= Group::kThreads && (!kSpansWaves || Group::kWords > 0),
                "a row over several waves needs a workgroup with LDS");

  // The element index is laneBase(lane) + registerBase(register).
  BRAID_DEVICE static constexpr u32 laneBase(u32 lane) { return depositBits<kLaneMask>(lane); }
  BRAID_DEVICE static constexpr u32 registerBase(u32 reg) {
    return depositBits<kRegisterMask>(reg);
  }
  BRAID_DEVICE static constexpr u32 laneOf(u32 element) { return extractBits<kLaneMask>(element); }
  BRAID_DEVICE static constexpr u32 registerOf(u32 element) {
    return extractBits<kRegisterMask>(element);
  }
  // Whether a register holds an element in every lane, or in this one.
  BRAID_DEVICE static constexpr bool alwaysPresent(u32 reg) {
    return kComplete || kLaneMask + registerBase(reg) < kElements;
  }
  BRAID_DEVICE static constexpr bool present(u32 lane, u32 reg) {
    return kComplete || laneBase(lane) + registerBase(reg) < kElements;
  }
  // First element of a lane's c-th run of kChunk neighbouring elements; register r lies in chunk r
  // / kChunk.
  BRAID_DEVICE static constexpr u32 chunk(u32 lane, u32 c) {
    return laneBase(lane) + registerBase(c * kChunk);
  }
  // This thread's lane.
  BRAID_DEVICE static u32 lane() { return threadId() & (kLanes - 1); }
};
// One lane's N elements of type T, packed into words, element 0 lowest.
template <class T, u32 N>
struct Frag {
  static constexpr u32 kPerWord = 32 / kBits<T>;
  static constexpr u32 kWords = (N + kPerWord - 1) / kPerWord;
  u32 words[kWords];
};

template <u32 N>
struct Frag<f32, N> {
  static constexpr u32 kPerWord = 1;
  static constexpr u32 kWords = N;
  f32 values[N];
};

template <class T, u32 N>
BRAID_DEVICE u32 wordAt(const Frag<T, N> &x, u32 i) {
  if constexpr (kSame<T, f32>)
    return bitsOf(x.values[i]);
  else
    return x.words[i];
}
template <class T, u32 N>
BRAID_DEVICE void setWord(Frag<T, N> &x, u32 i, u32 word) {
  if constexpr (kSame<T, f32>)
    x.values[i] = floatOf(word);
  else
    x.words[i] = word;
}

// Element i as f32.
template <class T, u32 N>
BRAID_DEVICE f32 elementAt(const Frag<T, N> &x, u32 i) {
  constexpr u32 kPerWord = Frag<T, N>::kPerWord;
  if constexpr (kSame<T, f32>)
    return x.values[i];
  else
    return wordElement<T>(x.words[i / kPerWord], i % kPerWord);
}

// Elements i and i + 1 (i even); past the last of an odd number of elements reads as 0 and is
// dropped when written.
template <class T, u32 N>
BRAID_DEVICE Pair pairAt(const Frag<T, N> &x, u32 i) {
  if (N % 2 != 0 && i + 1 == N)
    return {elementAt(x, i), 0.0f};
  return {elementAt(x, i), elementAt(x, i + 1)};
}

template <u32 N>
BRAID_DEVICE void setPair(Frag<f32, N> &x, u32 i, Pair value) {
  x.values[i] = value.x;
  if (N % 2 == 0 || i + 1 < N)
    x.values[i + 1] = value.y;
}
template <class T, u32 N>
BRAID_DEVICE void setPair(Frag<T, N> &x, u32 i, Pair value) {
  x.words[i / 2] = packPair<T>(value);
}

// x with +0 for the elements that are absent: what every reduction takes.
template <class Rows, class T, u32 N>
BRAID_DEVICE Frag<T, N> presentOnly(const Frag<T, N> &x) {
  static_assert(N == Rows::kPerLane, "the fragment belongs to another row map");
  if constexpr (Rows::kComplete) {
    return x;
  } else {
    constexpr u32 kPerWord = Frag<T, N>::kPerWord;
    constexpr u32 kOnes = kPerWord == 1 ? ~0u : (1u << 32 / kPerWord) - 1;
    Frag<T, N> result = {};
    const u32 lane = Rows::lane();
#pragma unroll
    for (u32 i = 0; i < Frag<T, N>::kWords; ++i) {
      u32 mask = 0;
#pragma unroll
      for (u32 j = 0; j < kPerWord; ++j) {
        const u32 r = i * kPerWord + j;
        if (r < N && (Rows::alwaysPresent(r) || Rows::present(lane, r)))
          mask |= kOnes << j * (32 / kPerWord);
      }
      setWord(result, i, wordAt(x, i) & mask);
    }
    return result;
  }
}

// round(x, To): nearest even; the identity where the type stays.
template <class To, class T, u32 N>
BRAID_DEVICE Frag<To, N> roundTo(const Frag<T, N> &x) {
  if constexpr (kSame<To, T>) {
    return x;
  } else {
    Frag<To, N> result = {};
#pragma unroll
    for (u32 i = 0; i < N; i += 2)
      setPair(result, i, pairAt(x, i));
    return result;
  }
}

// Deals the scalars of K rows in flight over the lanes of a row: lane l gets that of row l % K, so
// that one access serves all.
template <u32 K, class T>
BRAID_DEVICE T dealt(const T (&values)[K], u32 lane) {
  T value = values[0];
#pragma unroll
  for (u32 i = 1; i < K; ++i)
    value = lane % K == i ? values[i] : value;
  return value;
}

// Bytes that one access moves: a chunk, at most 16.
template <class Rows, class T>
inline constexpr u32 kAccessBytes = smaller(16, Rows::kChunk *kBits<T> / 8);

// Loads a lane's share of the row at `row`, whose address is a multiple of kAlign bytes. What is
// absent is read where the row begins, so that no load stands under a condition.
template <class Rows, u32 kAlign = 16, class T>
BRAID_DEVICE Frag<T, Rows::kPerLane> loadRow(const T *row, u32 lane) {
  constexpr u32 kBytes = kAccessBytes<Rows, T>;
  constexpr u32 kCount = kBytes * 8 / kBits<T>;
  Frag<T, Rows::kPerLane> result = {};
  const T *base = elementAddress(row, Rows::laneBase(lane));
#pragma unroll
  for (u32 r = 0; r < Rows::kPerLane; r += kCount) {
    const T *from = elementAddress(base, Rows::registerBase(r));
    if (!Rows::alwaysPresent(r))
      from = elementAddress(
          row, Rows::present(lane, r) ? Rows::laneBase(lane) + Rows::registerBase(r) : 0);
    if constexpr (kBytes >= 4) {
      u32 words[kBytes / 4];
      loadWords<kBytes, smaller(kAlign, kBytes)>(from, words);
#pragma unroll
      for (u32 w = 0; w < kBytes / 4; ++w)
        setWord(result, r * kBits<T> / 32 + w, words[w]);
    } else {
#pragma unroll
      for (u32 j = 0; j < kBytes / sizeof(T); ++j) {
        const u32 bit = r * kBits<T> + j * 8 * sizeof(T);
        result.words[bit / 32] |= u32(from[j].bits) << bit % 32;
      }
    }
  }
  return result;
}

// Stores registers first .. first + kCount - 1 of a fragment, whole bytes, to neighbouring elements
// at `to`, a multiple of kAlign bytes.
template <u32 kCount, u32 kAlign, class T, u32 N>
BRAID_DEVICE void storeRun(void *to, const Frag<T, N> &x, u32 first) {
  constexpr u32 kBytes = smaller(16, kCount * kBits<T> / 8);
  constexpr u32 kStep = kBytes * 8 / kBits<T>;
#pragma unroll
  for (u32 i = 0; i < kCount; i += kStep) {
    T *target = elementAddress(static_cast<T *>(to), i);
    if constexpr (kBytes >= 4) {
      u32 words[kBytes / 4];
#pragma unroll
      for (u32 w = 0; w < kBytes / 4; ++w)
        words[w] = wordAt(x, (first + i) * kBits<T> / 32 + w);
      storeWords<kBytes, smaller(kAlign, kBytes)>(target, words);
    } else {
#pragma unroll
      for (u32 j = 0; j < kBytes / sizeof(T); ++j) {
        const u32 bit = (first + i) * kBits<T> + j * 8 * sizeof(T);
        target[j].bits = static_cast<decltype(T::bits)>(x.words[bit / 32] >> bit % 32);
      }
    }
  }
}

// Stores a lane's share of a row whose address is a multiple of kAlign bytes.
template <class Rows, u32 kAlign = 16, class T>
BRAID_DEVICE void storeRow(T *row, const Frag<T, Rows::kPerLane> &x, u32 lane) {
  T *base = elementAddress(row, Rows::laneBase(lane));
#pragma unroll
  for (u32 c = 0; c < Rows::kChunks; ++c)
    if (Rows::alwaysPresent(c * Rows::kChunk) || Rows::present(lane, c * Rows::kChunk))
      storeRun<Rows::kChunk, kAlign>(elementAddress(base, Rows::registerBase(c * Rows::kChunk)), x,
                                     c * Rows::kChunk);
}

} // namespace braid
