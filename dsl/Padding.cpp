// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `padding = skip_all(slot)`: each store of a value over the slots' axis gets a mask.
#include "dsl/Builder.h"

#include "codegen/dialect/Diag.h"

#include <fmt/format.h>

using namespace mlir;

namespace braid::dsl {

void Builder::skipAll(const std::string &slot, Where where) {
  paddingSlot = slot;
  paddingPlace = place(where);
  setParameter("padding", fmt::format("skip_all({})", slot));
}

/// The names of the slot tensors of a kernel, for suggestions.
static std::vector<std::string> slotTensors(Block &body) {
  std::vector<std::string> names;
  for (auto store : body.getOps<CacheStoreOp>())
    if (auto load = store.getSlot().getDefiningOp<LoadOp>()) {
      std::string name = load.getTensor().getDefiningOp<OperandOp>().getName().str();
      if (!llvm::is_contained(names, name))
        names.push_back(name);
    }
  return names;
}

/// Declarations come first in the same order, so that a mask may stand before every store.
static void hoistOperands(Block &body) {
  SmallVector<OperandOp> declared(body.getOps<OperandOp>());
  for (OperandOp operand : llvm::reverse(declared))
    operand->moveBefore(&body, body.begin());
}

void Builder::maskStores() {
  Block &body = kernel.getBody().front();
  const std::vector<std::string> slots = slotTensors(body);
  auto known = names.find(paddingSlot);
  const bool isInput = known != names.end() && known->second.kind == NameKind::Input;
  Value slot = isInput ? loads.lookup(known->second.handle) : Value();
  SmallVector<Value> caches;
  for (auto store : body.getOps<CacheStoreOp>())
    if (slot && store.getSlot() == slot)
      caches.push_back(store.getCache());
  if (caches.empty())
    return report(DiagId::paddingSlot, *paddingPlace, paddingSlot,
                  isInput ? "indexes no cache" : "is no input of the kernel",
                  slots.empty() ? "use skip_store: the kernel stores to no cache"
                                : suggest(paddingSlot, slots, "use one of: " + joinNames(slots)));
  auto type = cast<ValueType>(slot.getType());
  if (type.getAxes().size() != 1 || !type.getAxes().front().isRuntime())
    return report(DiagId::paddingAxes, *paddingPlace, paddingSlot, axesStr(type.getAxes()));
  AxisAttr token = type.getAxes().front();

  hoistOperands(body);
  Operation *load = slot.getDefiningOp();
  SmallVector<OperandOp> declared(body.getOps<OperandOp>());
  load->moveAfter(declared.back());
  OpBuilder at(&ctx);
  at.setInsertionPointAfter(load);
  auto mask = InCacheOp::create(at, kernel.getLoc(),
                                ValueType::get(&ctx, type.getAxes(), at.getI1Type()), slot, caches);
  for (Operation &op : body) {
    if (auto store = dyn_cast<StoreOp>(op);
        store && llvm::is_contained(cast<ValueType>(store.getValue().getType()).getAxes(), token))
      store.getMaskMutable().assign(mask);
    if (auto store = dyn_cast<CacheStoreOp>(op);
        store && llvm::is_contained(cast<ValueType>(store.getSlot().getType()).getAxes(), token))
      store.getMaskMutable().assign(mask);
  }
}

} // namespace braid::dsl
