// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/grouping/Sections.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace braid {

using Axes = SmallVector<AxisAttr>;

// The axes that count the rows of a store: those of the operand that has most of them.
static Axes storeAxes(Operation *store, const RowAnalysis &rows) {
  Axes widest;
  for (Value operand : store->getOperands())
    if (rows.leadingAxes(operand).size() > widest.size())
      widest.assign(rows.leadingAxes(operand).begin(), rows.leadingAxes(operand).end());
  return widest;
}

// Everything of the block that `stores` need, except operand declarations, in program order.
static SmallVector<Operation *> slice(Block &block, ArrayRef<Operation *> stores) {
  llvm::SetVector<Operation *> needed(stores.begin(), stores.end());
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands())
      if (Operation *op = operand.getDefiningOp(); !isa<OperandOp>(op))
        needed.insert(op);
  SmallVector<Operation *> ordered;
  for (Operation &op : block)
    if (needed.contains(&op))
      ordered.push_back(&op);
  return ordered;
}

std::vector<SectionPlan> planSections(Block &block, const RowAnalysis &rows) {
  llvm::MapVector<ArrayAttr, SmallVector<Operation *>> stores;
  for (Operation &op : block)
    if (hasEffect<MemoryEffects::Write>(&op)) {
      Axes axes = storeAxes(&op, rows);
      SmallVector<Attribute> key(axes.begin(), axes.end());
      stores[ArrayAttr::get(op.getContext(), key)].push_back(&op);
    }
  std::vector<SectionPlan> plans;
  for (auto &[key, ops] : stores) {
    SectionPlan &plan =
        plans.emplace_back(SectionPlan{{}, ops.front()->getLoc(), slice(block, ops)});
    for (Attribute axis : key)
      plan.axes.push_back(cast<AxisAttr>(axis));
  }
  return plans;
}

llvm::DenseMap<Value, std::optional<bool>> rowsOfSections(Block &block) {
  llvm::DenseMap<Value, std::optional<bool>> known;
  for (const SectionPlan &plan : planSections(block, RowAnalysis(block))) {
    const RowAnalysis rows(plan.ops, plan.axes.size());
    for (Operation *op : plan.ops)
      for (Value value : op->getResults())
        if (auto [entry, added] = known.try_emplace(value, rows.isRow(value));
            !added && entry->second != rows.isRow(value))
          entry->second.reset();
  }
  return known;
}

} // namespace braid
