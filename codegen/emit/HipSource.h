// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole HIP text of a kernel: banner, contraction off, the needed headers of templates/ inlined
// once, then the printed kernel. Includes nothing outside itself.

#pragma once

#include "codegen/emit/HipPrinter.h"

namespace braid {

/// `meta` names kernel and target, and receives the line map (lines of the returned text).
mlir::FailureOr<std::string> makeHipSource(mlir::emitc::FuncOp function, KernelMeta &meta);

} // namespace braid
