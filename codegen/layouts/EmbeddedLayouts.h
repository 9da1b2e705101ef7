// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of library.braid, in the compiler. Constant data.
#pragma once
#include "EmbeddedTemplates.h"

namespace braid {

std::span<const EmbeddedTemplate> embeddedLayouts();

} // namespace braid
