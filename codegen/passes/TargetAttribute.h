// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target that a module was resolved for, kept as an attribute of the module.

#pragma once

#include "codegen/targets/Targets.h"

#include "mlir/IR/BuiltinOps.h"

namespace braid {

inline constexpr llvm::StringLiteral kTargetAttribute = "braid.target";

inline void setTarget(mlir::ModuleOp module, const Target &target) {
  module->setAttr(kTargetAttribute,
                  mlir::StringAttr::get(module.getContext(), llvm::StringRef(target.name)));
}

/// The module's target; null before ResolveTarget has run.
inline const Target *getTarget(mlir::ModuleOp module) {
  auto name = module->getAttrOfType<mlir::StringAttr>(kTargetAttribute);
  return name ? lookupTarget(name.getValue()) : nullptr;
}

} // namespace braid
