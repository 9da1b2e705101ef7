// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/layouts/PageLayout.h"

#include "codegen/dialect/Diag.h"
#include "codegen/layouts/LayoutBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace braid {

// The value of an affine expression; -1 for a division by zero, which checkLayout then refuses as an
// address outside the page. Runs once for each byte of a page, hence no attributes.
static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), dims), rhs = evaluate(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add: return lhs + rhs;
  case AffineExprKind::Mul: return lhs * rhs;
  case AffineExprKind::Mod: return rhs > 0 ? llvm::mod(lhs, rhs) : -1;
  case AffineExprKind::CeilDiv: return rhs > 0 ? llvm::divideCeilSigned(lhs, rhs) : -1;
  default: return rhs > 0 ? llvm::divideFloorSigned(lhs, rhs) : -1;
  }
}

int64_t fieldOffset(FieldAttr field, int64_t t, ArrayRef<int64_t> indices) {
  SmallVector<int64_t> dims = {t};
  llvm::append_range(dims, indices);
  return evaluate(field.getMap().getResult(0), dims);
}

LogicalResult forEachElement(FieldAttr field, int64_t pageSize,
                             function_ref<LogicalResult(int64_t, ArrayRef<int64_t>)> visit) {
  ArrayRef<int64_t> extents = field.getExtents();
  int64_t width = 1;
  for (int64_t extent : extents)
    width *= extent;
  SmallVector<int64_t> indices(extents.size());
  for (int64_t t = 0; t < pageSize; ++t) {
    for (int64_t flat = 0; flat < width; ++flat) {
      for (int64_t rest = flat, k = extents.size() - 1; k >= 0; --k) {
        indices[k] = rest % extents[k];
        rest /= extents[k];
      }
      if (failed(visit(t, indices)))
        return failure();
    }
  }
  return success();
}

// `value[t = 3, 17]`
static std::string elementName(FieldAttr field, int64_t t, ArrayRef<int64_t> indices) {
  std::string name = field.getName().str() + "[t = " + std::to_string(t);
  for (int64_t index : indices)
    name += ", " + std::to_string(index);
  return name + "]";
}

// The exhaustive check visits every byte: a bound on what a mistake may cost (0.1 s).
constexpr int64_t kMaxPageBytes = 1 << 22;

LogicalResult checkLayout(LayoutAttr layout, Location loc) {
  if (layout.getPageBytes() > kMaxPageBytes)
    return emitDiag(loc, Diag::layoutTooLarge, layout.getPageBytes(), kMaxPageBytes);
  if (layout.getPageBytes() % layout.getAlignment())
    return emitDiag(loc, Diag::layoutPageAlignment, layout.getPageBytes(), layout.getAlignment());
  // Owner of each byte: 1 + the number of the field.
  std::vector<uint8_t> owner(layout.getPageBytes(), 0);
  for (auto [number, field] : llvm::enumerate(layout.getFields())) {
    int64_t bytes = dtypeBytes(*dtypeOf(isa<Fp8Type>(field.getDtype())
                                            ? Float8E4M3FNType::get(loc.getContext())
                                            : field.getDtype()));
    auto place = [&, number = number, field = field](int64_t t, ArrayRef<int64_t> indices) {
      int64_t first = fieldOffset(field, t, indices);
      if (first < 0 || first + bytes > layout.getPageBytes())
        return emitDiag(loc, Diag::layoutOutside, field.getName().str(),
                        elementName(field, t, indices), first, first + bytes - 1,
                        layout.getPageBytes());
      if (first % bytes)
        return emitDiag(loc, Diag::layoutMisaligned, field.getName().str(),
                        elementName(field, t, indices), first, bytes);
      for (int64_t byte = first; byte < first + bytes; ++byte) {
        if (owner[byte])
          return emitDiag(loc, Diag::layoutOverlap, byte,
                          layout.getFields()[owner[byte] - 1].getName().str(), field.getName().str(),
                          elementName(field, t, indices));
        owner[byte] = number + 1;
      }
      return success();
    };
    if (failed(forEachElement(field, layout.getPageSize(), place)))
      return failure();
  }
  return success();
}

int64_t contiguousElements(FieldAttr field, int64_t pageSize) {
  if (field.getExtents().empty())
    return 1;
  int64_t run = llvm::PowerOf2Ceil(field.getExtents().asArrayRef().back());
  int64_t bytes = isa<Fp8Type>(field.getDtype()) ? 1 : dtypeBytes(*dtypeOf(field.getDtype()));
  // A run of `run` breaks where an element inside it does not follow the one before it.
  int64_t previous = 0;
  (void)forEachElement(field, pageSize, [&](int64_t t, ArrayRef<int64_t> indices) {
    int64_t offset = fieldOffset(field, t, indices);
    if (indices.back() != 0 && offset != previous + bytes)
      run = std::min<int64_t>(run, int64_t(1) << llvm::countr_zero(uint64_t(indices.back())));
    previous = offset;
    return success();
  });
  return run;
}

FailureOr<LayoutAttr> instantiateLayout(MLIRContext *context, StringRef name,
                                        ArrayRef<LayoutArgument> arguments, Location loc) {
  std::string known;
  for (const LayoutSpec &spec : layoutLibrary()) {
    known += (known.empty() ? "" : ", ") + spec.name;
    if (spec.name != name)
      continue;
    LayoutBuilder builder(context, spec, loc);
    if (failed(builder.bindArguments(arguments)) || failed(spec.build(builder)))
      return failure();
    LayoutAttr layout = builder.finish();
    if (failed(checkLayout(layout, loc)))
      return failure();
    return layout;
  }
  return emitDiag(loc, Diag::layoutUnknown, name.str(), known);
}

} // namespace braid
