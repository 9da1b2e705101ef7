// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of one launch on the host, by name, in signature order.

#pragma once

#include "runtime/HostArray.h"
#include "runtime/KernelMeta.h"
#include "runtime/LaunchPlan.h"
#include "runtime/Npz.h"
#include "runtime/tools/braid/Bindings.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <string>
#include <vector>

namespace braid::tool {

/// Smaller counts that the caller asks for: `--rows token=41`; `*` stands for every axis
/// (--tokens).
using RequestedCounts = std::map<std::string, int64_t>;

struct OperandSet {
  std::vector<HostArray> arrays; ///< in the order of meta.operands
  /// The member behind each array, in the same order; null where it has bytes of its own.
  std::vector<std::shared_ptr<const NpzMember>> members;
  std::vector<bool> bound; ///< by a --bind, in the same order

  /// Members by operand name, or as `bindings` say. Outputs that are absent start as zeros with the
  /// counts as extents; an absent input or cache is an error.
  static Status fromNpz(const KernelMeta &meta, const Npz &npz, const RequestedCounts &requested,
                        const std::vector<Binding> &bindings, OperandSet &set);

  /// A copy with bytes of its own.
  Status clone(OperandSet &copy) const;
  llvm::StringMap<HostArray> byName(const KernelMeta &meta) const;
  /// Outputs and caches by name; what is bound as the whole member that it is a part of.
  Status toNpz(const KernelMeta &meta, Npz &npz) const;
};

/// `axis=count` texts into counts. Errors: RequestIncomplete.
Status parseRows(const std::vector<std::string> &rows, RequestedCounts &counts);

/// What LaunchPlan takes: views of the arrays.
std::vector<runtime::Operand> launchOperands(const OperandSet &set);

/// The counts that a launch of these operands has, checked as a launch checks them.
Status resolveCounts(const KernelMeta &meta, const OperandSet &set,
                     const RequestedCounts &requested, llvm::StringMap<int64_t> &counts);

/// As RowCount list for the axes of `meta`.
std::vector<runtime::RowCount> rowCounts(const KernelMeta &meta, const RequestedCounts &requested);

} // namespace braid::tool
