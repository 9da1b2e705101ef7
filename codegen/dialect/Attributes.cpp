// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/dialect/Braid.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace braid {

LogicalResult FieldAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name, Type dtype,
                                DenseI64ArrayAttr extents, int64_t buffer, AffineMap map) {
  if (!isKnownDtype(dtype))
    return emitError() << "field " << name << ": no dtype of the language: " << dtype;
  if (llvm::any_of(extents.asArrayRef(), [](int64_t extent) { return extent < 1; }) || buffer < 0)
    return emitError() << "field " << name << " needs positive extents and a buffer of at least 0";
  if (map.getNumDims() != extents.size() + 1 || map.getNumSymbols() || map.getNumResults() != 1)
    return emitError() << "field " << name << " needs a map from the token and its " << extents.size()
                       << " indices to one byte offset";
  bool exact = true;
  map.getResult(0).walk(
      [&](AffineExpr expr) { exact &= expr.getKind() != AffineExprKind::CeilDiv; });
  return exact
             ? success()
             : emitError() << "field " << name << ": its map has ceildiv, which no kernel computes";
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                                 int64_t pageSize, ArrayRef<int64_t> pageBytes,
                                 ArrayRef<int64_t> alignment, ArrayRef<FieldAttr> fields) {
  auto positive = [](int64_t value) { return value >= 1; };
  auto powerOfTwo = [](int64_t value) { return value >= 1 && llvm::isPowerOf2_64(value); };
  if (pageSize < 1 || pageBytes.empty() || !llvm::all_of(pageBytes, positive) ||
      !llvm::all_of(alignment, powerOfTwo))
    return emitError() << "layout " << name
                       << " needs a positive page size and bytes, and a power of two as alignment";
  if (alignment.size() != pageBytes.size())
    return emitError() << "layout " << name << " needs bytes and an alignment for each buffer";
  // The number of a field has a byte in the check of a page.
  if (fields.size() > 255)
    return emitError() << "layout " << name << " has more than 255 fields";
  llvm::SmallPtrSet<Attribute, 8> names;
  for (FieldAttr field : fields) {
    if (field.getBuffer() >= static_cast<int64_t>(pageBytes.size()))
      return emitError() << "layout " << name << " has no buffer " << field.getBuffer();
    const int64_t bytes =
        isa<Fp8Type>(field.getDtype()) ? 1 : dtypeBytes(*dtypeOf(field.getDtype()));
    if (alignment[field.getBuffer()] < bytes)
      return emitError() << "layout " << name << " is aligned to less than an element of "
                         << field.getName();
    if (!names.insert(field.getName()).second)
      return emitError() << "layout " << name << " has the field " << field.getName() << " twice";
  }
  return success();
}

FieldAttr LayoutAttr::findField(StringRef name) const {
  const auto *field =
      llvm::find_if(getFields(), [&](FieldAttr field) { return field.getName() == name; });
  return field == getFields().end() ? FieldAttr() : *field;
}

uint64_t RowBits::laneMask() const {
  uint64_t mask = 0;
  for (auto [bit, letter] : llvm::enumerate(letters))
    if (letter == 'l')
      mask |= uint64_t(1) << bit;
  return mask;
}

RowBits ScheduleAttr::bits(int64_t length) const {
  for (StringAttr side : getSides())
    if (RowBits bits{side.getValue()}; bits.length() == length)
      return bits;
  return {getBits().getValue()};
}

int64_t ScheduleAttr::getLanes() const { return RowBits{getBits().getValue()}.lanes(); }

} // namespace braid
