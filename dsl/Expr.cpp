// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Expr.h"

#include "dsl/Builder.h"

using namespace mlir;

namespace braid::dsl {

Value Expr::handle() const {
  auto *value = std::get_if<Value>(&payload);
  return value ? *value : Value();
}

Expr Expr::at(Location place) const {
  Expr copy = *this;
  copy.loc = place;
  return copy;
}

Expr Expr::operator[](const Expr &position) const {
  Builder *owner = builder ? builder : position.builder;
  return owner ? owner->gather(*this, position) : Expr();
}

static Number fold(char op, Number a, Number b) {
  const bool integer = a.integer && b.integer && op != '/';
  switch (op) {
  case '+':
    return {a.value + b.value, integer};
  case '-':
    return {a.value - b.value, integer};
  case '*':
    return {a.value * b.value, integer};
  default:
    return {a.value / b.value, false};
  }
}

Expr combine(char op, const Expr &left, const Expr &right) {
  if (!left || !right)
    return {};
  if (left.number() && right.number())
    return fold(op, *left.number(), *right.number());
  Builder *owner = left.builder ? left.builder : right.builder;
  if (!owner)
    return {};
  const char *name = op == '+' ? "add" : op == '-' ? "sub" : op == '*' ? "mul" : "div";
  // An operator has no room for a source location: the latest one named is near enough.
  std::optional<Location> before =
      std::exchange(owner->pinned, owner->pinned ? owner->pinned : owner->latest);
  Expr result = owner->callOne(name, {left, right});
  owner->pinned = before;
  return result;
}

Expr negate(const Expr &value) {
  if (const Number *number = value.number())
    return Number{-number->value, number->integer};
  if (!value)
    return {};
  std::optional<Location> before = std::exchange(
      value.builder->pinned, value.builder->pinned ? value.builder->pinned : value.builder->latest);
  Expr result = value.builder->callOne("neg", {value});
  value.builder->pinned = before;
  return result;
}

} // namespace braid::dsl
