// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/reference/PageMap.h"

#include "codegen/layouts/FieldAddress.h"
#include "codegen/layouts/PageLayout.h"

using namespace mlir;

namespace braid::reference {

PageMap pageMap(LayoutAttr layout, int64_t buffer) {
  auto bytes =
      std::make_shared<std::vector<std::optional<PageElement>>>(layout.getPageBytes()[buffer]);
  for (FieldAttr field : layout.getFields()) {
    if (field.getBuffer() != buffer)
      continue;
    const int64_t perByte = elementBits(field.getDtype()) < 8 ? 8 : 1;
    FieldAddress address(field);
    PageElement element;
    element.dtype = *dtypeOf(field.getDtype());
    element.field = std::string_view(field.getName().getValue());
    (void)forEachElement(field, layout.getPageSize(), [&](int64_t t, ArrayRef<int64_t> indices) {
      element.firstByte = address.at(t, indices).value_or(0) / perByte;
      for (uint64_t i = 0; i < dtypeBytes(element.dtype); ++i)
        (*bytes)[element.firstByte + i] = element;
      return success();
    });
  }
  return [bytes](int64_t byte) { return (*bytes)[byte]; };
}

} // namespace braid::reference
