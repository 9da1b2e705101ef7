// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/grouping/Grouping.h"

#include "codegen/emit/ProgramLocation.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace braid {

// --- the model --------------------------------------------------------------------------------

// The operand that a store writes.
static OperandOp writtenOperand(Operation *store) {
  for (Value value : store->getOperands())
    if (auto operand = value.getDefiningOp<OperandOp>())
      return operand;
  return {};
}

static bool isStorable(ValueType type) {
  ArrayRef<AxisAttr> axes = type.getAxes();
  return isFloatDtype(type.getDtype()) && !axes.empty() && axes.front().isRuntime() &&
         llvm::count_if(axes, [](AxisAttr axis) { return axis.isRuntime(); }) == 1;
}

// The mask of a store; null: it stores all tokens.
static Value maskOf(Operation *store) {
  auto mask = llvm::find_if(store->getOperands(), isMask);
  return mask == store->operand_end() ? Value() : *mask;
}

// For each value the one mask of all stores that depend on it: for other tokens nobody needs it.
// Null where a store has none or another one, and for what the mask itself is made from.
static llvm::DenseMap<Value, Value> commonMasks(Block &body) {
  llvm::DenseMap<Value, Value> masks;
  for (Operation &op : llvm::reverse(body)) {
    const bool stores = hasEffect<MemoryEffects::Write>(&op);
    if (!stores && op.use_empty())
      continue; // a check observes, and has a mask of its own
    auto used =
        llvm::make_filter_range(op.getResults(), [](Value result) { return !result.use_empty(); });
    Value mask = stores ? maskOf(&op) : masks.lookup(*used.begin());
    for (Value result : used)
      if (masks.lookup(result) != mask)
        mask = {};
    for (Value operand : op.getOperands()) {
      auto [entry, added] = masks.try_emplace(operand, isMask(operand) ? Value() : mask);
      if (!added && entry->second != mask)
        entry->second = {};
    }
  }
  return masks;
}

static bool fits(Value mask, ValueType type) {
  return mask && llvm::all_of(cast<ValueType>(mask.getType()).getAxes(), [&](AxisAttr axis) {
           return llvm::is_contained(type.getAxes(), axis);
         });
}

GroupingModel::GroupingModel(KernelOp kernel) {
  SmallVector<Listable> locals, stored;
  const llvm::DenseMap<Value, Value> masks = commonMasks(kernel.getBody().front());
  for (auto [number, op] : llvm::enumerate(kernel.getBody().front())) {
    position[&op] = number;
    if (hasEffect<MemoryEffects::Write>(&op)) {
      Listable listable;
      listable.operand = writtenOperand(&op);
      listable.name = listable.operand.getName().str();
      listable.store = &op;
      listable.mask = maskOf(&op);
      if (isa<TensorType>(listable.operand.getHandle().getType()))
        listable.value = *llvm::find_if(
            op.getOperands(), [](Value value) { return isa<ValueType>(value.getType()); });
      if (listable.mask && masks.lookup(listable.value) != listable.mask)
        listable.value = {}; // somebody needs it for tokens that are not stored
      stored.push_back(std::move(listable));
      continue;
    }
    for (Value result : op.getResults()) {
      auto type = dyn_cast<ValueType>(result.getType());
      std::string name = programName(result);
      if (type && !name.empty() && !hasSingleEffect<MemoryEffects::Read>(&op))
        locals.push_back({std::move(name),
                          result,
                          {},
                          nullptr,
                          isStorable(type),
                          fits(masks.lookup(result), type) ? masks.lookup(result) : Value()});
    }
  }
  // The op that makes an output's value bears the output's name.
  for (Listable &local : locals)
    if (llvm::none_of(stored, [&](const Listable &other) { return other.name == local.name; }))
      all.push_back(std::move(local));
  llvm::append_range(all, stored);
  auto place = [&](const Listable &listable) {
    return position.lookup(listable.value ? listable.value.getDefiningOp() : listable.store);
  };
  llvm::sort(all, [&](const Listable &a, const Listable &b) {
    return std::pair(place(a), StringRef(a.name)) < std::pair(place(b), StringRef(b.name));
  });
}

std::optional<unsigned> GroupingModel::find(StringRef name) const {
  for (auto [number, listable] : llvm::enumerate(all))
    if (listable.name == name)
      return number;
  return std::nullopt;
}

// --- what groups do ---------------------------------------------------------------------------

// The first group that lists a value holds it for the later ones; an output's tensor before a
// workspace.
GroupingModel::Listers GroupingModel::findListers(const Groups &groups) const {
  Listers listers;
  for (auto [group, listed] : llvm::enumerate(groups))
    for (unsigned number : listed) {
      if (!all[number].value)
        continue;
      auto [entry, added] = listers.try_emplace(all[number].value, Lister{group, number});
      if (!added && entry->second.group == group && all[entry->second.listable].isLocal())
        entry->second.listable = number;
    }
  return listers;
}

GroupPlan GroupingModel::planGroup(const Groups &groups, size_t number,
                                   const Listers &listers) const {
  GroupPlan plan;
  plan.stores = groups[number];
  SmallVector<Value> needed;
  auto need = [&](Value value) {
    if (isa<ValueType>(value.getType()) && plan.values.insert(value))
      needed.push_back(value);
  };
  for (unsigned listed : groups[number]) {
    if (all[listed].value)
      need(all[listed].value);
    if (all[listed].mask)
      need(all[listed].mask);
    if (all[listed].store)
      llvm::for_each(all[listed].store->getOperands(), need);
  }
  while (!needed.empty()) {
    Value value = needed.pop_back_val();
    auto lister = listers.find(value);
    if (lister != listers.end() && lister->second.group < number) {
      plan.loads.emplace_back(value, lister->second.listable);
      continue;
    }
    plan.computes.insert(value.getDefiningOp());
    llvm::for_each(value.getDefiningOp()->getOperands(), need);
  }
  return plan;
}

const GroupingModel::Lister *GroupingModel::findLate(const GroupPlan &plan, size_t number,
                                                     const Listers &listers) const {
  for (Value value : plan.values)
    if (auto lister = listers.find(value); lister != listers.end() && lister->second.group > number)
      return &lister->second;
  return nullptr;
}

std::optional<unsigned> GroupingModel::findStale(const GroupPlan &plan,
                                                 const std::vector<unsigned> &earlier) const {
  for (unsigned listed : earlier) {
    OperandOp written = all[listed].operand;
    if (written && llvm::any_of(plan.computes, [&](Operation *op) {
          return hasEffect<MemoryEffects::Read>(op) &&
                 llvm::is_contained(op->getOperands(), written.getHandle());
        }))
      return listed;
  }
  return std::nullopt;
}

std::optional<std::vector<GroupPlan>> GroupingModel::plan(const Groups &groups,
                                                          GroupingProblem *problem) const {
  auto refuse = [&](GroupingProblem found) {
    if (problem)
      *problem = found;
    return std::nullopt;
  };
  std::vector<std::optional<size_t>> listedIn(all.size());
  for (auto [group, listed] : llvm::enumerate(groups))
    for (unsigned number : listed) {
      listedIn[number] = group;
      if (all[number].isLocal() && !all[number].storable)
        return refuse({GroupingProblem::Axes, number, group});
    }
  for (auto [number, listable] : llvm::enumerate(all))
    if (!listable.isLocal() && !listedIn[number])
      return refuse({GroupingProblem::Missing, unsigned(number)});

  Listers listers = findListers(groups);
  std::vector<GroupPlan> plans;
  std::vector<bool> loaded(all.size());
  for (size_t group = 0; group < groups.size(); ++group) {
    plans.push_back(planGroup(groups, group, listers));
    for (auto [value, lister] : plans.back().loads)
      loaded[lister] = true;
    if (const Lister *late = findLate(plans.back(), group, listers))
      return refuse({GroupingProblem::Order, late->listable, late->group, group});
    for (size_t earlier = 0; earlier < group; ++earlier)
      if (std::optional<unsigned> stale = findStale(plans.back(), groups[earlier]))
        return refuse({GroupingProblem::Stale, *stale, earlier, group});
  }
  for (auto [number, listable] : llvm::enumerate(all))
    if (listable.isLocal() && listedIn[number] && !loaded[number])
      return refuse({GroupingProblem::Unused, unsigned(number), *listedIn[number]});
  return plans;
}

// --- the one order ----------------------------------------------------------------------------

// True if `group` may stand behind `before`, with the groups `after` somewhere behind it. A group
// that may stand somewhere may also stand later, so taking one never spoils the rest.
bool GroupingModel::mayFollow(const Groups &before, const std::vector<unsigned> &group,
                              const Groups &after) const {
  // A local that is an output's value too can only be loaded by a group behind its own.
  for (unsigned listed : group)
    for (const std::vector<unsigned> &other : after)
      if (llvm::any_of(other, [&](unsigned number) {
            return all[number].isLocal() && all[number].value == all[listed].value;
          }))
        return false;
  Groups groups = before;
  groups.push_back(group);
  llvm::append_range(groups, after);
  Listers listers = findListers(groups);
  // What an operand holds at entry is read before it is written.
  for (size_t later = before.size() + 1; later < groups.size(); ++later)
    if (findStale(planGroup(groups, later, listers), group))
      return false;
  return !findLate(planGroup(groups, before.size(), listers), before.size(), listers);
}

std::optional<Groups> GroupingModel::ordered(const Groups &groups) const {
  Groups result, rest = groups;
  llvm::sort(rest);
  while (!rest.empty()) {
    size_t next = 0;
    for (; next < rest.size(); ++next) {
      Groups after = rest;
      after.erase(after.begin() + next);
      if (mayFollow(result, rest[next], after))
        break;
    }
    if (next == rest.size())
      return std::nullopt;
    result.push_back(rest[next]);
    rest.erase(rest.begin() + next);
  }
  return plan(result) ? std::optional(result) : std::nullopt;
}

} // namespace braid
