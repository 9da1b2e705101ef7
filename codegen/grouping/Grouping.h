// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groupings of a program: which names each of its kernels stores. A value is computed in every
// group that needs it, unless an earlier group lists it; then it is loaded. A GroupingModel borrows
// a kernel that has no sections yet and does not change it; const use from any thread.

#pragma once

#include "codegen/dialect/Braid.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <string>
#include <vector>

namespace braid {

/// Something that a group may list.
struct Listable {
  std::string name;
  mlir::Value value;                ///< null: a cache or output that is only stored
  OperandOp operand;                ///< of an output or cache; null: a local
  mlir::Operation *store = nullptr; ///< of an output or cache
  bool storable = true;             ///< a local's axes and dtype suit a workspace
  mlir::Value mask;                 ///< of the tokens for which it is stored; null: all

  bool isLocal() const { return !operand; }
};

/// Groups as numbers of listables; in each group in increasing order.
using Groups = std::vector<std::vector<unsigned>>;

/// What one group does.
struct GroupPlan {
  llvm::SetVector<mlir::Value> values; ///< that it computes or loads
  llvm::SetVector<mlir::Operation *> computes;
  std::vector<std::pair<mlir::Value, unsigned>> loads; ///< value, and the listable that holds it
  std::vector<unsigned> stores;
};

/// Why groups are not legal.
struct GroupingProblem {
  enum Kind { Missing, Unused, Order, Axes, Stale } kind = Missing;
  unsigned listable = 0;
  size_t listedIn = 0, usedIn = 0; ///< numbers of groups; usedIn of Order and Stale only
};

class GroupingModel {
public:
  explicit GroupingModel(KernelOp kernel);

  /// Outputs, caches and named values, in program order.
  llvm::ArrayRef<Listable> listables() const { return all; }
  const Listable &operator[](unsigned number) const { return all[number]; }
  std::optional<unsigned> find(llvm::StringRef name) const;

  /// What each group does, in the order of `groups`; nothing and the first problem where the groups
  /// are not legal.
  std::optional<std::vector<GroupPlan>> plan(const Groups &groups,
                                             GroupingProblem *problem = nullptr) const;

  /// The same groups in the one order that stands for all: each as early as those that it loads
  /// from permit, by the place of its first value in the program. Nothing where no order is legal.
  std::optional<Groups> ordered(const Groups &groups) const;

  Groups fused() const;
  /// One group for each op that stands alone and each store of something else.
  Groups unfused() const;

  /// `q8, w | index_k`, names sorted inside a group; `fused` for one.
  std::string text(const Groups &groups) const;
  std::string text(llvm::ArrayRef<unsigned> group) const;

  /// Calls `visit` once for every legal grouping of `count` groups, in canonical order.
  void enumerate(size_t count, llvm::function_ref<void(const Groups &)> visit) const;

  /// A legal grouping of 1 to `most` groups; each is possible. `below(n)` gives 0 .. n-1 by chance.
  Groups sample(size_t most, llvm::function_ref<uint64_t(uint64_t)> below) const;

private:
  struct Lister {
    size_t group = 0;
    unsigned listable = 0;
  };
  using Listers = llvm::DenseMap<mlir::Value, Lister>;

  bool leavesItsKernel(const Listable &local, mlir::Operation *root) const;
  Listers findListers(const Groups &groups) const;
  GroupPlan planGroup(const Groups &groups, size_t number, const Listers &listers) const;
  /// What `plan`, that of group `number`, needs although a later group lists it; null: nothing.
  const Lister *findLate(const GroupPlan &plan, size_t number, const Listers &listers) const;
  /// The listable of `earlier` whose store changes what `plan` reads at entry; nothing: none does.
  std::optional<unsigned> findStale(const GroupPlan &plan,
                                    const std::vector<unsigned> &earlier) const;
  bool mayFollow(const Groups &before, const std::vector<unsigned> &group,
                 const Groups &after) const;

  std::vector<Listable> all;
  llvm::DenseMap<mlir::Operation *, unsigned> position; // in the program
};

} // namespace braid
