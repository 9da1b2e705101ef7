// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/reference/PageMap.h"

#include "codegen/layouts/PageLayout.h"

using namespace mlir;

namespace braid::reference {

PageMap pageMap(LayoutAttr layout) {
  auto bytes = std::make_shared<std::vector<std::optional<PageElement>>>(layout.getPageBytes());
  for (FieldAttr field : layout.getFields()) {
    PageElement element;
    element.dtype = *dtypeOf(field.getDtype());
    element.field = std::string_view(field.getName().getValue());
    (void)forEachElement(field, layout.getPageSize(), [&](int64_t t, ArrayRef<int64_t> indices) {
      element.firstByte = fieldOffset(field, t, indices);
      for (uint64_t i = 0; i < dtypeBytes(element.dtype); ++i)
        (*bytes)[element.firstByte + i] = element;
      return success();
    });
  }
  return [bytes](int64_t byte) { return (*bytes)[byte]; };
}

} // namespace braid::reference
