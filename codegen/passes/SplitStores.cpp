// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/passes/Passes.h"

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_SPLITSTORES
#include "codegen/passes/Passes.h.inc"

namespace {
struct SplitStoresPass : impl::SplitStoresBase<SplitStoresPass> {
  // A part must be exact in the tensor's dtype, have the leading axes of the whole row, and begin
  // on a byte.
  static bool isStorable(Value part, ValueType whole) {
    auto type = cast<ValueType>(part.getType());
    return type.getDtype() == whole.getDtype() && !isPackedDtype(type.getDtype()) &&
           type.getAxes().drop_back() == whole.getAxes().drop_back();
  }

  static void split(StoreOp store) {
    auto joined = store.getValue().getDefiningOp<RowOpInterface>();
    SmallVector<Value> parts;
    if (joined)
      joined.getJoinedRows(parts);
    auto whole = cast<ValueType>(store.getValue().getType());
    if (parts.empty() || !llvm::all_of(parts, [&](Value part) { return isStorable(part, whole); }))
      return;
    OpBuilder b(store);
    int64_t begin = store.getBegin().value_or(0);
    for (Value part : parts) {
      StoreOp::create(b, store.getLoc(), part, store.getTensor(), store.getMask(),
                      b.getI64IntegerAttr(begin));
      begin += cast<ValueType>(part.getType()).getAxes().back().getExtent();
    }
    store.erase();
    if (joined->use_empty())
      joined->erase();
  }

  void runOnOperation() override {
    SmallVector<StoreOp> stores;
    getOperation().walk([&](StoreOp store) { stores.push_back(store); });
    llvm::for_each(stores, split);
  }
};
} // namespace

} // namespace braid
