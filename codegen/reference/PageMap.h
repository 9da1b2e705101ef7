// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page layout as the comparison of caches sees it: which element covers a byte.

#pragma once

#include "codegen/dialect/Braid.h"
#include "codegen/reference/Compare.h"

namespace braid::reference {

/// The elements of one page of a buffer of `layout`, whose dtypes are concrete.
PageMap pageMap(LayoutAttr layout, int64_t buffer);

} // namespace braid::reference
