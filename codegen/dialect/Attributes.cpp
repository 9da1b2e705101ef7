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

uint64_t ScheduleAttr::getLaneMask() const {
  uint64_t mask = 0;
  for (auto [bit, letter] : llvm::enumerate(getBits().getValue()))
    if (letter == 'l')
      mask |= uint64_t(1) << bit;
  return mask;
}

int64_t ScheduleAttr::getLanes() const {
  return int64_t(1) << getBits().getValue().count('l');
}

int64_t ScheduleAttr::getChunk() const {
  size_t bits = std::min(getBits().getValue().find('l'), getBits().size());
  return int64_t(1) << bits;
}

} // namespace braid
