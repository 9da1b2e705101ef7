// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the text of a grouping to groups of a kernel, with diagnostics at the place of each name: in
// the option's text, or in the program for the grouping of a preset.

#pragma once

#include "codegen/grouping/Grouping.h"

namespace braid {

/// The file name that diagnostics give to the text of the option.
inline constexpr llvm::StringLiteral kGroupingOption = "--grouping";

/// Leaves a preset's grouping, which stands at `at`, with the kernel.
void setPresetGrouping(KernelOp kernel, llvm::StringRef text, mlir::Location at);

/// The legal groups that `option`, or without it the kernel's preset, or neither (fused) asks for,
/// in canonical order.
mlir::FailureOr<Groups> resolveGrouping(KernelOp kernel, const GroupingModel &model,
                                        llvm::StringRef option);

} // namespace braid
