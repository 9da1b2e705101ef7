// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device headers need of a front end: types, arithmetic, lanes and memory accesses. The
// only file that asks which front end reads it: clang or hiprtc for AMD, nvcc or NVRTC for sm_90,
// or plain host C++ (emulated wave and unit tests). Every block below defines the same functions
// with the same results, bit for bit. Functions keep no state; all lanes of a wave call the lane
// functions together.
#pragma once

#if defined(__clang__)
#pragma clang fp contract(off)
#endif

#if defined(__AMDGCN__)
#define BRAID_AMD 1
#elif defined(__CUDACC__)
#define BRAID_NVIDIA 1
#else
#define BRAID_HOST 1
#endif

#if defined(BRAID_HOST)
#define BRAID_DEVICE inline __attribute__((always_inline))
#define __global__
#define __launch_bounds__(...)
#elif defined(BRAID_NVIDIA)
#define BRAID_DEVICE __device__ __forceinline__
#else
#if !defined(__device__)
#define __device__ __attribute__((device))
#endif
#if !defined(__global__)
#define __global__ __attribute__((global))
#endif
#if !defined(__launch_bounds__)
// Threads a workgroup, waves a SIMD (8: at most 64 VGPRs).
#define BRAID_BOUNDS(THREADS, WAVES, ...)                                                          \
  __attribute__((amdgpu_flat_work_group_size(1, THREADS), amdgpu_waves_per_eu(WAVES)))
#define __launch_bounds__(...) BRAID_BOUNDS(__VA_ARGS__, 1, 1)
#endif
#define BRAID_DEVICE __device__ inline __attribute__((always_inline))
#endif

#if defined(BRAID_HOST)
extern "C" {
unsigned braid_emu_workgroup(void);
unsigned braid_emu_thread(void);
unsigned braid_emu_exchange(unsigned value, unsigned source_thread);
void braid_emu_barrier(void);
}
#endif

namespace braid {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;
using f32 = float;

// Storage types: bits only, arithmetic is done on f32.
struct bf16 {
  u16 bits;
};
struct f16 {
  u16 bits;
};
struct f8e4m3fn {
  u8 bits;
};
struct f8e4m3fnuz {
  u8 bits;
};
struct e8m0 {
  u8 bits;
};

// Two f32 that an instruction may treat at once; elementwise, no other meaning.
struct Pair {
  f32 x, y;
};

template <class A, class B>
struct SameType {
  static constexpr bool value = false;
};
template <class A>
struct SameType<A, A> {
  static constexpr bool value = true;
};
template <class A, class B>
inline constexpr bool kSame = SameType<A, B>::value;

BRAID_DEVICE constexpr u32 smaller(u32 a, u32 b) { return a < b ? a : b; }
BRAID_DEVICE constexpr u32 larger(u32 a, u32 b) { return a > b ? a : b; }
BRAID_DEVICE constexpr bool isPowerOfTwo(u32 x) { return x != 0 && (x & (x - 1)) == 0; }

// c ? a : b as a select, never as a branch.
BRAID_DEVICE u32 choose(bool c, u32 a, u32 b) {
#if defined(__clang__)
  return __builtin_unpredictable(c) ? a : b;
#else
  return c ? a : b;
#endif
}

inline constexpr u32 kSignBit = 0x80000000u;
inline constexpr u32 kInfinityBits = 0x7f800000u;
inline constexpr u32 kLargestFiniteBits = 0x7f7fffffu;
inline constexpr u32 kNanBits = 0x7fc00000u;

#if defined(BRAID_AMD)

#if defined(__gfx950__)
using NativeFp8 = f8e4m3fn;
#else
using NativeFp8 = f8e4m3fnuz;
#endif
inline constexpr u32 kWaveSize = 64;

using Floats2 = f32 __attribute__((ext_vector_type(2)));
using Shorts2 = u16 __attribute__((ext_vector_type(2)));

BRAID_DEVICE u32 workgroupId() { return __builtin_amdgcn_workgroup_id_x(); }
BRAID_DEVICE u32 threadId() { return __builtin_amdgcn_workitem_id_x(); }
// All threads of the workgroup come here; what they wrote to LDS before is seen after.
BRAID_DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
BRAID_DEVICE u32 bitsOf(f32 x) { return __builtin_bit_cast(u32, x); }
BRAID_DEVICE f32 floatOf(u32 x) { return __builtin_bit_cast(f32, x); }
BRAID_DEVICE f32 mulAdd(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
BRAID_DEVICE f32 squareRoot(f32 x) { return __builtin_sqrtf(x); }
BRAID_DEVICE Floats2 floats(Pair p) { return Floats2{p.x, p.y}; }
BRAID_DEVICE Pair pairOf(Floats2 v) { return {v.x, v.y}; }
BRAID_DEVICE Pair operator+(Pair a, Pair b) { return pairOf(floats(a) + floats(b)); }
BRAID_DEVICE Pair operator-(Pair a, Pair b) { return pairOf(floats(a) - floats(b)); }
BRAID_DEVICE Pair operator*(Pair a, Pair b) { return pairOf(floats(a) * floats(b)); }
BRAID_DEVICE Pair operator-(Pair a) { return pairOf(-floats(a)); }
BRAID_DEVICE Pair mulAdd(Pair a, Pair b, Pair c) {
  return pairOf(__builtin_elementwise_fma(floats(a), floats(b), floats(c)));
}

// True where some lane of the wave says so: for branches around rare work.
BRAID_DEVICE bool anyLane(bool x) { return __builtin_amdgcn_ballot_w64(x) != 0; }

// Seen by the host once the kernel has ended.
BRAID_DEVICE void atomicAdd64(u64 *to, u64 x) {
  __hip_atomic_fetch_add(to, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
BRAID_DEVICE void atomicMax64(u64 *to, u64 x) {
  __hip_atomic_fetch_max(to, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Keeps the computation of x (and the loads behind it) where it is written, outside of later
// conditions.
BRAID_DEVICE f32 settled(f32 x) {
  asm volatile("" : "+v"(x));
  return x;
}

BRAID_DEVICE u32 packedMax(u32 a, u32 b) {
  return __builtin_bit_cast(u32, __builtin_elementwise_max(__builtin_bit_cast(Shorts2, a),
                                                           __builtin_bit_cast(Shorts2, b)));
}

#if defined(__gfx950__)
using Brains2 = __bf16 __attribute__((ext_vector_type(2)));
inline constexpr bool kRoundsBf16ByInteger = false;
BRAID_DEVICE u32 packBf16(f32 low, f32 high) {
  return __builtin_bit_cast(u32, __builtin_convertvector(Floats2{low, high}, Brains2));
}
BRAID_DEVICE u32 packBf16ShortNan(f32 low, f32 high) { return packBf16(low, high); }
#else
inline constexpr bool kRoundsBf16ByInteger = true;
BRAID_DEVICE u32 roundBitsBf16(u32 x) { return x + (x >> 16 & 1) + 0x7fff; }
// Right for every number, and for a NaN whose low half is below 0x8000: no NaN test.
BRAID_DEVICE u32 packBf16ShortNan(f32 low, f32 high) {
  return __builtin_amdgcn_perm(roundBitsBf16(bitsOf(high)), roundBitsBf16(bitsOf(low)), 0x07060302);
}
BRAID_DEVICE u32 packBf16(f32 low, f32 high) {
  const u32 a = low == low ? roundBitsBf16(bitsOf(low)) : kNanBits;
  const u32 b = high == high ? roundBitsBf16(bitsOf(high)) : kNanBits;
  return __builtin_amdgcn_perm(b, a, 0x07060302);
}
#endif

BRAID_DEVICE f32 halfToFloat(u32 bits) {
  return static_cast<f32>(__builtin_bit_cast(_Float16, static_cast<u16>(bits)));
}
BRAID_DEVICE u32 floatToHalf(f32 x) { return __builtin_bit_cast(u16, static_cast<_Float16>(x)); }

// Four codes of the native flavour, a lowest. No saturation: what rounds past the largest number,
// Inf and NaN give NaN.
BRAID_DEVICE u32 nativeFp8Word(f32 a, f32 b, f32 c, f32 d) {
  const i32 low = __builtin_amdgcn_cvt_pk_fp8_f32(a, b, 0, false);
  return static_cast<u32>(__builtin_amdgcn_cvt_pk_fp8_f32(c, d, low, true));
}

template <u32 kControl>
BRAID_DEVICE u32 dpp(u32 x) {
  return static_cast<u32>(__builtin_amdgcn_mov_dpp(static_cast<i32>(x), kControl, 0xf, 0xf, true));
}

// The value of lane ^ kDistance (a power of two below the wave size).
template <u32 kDistance>
BRAID_DEVICE u32 laneXor(u32 x) {
  static_assert(isPowerOfTwo(kDistance) && kDistance < kWaveSize,
                "a lane distance is a power of two inside the wave");
  if constexpr (kDistance == 1)
    return dpp<0xb1>(x); // quad_perm [1,0,3,2]
  else if constexpr (kDistance == 2)
    return dpp<0x4e>(x); // quad_perm [2,3,0,1]
  else if constexpr (kDistance == 4)
    return dpp<0x1b>(dpp<0x141>(x)); // row_half_mirror (xor 7), then quad_perm [3,2,1,0] (xor 3)
  else if constexpr (kDistance == 8)
    return dpp<0x128>(x); // row_ror:8
#if defined(__gfx950__)
  else if constexpr (kDistance == 16) {
    const auto swapped = __builtin_amdgcn_permlane16_swap(x, x, false, false);
    return (threadId() & 16) != 0 ? swapped[0] : swapped[1];
  } else {
    const auto swapped = __builtin_amdgcn_permlane32_swap(x, x, false, false);
    return (threadId() & 32) != 0 ? swapped[0] : swapped[1];
  }
#else
  else if constexpr (kDistance == 16)
    return static_cast<u32>(__builtin_amdgcn_ds_swizzle(static_cast<i32>(x), 0x401f));
  else
    return static_cast<u32>(__builtin_amdgcn_ds_bpermute(static_cast<i32>((threadId() ^ 32) << 2),
                                                         static_cast<i32>(x)));
#endif
}

// As laneXor, where lanes that differ only below kDistance hold the same value already
// (reductions).
template <u32 kDistance>
BRAID_DEVICE u32 laneButterfly(u32 x) {
  if constexpr (kDistance == 4)
    return dpp<0x141>(x); // row_half_mirror
  else
    return laneXor<kDistance>(x);
}

// The value of another lane of the caller's group of kLanes lanes.
template <u32 kLanes>
BRAID_DEVICE u32 laneRead(u32 x, u32 source) {
  if constexpr (kLanes == 1)
    return x;
  else
    return static_cast<u32>(__builtin_amdgcn_ds_bpermute(
        static_cast<i32>(((threadId() & ~(kLanes - 1)) | source) << 2), static_cast<i32>(x)));
}

template <u32 kWords>
struct VectorOf {
  using Type = u32 __attribute__((ext_vector_type(kWords)));
};
template <>
struct VectorOf<1> {
  using Type = u32;
};

// Loads and stores of 4, 8 or 16 bytes as one instruction; AMD needs no alignment for that.
template <u32 kBytes, u32 kAlign>
BRAID_DEVICE void loadWords(const void *from, u32 *words) {
  using Access = typename VectorOf<kBytes / 4>::Type __attribute__((aligned(kAlign), may_alias));
  const auto value = *static_cast<const Access *>(from);
  __builtin_memcpy(words, &value, kBytes);
}
template <u32 kBytes, u32 kAlign>
BRAID_DEVICE void storeWords(void *to, const u32 *words) {
  using Access = typename VectorOf<kBytes / 4>::Type __attribute__((aligned(kAlign), may_alias));
  typename VectorOf<kBytes / 4>::Type value;
  __builtin_memcpy(&value, words, kBytes);
  *static_cast<Access *>(to) = value;
}

#elif defined(BRAID_NVIDIA)

using NativeFp8 = f8e4m3fn;
inline constexpr u32 kWaveSize = 32;
inline constexpr bool kRoundsBf16ByInteger = false;

BRAID_DEVICE u32 workgroupId() { return blockIdx.x; }
BRAID_DEVICE u32 threadId() { return threadIdx.x; }
BRAID_DEVICE void barrier() { __syncthreads(); }
BRAID_DEVICE u32 bitsOf(f32 x) { return __float_as_uint(x); }
BRAID_DEVICE f32 floatOf(u32 x) { return __uint_as_float(x); }
BRAID_DEVICE f32 mulAdd(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
BRAID_DEVICE f32 squareRoot(f32 x) { return __fsqrt_rn(x); }
BRAID_DEVICE Pair operator+(Pair a, Pair b) { return {__fadd_rn(a.x, b.x), __fadd_rn(a.y, b.y)}; }
BRAID_DEVICE Pair operator-(Pair a, Pair b) { return {__fsub_rn(a.x, b.x), __fsub_rn(a.y, b.y)}; }
BRAID_DEVICE Pair operator*(Pair a, Pair b) { return {__fmul_rn(a.x, b.x), __fmul_rn(a.y, b.y)}; }
BRAID_DEVICE Pair operator-(Pair a) { return {-a.x, -a.y}; }
BRAID_DEVICE Pair mulAdd(Pair a, Pair b, Pair c) {
  return {mulAdd(a.x, b.x, c.x), mulAdd(a.y, b.y, c.y)};
}
BRAID_DEVICE bool anyLane(bool x) { return x; }
BRAID_DEVICE void atomicAdd64(u64 *to, u64 x) { atomicAdd(to, x); }
BRAID_DEVICE void atomicMax64(u64 *to, u64 x) { atomicMax(to, x); }
BRAID_DEVICE f32 settled(f32 x) {
  asm volatile("" : "+f"(x));
  return x;
}

BRAID_DEVICE u32 packedMax(u32 a, u32 b) {
  u32 result;
  asm("max.u16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}
BRAID_DEVICE u32 packBf16(f32 low, f32 high) {
  u32 result;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
}
BRAID_DEVICE u32 packBf16ShortNan(f32 low, f32 high) { return packBf16(low, high); }
BRAID_DEVICE f32 halfToFloat(u32 bits) {
  f32 result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(static_cast<u16>(bits)));
  return result;
}
BRAID_DEVICE u32 floatToHalf(f32 x) {
  u16 result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(x));
  return result;
}
// The instruction saturates, Inf too; x * 0 + x turns Inf into NaN and leaves the rest alone.
BRAID_DEVICE u32 nativeFp8Half(f32 low, f32 high) {
  u16 result;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
      : "=h"(result)
      : "f"(__fmaf_rn(high, 0.0f, high)), "f"(__fmaf_rn(low, 0.0f, low)));
  return result;
}
BRAID_DEVICE u32 nativeFp8Word(f32 a, f32 b, f32 c, f32 d) {
  return nativeFp8Half(a, b) | nativeFp8Half(c, d) << 16;
}

template <u32 kDistance>
BRAID_DEVICE u32 laneXor(u32 x) {
  static_assert(isPowerOfTwo(kDistance) && kDistance < kWaveSize,
                "a lane distance is a power of two inside the wave");
  return __shfl_xor_sync(0xffffffffu, x, kDistance);
}
template <u32 kDistance>
BRAID_DEVICE u32 laneButterfly(u32 x) {
  return laneXor<kDistance>(x);
}
template <u32 kLanes>
BRAID_DEVICE u32 laneRead(u32 x, u32 source) {
  return __shfl_sync(0xffffffffu, x, static_cast<int>(source), kLanes);
}

template <u32 kBytes, u32 kAlign>
BRAID_DEVICE void loadWords(const void *from, u32 *words) {
  if constexpr (kBytes == 16 && kAlign >= 16) {
    const uint4 value = *static_cast<const uint4 *>(from);
    words[0] = value.x, words[1] = value.y, words[2] = value.z, words[3] = value.w;
  } else if constexpr (kBytes == 8 && kAlign >= 8) {
    const uint2 value = *static_cast<const uint2 *>(from);
    words[0] = value.x, words[1] = value.y;
  } else if constexpr (kBytes > 4) {
    constexpr u32 kHalf = kBytes / 2;
    loadWords<kHalf, smaller(kAlign, kHalf)>(from, words);
    loadWords<kHalf, smaller(kAlign, kHalf)>(static_cast<const u8 *>(from) + kHalf,
                                             words + kHalf / 4);
  } else if constexpr (kAlign >= 4) {
    words[0] = *static_cast<const u32 *>(from);
  } else {
    const u8 *bytes = static_cast<const u8 *>(from);
    words[0] = bytes[0] | u32(bytes[1]) << 8 | u32(bytes[2]) << 16 | u32(bytes[3]) << 24;
  }
}
template <u32 kBytes, u32 kAlign>
BRAID_DEVICE void storeWords(void *to, const u32 *words) {
  if constexpr (kBytes == 16 && kAlign >= 16) {
    *static_cast<uint4 *>(to) = uint4{words[0], words[1], words[2], words[3]};
  } else if constexpr (kBytes == 8 && kAlign >= 8) {
    *static_cast<uint2 *>(to) = uint2{words[0], words[1]};
  } else if constexpr (kBytes > 4) {
    constexpr u32 kHalf = kBytes / 2;
    storeWords<kHalf, smaller(kAlign, kHalf)>(to, words);
    storeWords<kHalf, smaller(kAlign, kHalf)>(static_cast<u8 *>(to) + kHalf, words + kHalf / 4);
  } else if constexpr (kAlign >= 4) {
    *static_cast<u32 *>(to) = words[0];
  } else {
    u8 *bytes = static_cast<u8 *>(to);
    for (u32 i = 0; i < 4; ++i)
      bytes[i] = static_cast<u8>(words[0] >> 8 * i);
  }
}

#else

// The host runs the texts of all targets: both fp8 flavours are encoded in software.
struct NativeFp8 {};
inline constexpr u32 kWaveSize = 64;
inline constexpr bool kRoundsBf16ByInteger = true;

BRAID_DEVICE u32 workgroupId() { return braid_emu_workgroup(); }
BRAID_DEVICE u32 threadId() { return braid_emu_thread(); }
BRAID_DEVICE void barrier() { braid_emu_barrier(); }
BRAID_DEVICE constexpr u32 bitsOf(f32 x) { return __builtin_bit_cast(u32, x); }
BRAID_DEVICE constexpr f32 floatOf(u32 x) { return __builtin_bit_cast(f32, x); }
BRAID_DEVICE f32 mulAdd(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
BRAID_DEVICE f32 squareRoot(f32 x) { return __builtin_sqrtf(x); }
BRAID_DEVICE Pair operator+(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }
BRAID_DEVICE Pair operator-(Pair a, Pair b) { return {a.x - b.x, a.y - b.y}; }
BRAID_DEVICE Pair operator*(Pair a, Pair b) { return {a.x * b.x, a.y * b.y}; }
BRAID_DEVICE Pair operator-(Pair a) { return {-a.x, -a.y}; }
BRAID_DEVICE Pair mulAdd(Pair a, Pair b, Pair c) {
  return {mulAdd(a.x, b.x, c.x), mulAdd(a.y, b.y, c.y)};
}
BRAID_DEVICE bool anyLane(bool x) { return x; }
BRAID_DEVICE f32 settled(f32 x) { return x; }
// Workgroups run on several threads.
BRAID_DEVICE void atomicAdd64(u64 *to, u64 x) { __atomic_fetch_add(to, x, __ATOMIC_RELAXED); }
BRAID_DEVICE void atomicMax64(u64 *to, u64 x) {
  u64 seen = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (seen < x &&
         !__atomic_compare_exchange_n(to, &seen, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

BRAID_DEVICE u32 packedMax(u32 a, u32 b) {
  return larger(a & 0xffff, b & 0xffff) | larger(a >> 16, b >> 16) << 16;
}
BRAID_DEVICE u32 roundBitsBf16(u32 x) { return x + (x >> 16 & 1) + 0x7fff; }
BRAID_DEVICE u32 packBf16ShortNan(f32 low, f32 high) {
  return roundBitsBf16(bitsOf(low)) >> 16 | (roundBitsBf16(bitsOf(high)) & 0xffff0000u);
}
BRAID_DEVICE u32 packBf16(f32 low, f32 high) {
  return packBf16ShortNan(low == low ? low : floatOf(kNanBits),
                          high == high ? high : floatOf(kNanBits));
}

BRAID_DEVICE f32 halfToFloat(u32 bits) {
  const u32 sign = (bits & 0x8000) << 16;
  const u32 magnitude = (bits & 0x7fff) << 13;
  if (magnitude >= 0x0f800000u) // Inf, NaN
    return floatOf(sign | magnitude | kInfinityBits);
  return floatOf(sign | bitsOf(floatOf(magnitude) * 0x1p112f));
}
BRAID_DEVICE u32 floatToHalf(f32 x) {
  const u32 sign = bitsOf(x) >> 16 & 0x8000;
  const u32 magnitude = bitsOf(x) & ~kSignBit;
  if (magnitude > kInfinityBits)
    return sign | 0x7e00;
  if (magnitude <
      0x38800000u) // below 2^-14: the sum's last bit is the smallest f16 subnormal, 2^-24
    return sign | (bitsOf(floatOf(magnitude) + 0.5f) - 0x3f000000u);
  const u32 rounded = (magnitude + (magnitude >> 13 & 1) + 0xfff - 0x38000000u) >> 13;
  return sign | smaller(rounded, 0x7c00);
}
BRAID_DEVICE u32 nativeFp8Word(f32, f32, f32, f32) { return 0; }

template <u32 kDistance>
BRAID_DEVICE u32 laneXor(u32 x) {
  static_assert(isPowerOfTwo(kDistance) && kDistance < kWaveSize,
                "a lane distance is a power of two inside the wave");
  return braid_emu_exchange(x, braid_emu_thread() ^ kDistance);
}
template <u32 kDistance>
BRAID_DEVICE u32 laneButterfly(u32 x) {
  return laneXor<kDistance>(x);
}
template <u32 kLanes>
BRAID_DEVICE u32 laneRead(u32 x, u32 source) {
  if constexpr (kLanes == 1)
    return x;
  else
    return braid_emu_exchange(x, (braid_emu_thread() & ~(kLanes - 1)) | source);
}

template <u32 kBytes, u32 kAlign>
BRAID_DEVICE void loadWords(const void *from, u32 *words) {
  __builtin_memcpy(words, from, kBytes);
}
template <u32 kBytes, u32 kAlign>
BRAID_DEVICE void storeWords(void *to, const u32 *words) {
  __builtin_memcpy(to, words, kBytes);
}

#endif

} // namespace braid
