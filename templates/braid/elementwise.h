// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops on fragments and scalars, in f32; each is one IEEE operation. Operators serve + -
// * / and negation.
#pragma once
#include "braid/device.h"
#include "braid/row.h"

namespace braid {

// Operand i of an elementwise op: an element of a fragment, or the scalar itself.
template <class T, u32 N>
BRAID_DEVICE f32 operandAt(const Frag<T, N> &x, u32 i) {
  return elementAt(x, i);
}
BRAID_DEVICE f32 operandAt(f32 x, u32) { return x; }

// How many elements an operand has; 0 for a scalar.
template <class T>
struct OperandCount {
  static constexpr u32 value = 0;
};
template <class T, u32 N>
struct OperandCount<Frag<T, N>> {
  static constexpr u32 value = N;
};

template <bool kEnable>
struct EnableIf {};
template <>
struct EnableIf<true> {
  using Type = int;
};

// Matches calls with at least one fragment, all of one length.
template <class A, class B>
inline constexpr u32 kCountOf = larger(OperandCount<A>::value, OperandCount<B>::value);
template <class A, class B>
using IfFrag = typename EnableIf<(kCountOf<A, B> > 0)>::Type;

template <class A, class B, class Op>
BRAID_DEVICE Frag<f32, kCountOf<A, B>> elementwise(const A &a, const B &b, Op op) {
  constexpr u32 kA = OperandCount<A>::value, kB = OperandCount<B>::value, kN = kCountOf<A, B>;
  static_assert((kA == 0 || kA == kN) && (kB == 0 || kB == kN), "fragments of different length");
  Frag<f32, kN> result;
#pragma unroll
  for (u32 i = 0; i < kN; ++i)
    result.values[i] = op(operandAt(a, i), operandAt(b, i));
  return result;
}

struct AddOp {
  BRAID_DEVICE f32 operator()(f32 a, f32 b) const { return a + b; }
};
struct SubtractOp {
  BRAID_DEVICE f32 operator()(f32 a, f32 b) const { return a - b; }
};
struct MultiplyOp {
  BRAID_DEVICE f32 operator()(f32 a, f32 b) const { return a * b; }
};
struct DivideOp {
  BRAID_DEVICE f32 operator()(f32 a, f32 b) const { return a / b; }
};

template <class A, class B, IfFrag<A, B> = 0>
BRAID_DEVICE auto operator+(const A &a, const B &b) {
  return elementwise(a, b, AddOp());
}
template <class A, class B, IfFrag<A, B> = 0>
BRAID_DEVICE auto operator-(const A &a, const B &b) {
  return elementwise(a, b, SubtractOp());
}
template <class A, class B, IfFrag<A, B> = 0>
BRAID_DEVICE auto operator*(const A &a, const B &b) {
  return elementwise(a, b, MultiplyOp());
}
template <class A, class B, IfFrag<A, B> = 0>
BRAID_DEVICE auto operator/(const A &a, const B &b) {
  return elementwise(a, b, DivideOp());
}

template <class T, u32 N>
BRAID_DEVICE Frag<f32, N> operator-(const Frag<T, N> &x) {
  Frag<f32, N> result;
#pragma unroll
  for (u32 i = 0; i < N; ++i)
    result.values[i] = -elementAt(x, i);
  return result;
}

BRAID_DEVICE f32 absOf(f32 x) { return floatOf(bitsOf(x) & ~kSignBit); }
template <class T, u32 N>
BRAID_DEVICE Frag<f32, N> absOf(const Frag<T, N> &x) {
  Frag<f32, N> result;
#pragma unroll
  for (u32 i = 0; i < N; ++i)
    result.values[i] = absOf(elementAt(x, i));
  return result;
}

// The operand that is not NaN; +0 is larger than -0.
BRAID_DEVICE f32 maxOf(f32 a, f32 b) {
  const f32 equal = floatOf(bitsOf(a) & bitsOf(b));
  const f32 ordered = a > b ? a : a == b ? equal : b;
  return a != a ? b : b != b ? a : ordered;
}
BRAID_DEVICE f32 minOf(f32 a, f32 b) {
  const f32 equal = floatOf(bitsOf(a) | bitsOf(b));
  const f32 ordered = a < b ? a : a == b ? equal : b;
  return a != a ? b : b != b ? a : ordered;
}

struct MaxOp {
  BRAID_DEVICE f32 operator()(f32 a, f32 b) const { return maxOf(a, b); }
};
struct MinOp {
  BRAID_DEVICE f32 operator()(f32 a, f32 b) const { return minOf(a, b); }
};
template <class A, class B, IfFrag<A, B> = 0>
BRAID_DEVICE auto maxOf(const A &a, const B &b) {
  return elementwise(a, b, MaxOp());
}
template <class A, class B, IfFrag<A, B> = 0>
BRAID_DEVICE auto minOf(const A &a, const B &b) {
  return elementwise(a, b, MinOp());
}

BRAID_DEVICE f32 fmaOf(f32 a, f32 b, f32 c) { return mulAdd(a, b, c); }
template <class A, class B, class C,
          typename EnableIf<(larger(kCountOf<A, B>, OperandCount<C>::value) > 0)>::Type = 0>
BRAID_DEVICE auto fmaOf(const A &a, const B &b, const C &c) {
  constexpr u32 kN = larger(kCountOf<A, B>, OperandCount<C>::value);
  Frag<f32, kN> result;
#pragma unroll
  for (u32 i = 0; i < kN; ++i)
    result.values[i] = mulAdd(operandAt(a, i), operandAt(b, i), operandAt(c, i));
  return result;
}

} // namespace braid
