// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/dialect/Braid.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace braid {

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
