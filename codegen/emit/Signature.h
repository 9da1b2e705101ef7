// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch signature of a scheduled kernel: its operands and arguments as metadata. The one place
// that knows their order; the lowering and the metadata both come from here.

#pragma once

#include "codegen/dialect/Braid.h"
#include "codegen/grouping/Schedule.h"
#include "runtime/KernelMeta.h"

namespace braid {

struct Target;

/// Metadata of `kernel`, whose sections have schedules; the line map is added by the printer.
KernelMeta kernelMeta(KernelOp kernel, const Target &target);

/// The pairs of names in `checks` of a kernel.
std::vector<CheckMeta> checkMetas(mlir::ArrayAttr checks);

/// The descriptor of a layout whose dtypes are concrete.
LayoutMeta layoutMeta(LayoutAttr layout);

/// The kernel's symbol in the text and the code object.
std::string kernelSymbol(KernelOp kernel);

/// The name of the C argument that holds the number of `axis` indices.
std::string countArgument(llvm::StringRef axis);

/// Bytes to which a row of `tensor` must be aligned for accesses to the part of it that begins at
/// `begin` and lies as `bits` say; the part's own address is aligned to as many.
unsigned rowAlignment(TensorType tensor, RowBits bits, int64_t begin);

/// Bytes to which the rows of a gathered table are aligned: what its row length implies, at
/// most 16.
unsigned tableAlignment(TensorType table);

} // namespace braid
