// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the binder of parameters and the parser of bodies share: names in constants and layout
// calls. Private to dsl/.

#pragma once

#include "dsl/Binding.h"

namespace braid::dsl {

/// The bound parameter of that name, or null after a report or where there is none.
using ParamResolver = std::function<const BoundParam *(const Token &name)>;

/// The number that `param`, used as `name`, stands for; nothing after a report.
std::optional<ConstantValue> constantOf(const BoundParam &param, const Token &name,
                                        DiagnosticList &diagnostics);

/// Reads and evaluates `NAME(parameter = value, ...)`.
std::optional<BoundLayout> parseLayout(Cursor &cursor, const ParamResolver &resolve,
                                       const ConstantLookup &lookup);

} // namespace braid::dsl
