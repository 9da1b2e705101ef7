// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/layouts/FieldAddress.h"

using namespace mlir;

namespace braid {

constexpr int64_t kConstantLimit = int64_t(1) << 31;
constexpr int64_t kWordLimit = int64_t(1) << 32;

FieldAddress::FieldAddress(FieldAttr field) {
  flatten(field.getMap().getResult(0));
  stack.reserve(steps.size());
}

void FieldAddress::flatten(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return steps.push_back({expr.getKind(), constant.getValue()});
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return steps.push_back({expr.getKind(), dim.getPosition()});
  auto binary = cast<AffineBinaryOpExpr>(expr);
  flatten(binary.getLHS());
  flatten(binary.getRHS());
  steps.push_back({expr.getKind()});
}

std::optional<int64_t> FieldAddress::at(int64_t t, ArrayRef<int64_t> indices) {
  stack.clear();
  for (const Step &step : steps) {
    if (step.kind == AffineExprKind::Constant) {
      // A larger literal would not be a 32-bit one in the text.
      if (step.value <= -kConstantLimit || step.value >= kConstantLimit)
        return std::nullopt;
      stack.push_back(step.value);
      continue;
    }
    if (step.kind == AffineExprKind::DimId) {
      stack.push_back(step.value == 0 ? t : indices[step.value - 1]);
      continue;
    }
    const int64_t rhs = stack.pop_back_val();
    int64_t &lhs = stack.back();
    bool wrong = false;
    switch (step.kind) {
    case AffineExprKind::Add:
      wrong = __builtin_add_overflow(lhs, rhs, &lhs);
      break;
    case AffineExprKind::Mul:
      wrong = __builtin_mul_overflow(lhs, rhs, &lhs);
      break;
    default:
      // Sums and products are right modulo 2^32, whatever comes out in between; these are not.
      wrong = lhs < 0 || lhs >= kWordLimit || rhs <= 0;
      if (!wrong)
        lhs = step.kind == AffineExprKind::Mod ? lhs % rhs : lhs / rhs;
    }
    if (wrong)
      return std::nullopt;
  }
  return stack.back();
}

} // namespace braid
