// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a `layout` block to the specification that the compiler instantiates: the block is evaluated
// under bound arguments, straight into a LayoutBuilder. Stateless.

#pragma once

#include "codegen/layouts/PageLayout.h"
#include "dsl/LayoutDefinition.h"

namespace braid {

/// One specification a definition. The definitions must outlive them.
std::vector<LayoutSpec> layoutSpecs(const std::vector<dsl::LayoutDefinition> &definitions,
                                    bool ofProgram);

} // namespace braid
