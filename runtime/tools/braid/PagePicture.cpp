// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/PagePicture.h"

#include "codegen/layouts/FieldAddress.h"
#include "codegen/layouts/PageLayout.h"

#include <fmt/format.h>

using namespace mlir;

namespace braid::tool {

constexpr int64_t kLetters = 64, kLines = 16;

std::string fieldLetters(LayoutAttr layout) {
  static constexpr llvm::StringLiteral kAny =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#$%";
  std::string letters;
  for (FieldAttr field : layout.getFields()) {
    const std::string wanted = field.getName().str() + kAny.str();
    const size_t free = StringRef(wanted).find_first_not_of(letters + "_.+");
    letters += wanted[free];
  }
  return letters;
}

int64_t pictureScale(LayoutAttr layout, int64_t buffer) {
  return llvm::divideCeil(layout.getPageBytes()[buffer], kLetters * kLines);
}

std::vector<std::string> pagePicture(LayoutAttr layout, int64_t buffer) {
  const int64_t scale = pictureScale(layout, buffer), bytes = layout.getPageBytes()[buffer];
  const std::string letters = fieldLetters(layout);
  std::string cells(llvm::divideCeil(bytes, scale), '.');
  for (auto [letter, field] : llvm::zip(letters, layout.getFields())) {
    if (field.getBuffer() != buffer)
      continue;
    const int64_t bits = elementBits(field.getDtype()), unit = bits < 8 ? 1 : 8;
    FieldAddress address(field);
    (void)forEachElement(field, layout.getPageSize(),
                         [&, letter = letter](int64_t t, ArrayRef<int64_t> indices) {
                           const int64_t first = address.at(t, indices).value_or(0) * unit;
                           for (int64_t byte = first / 8; byte * 8 < first + bits; ++byte) {
                             char &cell = cells[byte / scale];
                             cell = cell == '.' || cell == letter ? letter : '+';
                           }
                           return success();
                         });
  }
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < cells.size(); begin += kLetters)
    lines.push_back(fmt::format("{:>8} {}", begin * scale, cells.substr(begin, kLetters)));
  return lines;
}

} // namespace braid::tool
