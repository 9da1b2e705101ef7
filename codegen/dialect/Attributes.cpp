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
  return success();
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                                 int64_t pageSize, int64_t pageBytes, int64_t alignment,
                                 ArrayRef<FieldAttr>) {
  if (pageSize < 1 || pageBytes < 1 || alignment < 1 || !llvm::isPowerOf2_64(alignment))
    return emitError() << "layout " << name
                       << " needs a positive page size and bytes, and a power of two as alignment";
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
