// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/dialect/Braid.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace braid {

LogicalResult FieldAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                                Type dtype, DenseI64ArrayAttr extents, int64_t buffer,
                                AffineMap map) {
  if (!isKnownDtype(dtype))
    return emitError() << "field " << name << ": no dtype of the language: " << dtype;
  if (llvm::any_of(extents.asArrayRef(), [](int64_t extent) { return extent < 1; }) || buffer < 0)
    return emitError() << "field " << name << " needs positive extents and a buffer of at least 0";
  if (map.getNumDims() != extents.size() + 1 || map.getNumSymbols() || map.getNumResults() != 1)
    return emitError() << "field " << name << " needs a map from the token and its "
                       << extents.size() << " indices to one byte offset";
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

int64_t RowBits::lanes() const { return int64_t(1) << (letters.size() - letters.count('r')); }

uint64_t RowBits::laneMask() const {
  uint64_t mask = 0;
  for (auto [bit, letter] : llvm::enumerate(letters))
    if (letter != 'r')
      mask |= uint64_t(1) << bit;
  return mask;
}

int64_t RowBits::chunk() const {
  uint64_t bits = laneMask() | uint64_t(length);
  return bits & -bits;
}

// The element that register `reg` of lane 0 holds.
uint64_t RowBits::registerBase(int64_t reg) const {
  uint64_t base = 0;
  for (auto [bit, letter] : llvm::enumerate(letters))
    if (letter == 'r') {
      base |= uint64_t(reg & 1) << bit;
      reg >>= 1;
    }
  return base;
}

int64_t RowBits::perLane() const {
  int64_t low = 1, high = int64_t(1) << letters.count('r');
  while (low < high) { // bases increase with the register
    int64_t middle = (low + high) / 2;
    if (registerBase(middle) < uint64_t(length))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool RowBits::alwaysPresent(int64_t reg) const {
  return laneMask() + registerBase(reg) < uint64_t(length);
}

SmallVector<RowBits> ScheduleAttr::allBits() const {
  SmallVector<RowBits> all = {{getBits().getValue(), getRow()}};
  for (SideRowAttr side : getSides())
    all.push_back({side.getBits().getValue(), side.getRow()});
  return all;
}

RowBits ScheduleAttr::bits(int64_t length) const {
  SmallVector<RowBits> all = allBits();
  const auto *found = llvm::find_if(all, [&](RowBits bits) { return bits.length == length; });
  return found == all.end() ? all.front() : *found;
}

int64_t ScheduleAttr::getLanes() const { return allBits().front().lanes(); }

} // namespace braid
