// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groupings that have a name, all of them, one by chance; and their text.
#include "codegen/grouping/Grouping.h"

#include "runtime/ProgramMeta.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace braid {

Groups GroupingModel::fused() const {
  Groups groups(1);
  for (auto [number, listable] : llvm::enumerate(all))
    if (!listable.isLocal())
      groups[0].push_back(number);
  return groups;
}

// The op whose kernel makes `value`: the op itself, or the one whose result it rounds.
static Operation *rootOf(Value value) {
  Operation *op = value.getDefiningOp();
  auto row = dyn_cast_or_null<RowOpInterface>(op);
  while (row && !row.standsAlone() && row.isRoundingPoint() && op->getOperand(0).hasOneUse()) {
    op = op->getOperand(0).getDefiningOp();
    row = dyn_cast_or_null<RowOpInterface>(op);
  }
  return row && row.standsAlone() ? op : nullptr;
}

// True for a local that leaves its op's own kernel: some other kernel needs it.
bool GroupingModel::leavesItsKernel(const Listable &local, Operation *root) const {
  auto isListed = [&](Value value, bool outputsOnly) {
    return llvm::any_of(all, [&](const Listable &other) {
      return other.value == value && !(outputsOnly && other.isLocal());
    });
  };
  if (!root || !local.storable || local.value.use_empty() ||
      isListed(local.value, /*outputsOnly=*/true))
    return false;
  // A rounding point behind the op is part of its kernel and stands for it.
  Operation *user = *local.value.getUsers().begin();
  return !(local.value.hasOneUse() && user->getNumResults() == 1 &&
           rootOf(user->getResult(0)) == root &&
           isListed(user->getResult(0), /*outputsOnly=*/false));
}

Groups GroupingModel::unfused() const {
  Groups groups;
  llvm::DenseMap<Operation *, size_t> groupOf;
  for (auto [number, listable] : llvm::enumerate(all)) {
    Operation *root = listable.value ? rootOf(listable.value) : nullptr;
    if (listable.isLocal() && !leavesItsKernel(listable, root))
      continue;
    auto [entry, added] = groupOf.try_emplace(root ? root : listable.store, groups.size());
    if (added)
      groups.emplace_back();
    groups[entry->second].push_back(number);
  }
  // Program order is an order of dependence, so one is legal.
  return ordered(groups).value_or(fused());
}

std::string GroupingModel::text(ArrayRef<unsigned> group) const {
  std::vector<std::string> names;
  for (unsigned number : group)
    names.push_back(all[number].name);
  llvm::sort(names);
  return llvm::join(names, ", ");
}

std::string GroupingModel::text(const Groups &groups) const {
  if (groups.size() == 1)
    return std::string(kFusedGrouping);
  std::string text;
  for (const std::vector<unsigned> &group : groups)
    text += (text.empty() ? "" : " | ") + this->text(group);
  return text;
}

// Each listable goes to one of the groups so far, to the next new one, or (a local) to none.
void GroupingModel::enumerate(size_t count, llvm::function_ref<void(const Groups &)> visit) const {
  Groups groups;
  auto place = [&](auto &self, unsigned number) -> void {
    if (number == all.size()) {
      if (groups.size() == count)
        if (std::optional<Groups> canonical = ordered(groups))
          visit(*canonical);
      return;
    }
    if (all[number].isLocal())
      self(self, number + 1);
    if (all[number].isLocal() && !all[number].storable)
      return;
    for (size_t group = 0; group < groups.size(); ++group) {
      groups[group].push_back(number);
      self(self, number + 1);
      groups[group].pop_back();
    }
    if (groups.size() < count) {
      groups.push_back({number});
      self(self, number + 1);
      groups.pop_back();
    }
  };
  place(place, 0);
}

// In program order each output and cache goes to a group that is not before those of the values
// that it depends on, so nothing is listed too late. So does each local, but what would be the last
// group, which nobody loads from, is none. Locals that no later group loads are no longer listed.
Groups GroupingModel::sample(size_t most, llvm::function_ref<uint64_t(uint64_t)> below) const {
  Groups groups(1 + below(most));
  llvm::DenseMap<Value, size_t> groupOf;
  for (auto [number, listable] : llvm::enumerate(all)) {
    if (listable.isLocal() && !listable.storable)
      continue;
    const Groups alone = {{unsigned(number)}};
    size_t least = 0;
    for (Value value : planGroup(alone, 0, findListers(alone)).values)
      if (value != listable.value)
        least = std::max(least, groupOf.lookup(value));
    const size_t group = least + below(groups.size() - least);
    if (listable.isLocal() && group + 1 == groups.size())
      continue;
    groups[group].push_back(number);
    if (listable.value)
      if (auto [entry, added] = groupOf.try_emplace(listable.value, group); !added)
        entry->second = std::min(entry->second, group);
  }
  for (GroupingProblem problem; !plan(groups, &problem);)
    llvm::erase(groups[problem.listedIn], problem.listable);
  llvm::erase_if(groups, [](const std::vector<unsigned> &group) { return group.empty(); });
  return *ordered(groups);
}

} // namespace braid
