// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/reference/RandomInputs.h"

#include "codegen/reference/FloatFormat.h"
#include "runtime/NpzErrors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_map>

namespace braid::reference {
namespace {

/// splitmix64's finaliser: any counter gives well-mixed bits, so element i needs no i - 1.
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// Random numbers of one element, in order.
class Stream {
public:
  Stream(uint64_t seed, uint64_t element) : state(mix(seed ^ mix(element))) {}

  uint64_t bits() { return state = mix(state); }
  /// 0..bound-1; the bias of the remainder does not matter here.
  uint64_t below(uint64_t bound) { return bits() % bound; }
  bool oneIn(uint64_t count) { return below(count) == 0; }
  /// In [-1, 1), a multiple of 2^-31.
  double signedUnit() { return static_cast<double>(static_cast<int32_t>(bits() >> 32)) * 0x1p-31; }

private:
  uint64_t state;
};

enum class RowKind : uint8_t { Plain, Zero, Tiny, Huge, Ties, OneNan, OneInfinity };

/// Special rows are spread by row number so that a handful of rows shows several kinds.
RowKind kindOf(uint64_t seed, int64_t row, bool nonfinite) {
  switch ((static_cast<uint64_t>(row) + seed) % 16) {
  case 1:
    return RowKind::Zero;
  case 4:
    return RowKind::Tiny;
  case 6:
    return RowKind::Huge;
  case 9:
    return RowKind::Ties;
  case 11:
    return nonfinite ? RowKind::OneNan : RowKind::Plain;
  case 14:
    return nonfinite ? RowKind::OneInfinity : RowKind::Plain;
  default:
    return RowKind::Plain;
  }
}

/// Powers of two that bring plain values near the ends of the type's range.
struct Reach {
  double tiny, huge;
};

Reach reachOf(std::optional<DType> dtype) {
  return dtype == DType::F16 ? Reach{0x1p-22, 0x1p+3} : Reach{0x1p-130, 0x1p+110};
}

double activation(Stream &random, uint64_t seed, RowKind kind, Reach reach, int64_t column,
                  int64_t columns) {
  // The sum of uniforms is nearly normal, and exact, so the order of the calls is no matter; the
  // power of two gives the heavy tail.
  double value = random.signedUnit() + random.signedUnit() + random.signedUnit();
  for (int k = 0; k < 6 && random.oneIn(4); ++k)
    value *= 2;
  if (Stream(seed, ~static_cast<uint64_t>(column)).oneIn(32)) // the same columns in every row
    value *= 24;
  const auto chosen = static_cast<int64_t>(mix(seed) % static_cast<uint64_t>(columns));
  switch (kind) {
  case RowKind::Plain:
    return value;
  case RowKind::Zero:
    return random.oneIn(2) ? 0.0 : -0.0;
  case RowKind::Tiny:
    return value * reach.tiny;
  case RowKind::Huge:
    return value * reach.huge;
  case RowKind::Ties: { // odd numbers of five bits: halfway between values of a three-bit fraction
    const auto odd = static_cast<double>(17 + 2 * random.below(8));
    const int exponent = -static_cast<int>(random.below(6));
    return std::ldexp(std::copysign(odd, value), exponent);
  }
  case RowKind::OneNan:
    return column == chosen ? std::numeric_limits<double>::quiet_NaN() : value;
  case RowKind::OneInfinity:
    return column == chosen ? std::copysign(std::numeric_limits<double>::infinity(), value) : value;
  }
  return value;
}

double weight(Stream &random) {
  if (random.oneIn(32))
    return random.oneIn(2) ? 0.0 : -0.75;
  return 1.0 + 0.25 * random.signedUnit();
}

/// A cosine or sine by the half angle's tangent, which needs no library whose last bit varies.
double angle(Stream &random) {
  if (random.oneIn(16))
    return static_cast<double>(random.below(3)) - 1.0;
  const double t = random.signedUnit();
  const double sine = 2 * t / (1 + t * t), cosine = (1 - t * t) / (1 + t * t);
  const double value = random.oneIn(2) ? sine : cosine;
  return random.oneIn(2) ? value : -value;
}

int64_t position(Stream &random, int64_t rows, int64_t highest) {
  if (!random.oneIn(8))
    return static_cast<int64_t>(random.below(static_cast<uint64_t>(std::max<int64_t>(rows, 1))));
  const int64_t outside[] = {-1, rows, -highest - 1, highest, rows + 1000};
  return outside[random.below(std::size(outside))];
}

/// Draws slots without repetition: a shuffle of 0..capacity-1 of which only the moved places are
/// kept, so a large cache costs nothing.
class SlotDeck {
public:
  SlotDeck(uint64_t seed, int64_t capacity) : seed(seed), capacity(capacity) {}

  int64_t draw() {
    if (taken >= capacity)
      return -1;
    Stream random(seed, static_cast<uint64_t>(taken));
    const int64_t place =
        taken + static_cast<int64_t>(random.below(static_cast<uint64_t>(capacity - taken)));
    const int64_t slot = at(place);
    moved[place] = at(taken);
    ++taken;
    return slot;
  }

private:
  int64_t at(int64_t place) const {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  }

  uint64_t seed;
  int64_t capacity;
  int64_t taken = 0;
  std::unordered_map<int64_t, int64_t> moved;
};

int64_t slot(Stream &random, SlotDeck &deck, int64_t capacity, int64_t highest) {
  if (!random.oneIn(4))
    return deck.draw();
  const int64_t notStored[] = {-1, -1, capacity, -highest - 1, highest};
  return notStored[random.below(std::size(notStored))];
}

bool fits(OperandRole role, std::optional<DType> dtype) {
  switch (role) {
  case OperandRole::Activation:
  case OperandRole::Weight:
  case OperandRole::AngleTable:
    return dtype == DType::F32 || dtype == DType::BF16 || dtype == DType::F16;
  case OperandRole::Position:
  case OperandRole::Slot:
    return dtype == DType::I32 || dtype == DType::I64;
  case OperandRole::Poison:
    return true;
  }
  return false;
}

std::string_view roleName(OperandRole role) {
  constexpr std::string_view kNames[] = {"activation", "weight", "angle table",
                                         "position",   "slot",   "poison"};
  return kNames[static_cast<unsigned>(role)];
}

} // namespace

uint64_t seedFor(uint64_t seed, std::string_view operand) {
  for (char letter : operand)
    seed = mix(seed ^ static_cast<unsigned char>(letter));
  return mix(seed);
}

Status fillRandom(const HostArray &array, OperandRole role, const RandomOptions &options) {
  if (!fits(role, array.dtype))
    return makeError(NpzError::NpzMemberType,
                     fmt::format("an operand of type {} cannot be filled as {}", array.typeName(),
                                 roleName(role)),
                     "values need f32, bf16 or f16, positions and slots i32 or i64",
                     "fill it as poison, or change the operand's type");
  const int64_t columns = array.extents.empty() ? 1 : std::max<int64_t>(array.extents.back(), 1);
  const int64_t highest = array.dtype == DType::I32 ? std::numeric_limits<int32_t>::max()
                                                    : std::numeric_limits<int64_t>::max();
  const Reach reach = reachOf(array.dtype);
  SlotDeck deck(options.seed, options.capacity);
  const auto valueBits = [&](double value) {
    return encode(*array.dtype, static_cast<float>(value));
  };
  const int64_t count = array.elementCount();
  for (int64_t flat = 0; flat < count; ++flat) {
    Stream random(options.seed, static_cast<uint64_t>(flat));
    uint64_t bits = 0;
    switch (role) {
    case OperandRole::Activation: {
      const RowKind kind = kindOf(options.seed, flat / columns, options.nonfinite);
      bits = valueBits(activation(random, options.seed, kind, reach, flat % columns, columns));
      break;
    }
    case OperandRole::Weight:
      bits = valueBits(weight(random));
      break;
    case OperandRole::AngleTable:
      bits = valueBits(angle(random));
      break;
    case OperandRole::Position:
      bits = static_cast<uint64_t>(position(random, options.tableRows, highest));
      break;
    case OperandRole::Slot:
      bits = static_cast<uint64_t>(slot(random, deck, options.capacity, highest));
      break;
    case OperandRole::Poison:
      bits = random.bits();
      break;
    }
    array.storeBits(array.offsetOf(flat), bits);
  }
  return {};
}

} // namespace braid::reference
