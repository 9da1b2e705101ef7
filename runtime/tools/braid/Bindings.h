// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--bind 'k=kw[:,0:128]'`: an operand that is a slice of a member. Slices share the member's bytes
// and keep its strides.

#pragma once

#include "runtime/KernelMeta.h"
#include "runtime/Npz.h"

#include <optional>
#include <string>
#include <vector>

namespace braid::tool {

/// What is taken of one axis: elements begin .. end-1 (absent: from the first, to the last), or one
/// element, whose axis then is gone.
struct AxisSlice {
  std::optional<int64_t> begin, end;
  bool single = false;
};

struct Binding {
  std::string text; ///< as given, for messages
  std::string operand, member;
  std::vector<AxisSlice> slices; ///< one an axis; none: the whole member
};

/// Reads `operand=member` or `operand=member[slice, ...]` with a slice an axis: `:`, `a:b`, `a:`,
/// `:b` or `i`. Errors: BindingForm.
Status parseBindings(const std::vector<std::string> &texts, std::vector<Binding> &bindings);

/// Errors: BindingUnknown where a binding names no operand of the kernel.
Status checkBindings(const std::vector<Binding> &bindings, const KernelMeta &meta);

/// The slice of `operand`'s member, its last axis split where the operand has more axes. Errors:
/// those of Npz::tensor, BindingSlice, BindingShape.
Status bindOperand(const Binding &binding, const Npz &npz, const KernelMeta &meta,
                   const OperandMeta &operand, HostArray &array);

} // namespace braid::tool
