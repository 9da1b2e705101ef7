// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a C++ program handles: values, op arguments, extents. Small values that are passed by copy;
// an Expr borrows the Builder that made it.

#pragma once

#include "codegen/dialect/Braid.h"
#include "codegen/dialect/OpTable.h"

namespace braid::dsl {

class Builder;

/// An int parameter: as an extent it names an axis, in an expression it is a number.
struct IntParam {
  std::string name;
  int64_t value = 0;
  operator int64_t() const { return value; }
};

class Expr;
/// `left op right` for op in + - * /. Two numbers fold in double; `/` divides as reals.
Expr combine(char op, const Expr &left, const Expr &right);
Expr negate(const Expr &value);

/// A handle on a number, on a value or on an operand. An operand is loaded where it is used as a
/// value. Default constructed: null, as after an error.
class Expr {
public:
  Expr() = default;
  Expr(int number) : payload(Number{double(number), true}) {}
  Expr(int64_t number) : payload(Number{double(number), true}) {}
  Expr(double number) : payload(Number{number, false}) {}
  Expr(Number number) : payload(number) {}
  Expr(const IntParam &param) : Expr(param.value) {}
  Expr(Builder *builder, mlir::Value value) : builder(builder), payload(value) {}

  explicit operator bool() const { return !std::holds_alternative<std::monostate>(payload); }
  const Number *number() const { return std::get_if<Number>(&payload); }
  /// The IR value or operand handle; null for numbers and after errors.
  mlir::Value handle() const;
  /// The same, with a place of its own: errors about it, and its load, go there.
  Expr at(mlir::Location place) const;
  Builder *owner() const { return builder; }
  mlir::Location place(mlir::Location otherwise) const { return loc.value_or(otherwise); }

  /// `table[pos]`: rows of an input table.
  Expr operator[](const Expr &position) const;

  // Found only through an Expr, so that arithmetic on parameters alone stays integer arithmetic.
  friend Expr operator+(const Expr &a, const Expr &b) { return combine('+', a, b); }
  friend Expr operator-(const Expr &a, const Expr &b) { return combine('-', a, b); }
  friend Expr operator*(const Expr &a, const Expr &b) { return combine('*', a, b); }
  friend Expr operator/(const Expr &a, const Expr &b) { return combine('/', a, b); }
  friend Expr operator-(const Expr &a) { return negate(a); }

private:
  friend class Builder;
  friend Expr combine(char op, const Expr &left, const Expr &right);
  friend Expr negate(const Expr &value);

  Builder *builder = nullptr;
  std::variant<std::monostate, Number, mlir::Value> payload;
  std::optional<mlir::Location> loc;
};

/// One argument of an op call, as the caller gives it.
struct Arg {
  template <typename T>
    requires std::is_constructible_v<Expr, T>
  Arg(const T &value) : payload(Expr(value)) {}
  Arg(IntRange range) : payload(range) {}
  Arg(Word word) : payload(std::move(word)) {}
  Arg(const char *word) : payload(Word{word, {}}) {}
  Arg(const std::string &word) : payload(Word{word, {}}) {}
  Arg(mlir::Type dtype) : payload(dtype) {}

  std::string keyword = {};
  std::variant<Expr, IntRange, Word, mlir::Type> payload;
  std::optional<mlir::Location> loc = {};
};

/// The argument `keyword = value`.
inline Arg kw(std::string keyword, Arg value) {
  value.keyword = std::move(keyword);
  return value;
}

/// One axis of an operand: a name (a declared axis, or the leading axis of an indexed table), an
/// int parameter (a named constant extent) or a number (unnamed).
struct Extent {
  Extent(const char *name) : name(name) {}
  Extent(std::string name) : name(std::move(name)) {}
  Extent(const IntParam &param) : name(param.name), extent(param.value) {}
  Extent(int extent) : extent(extent) {}
  Extent(int64_t extent) : extent(extent) {}

  std::string name = {};
  std::optional<int64_t> extent = {};
  std::optional<mlir::Location> loc = {};
};

/// `field: value` of a cache entry.
struct EntryField {
  std::string name;
  Expr value;
  std::optional<mlir::Location> loc = {};
};

} // namespace braid::dsl
