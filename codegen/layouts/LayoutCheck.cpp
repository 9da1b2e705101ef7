// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exhaustive check of a layout: who owns each half byte of each buffer's page.

#include "codegen/layouts/PageLayout.h"

#include "codegen/dialect/Diag.h"
#include "codegen/layouts/FieldAddress.h"

#include <numeric>

using namespace mlir;

namespace braid {

// `value[t = 3, 17]`
static std::string elementName(FieldAttr field, int64_t t, ArrayRef<int64_t> indices) {
  std::string name = field.getName().str() + "[t = " + std::to_string(t);
  for (int64_t index : indices)
    name += ", " + std::to_string(index);
  return name + "]";
}

// The check visits every element: a bound on what a mistake may cost (0.2 s).
constexpr int64_t kMaxPageBytes = 1 << 22;
// The smallest elements have 4 bits.
constexpr int64_t kUnitBits = 4;

static LogicalResult checkSizes(LayoutAttr layout, Location loc) {
  int64_t total = 0;
  for (auto [bytes, alignment] : llvm::zip(layout.getPageBytes(), layout.getAlignment())) {
    total = std::min(kMaxPageBytes, total) + std::min(kMaxPageBytes + 1, bytes);
    if (total > kMaxPageBytes)
      return emitDiag(loc, Diag::layoutTooLarge, bytes, kMaxPageBytes);
    if (bytes % alignment)
      return emitDiag(loc, Diag::layoutPageAlignment, bytes, alignment);
  }
  return success();
}

// Claims the units of one field in its buffer: 1 + the number of the field in `owner`.
static LogicalResult claim(LayoutAttr layout, size_t number, MutableArrayRef<uint8_t> owner,
                           Location loc) {
  FieldAttr field = layout.getFields()[number];
  const std::string name = field.getName().str();
  const int64_t bits = elementBits(field.getDtype()),
                pageBytes = layout.getPageBytes()[field.getBuffer()];
  const int64_t unit = bits < 8 ? 1 : 8; // of the map, in bits
  const std::string where = layout.getPageBytes().size() == 1
                                ? std::string()
                                : " of buffer " + std::to_string(field.getBuffer());
  FieldAddress address(field);
  return forEachElement(field, layout.getPageSize(), [&](int64_t t, ArrayRef<int64_t> indices) {
    const std::optional<int64_t> place = address.at(t, indices);
    if (!place)
      return emitDiag(loc, Diag::layoutArithmetic, name, elementName(field, t, indices));
    if (*place < 0 || *place > pageBytes * 8 || *place * unit + bits > pageBytes * 8) {
      const int64_t first = bits < 8 ? llvm::divideFloorSigned(*place, 8) : *place;
      const int64_t last =
          first > INT64_MAX / 2 ? first : first + std::max<int64_t>(1, bits / 8) - 1;
      return emitDiag(loc, Diag::layoutOutside, name, elementName(field, t, indices), first, last,
                      pageBytes, where);
    }
    const int64_t firstBit = *place * unit;
    if (firstBit % bits)
      return emitDiag(loc, Diag::layoutMisaligned, name, elementName(field, t, indices),
                      bits < 8 ? "bit" : "byte", *place, bits / unit);
    for (int64_t i = firstBit / kUnitBits; i < (firstBit + bits) / kUnitBits; ++i) {
      if (owner[i])
        return emitDiag(loc, Diag::layoutOverlap, i * kUnitBits / 8,
                        layout.getFields()[owner[i] - 1].getName().str(), name,
                        elementName(field, t, indices), where);
      owner[i] = number + 1;
    }
    return success();
  });
}

LogicalResult checkLayout(LayoutAttr layout, Location loc, ArrayRef<Location> fields) {
  if (failed(checkSizes(layout, loc)))
    return failure();
  std::vector<std::vector<uint8_t>> owners;
  for (int64_t bytes : layout.getPageBytes())
    owners.emplace_back(bytes * 8 / kUnitBits, 0);
  for (auto [number, field] : llvm::enumerate(layout.getFields()))
    if (failed(claim(layout, number, owners[field.getBuffer()],
                     number < fields.size() ? fields[number] : loc)))
      return failure();
  return success();
}

} // namespace braid
