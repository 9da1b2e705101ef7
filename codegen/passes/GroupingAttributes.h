// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the module remembers of a program that FormGroups has cut into several kernels: its name,
// the grouping in canonical text, the order of its operands, and that of its checks.

#pragma once

#include "codegen/dialect/Braid.h"

#include "mlir/IR/BuiltinOps.h"

namespace braid {

inline constexpr llvm::StringLiteral kProgramAttribute = "braid.program",
                                     kGroupingAttribute = "braid.grouping",
                                     kOperandsAttribute = "braid.operands",
                                     kChecksAttribute = "braid.checks";

inline void rememberGrouping(KernelOp program, llvm::StringRef grouping) {
  auto module = program->getParentOfType<mlir::ModuleOp>();
  mlir::Builder builder(program.getContext());
  llvm::SmallVector<mlir::Attribute> names;
  for (OperandOp operand : program.getBody().getOps<OperandOp>()) {
    auto cache = mlir::dyn_cast<CacheType>(operand.getHandle().getType());
    size_t buffers = cache ? cache.getLayout().getBuffers() : 1;
    for (size_t buffer = 0; buffer < buffers; ++buffer)
      names.push_back(builder.getStringAttr(bufferName(operand.getName(), buffer, buffers)));
  }
  module->setAttr(kProgramAttribute, program.getSymNameAttr());
  module->setAttr(kGroupingAttribute, builder.getStringAttr(grouping));
  module->setAttr(kOperandsAttribute, builder.getArrayAttr(names));
  if (program.getChecks())
    module->setAttr(kChecksAttribute, *program.getChecks());
}

} // namespace braid
