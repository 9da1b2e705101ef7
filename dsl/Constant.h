// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant expressions: + - * / % sqrt min max over numbers and parameters. An integer expression
// (extents, ranges, layout arguments) is exact and its `/` floors; a real one is computed in
// double. One recursive descent serves the head's parameter values and the body's extents and
// ranges.

#pragma once

#include "dsl/Cursor.h"

#include <functional>
#include <optional>
#include <variant>

namespace braid::dsl {

using ConstantValue = std::variant<int64_t, double>;

/// The value of a name, or nothing after it has reported why there is none.
using ConstantLookup = std::function<std::optional<ConstantValue>(const Token &name)>;

/// How deep brackets may nest, here and in value expressions.
inline constexpr unsigned kMaxNesting = 200;

/// Parse and evaluate one expression at `cursor`; nothing after a report.
std::optional<int64_t> parseInteger(Cursor &cursor, const ConstantLookup &lookup);
std::optional<double> parseReal(Cursor &cursor, const ConstantLookup &lookup);

/// The value of a number token. Digits beyond a double, or an int64 where `integer` asks for one,
/// are reported.
std::optional<ConstantValue> numberValue(const Token &token, bool integer,
                                         DiagnosticList &diagnostics);

/// True for the functions that constants may call.
bool isConstantFunction(std::string_view name);

/// `name(arguments)` in double, or a message that says what is wrong with the call.
std::variant<double, std::string> callConstant(std::string_view name,
                                               const std::vector<double> &arguments);

/// The shortest decimal text that reads back as `value`.
std::string shortestText(double value);

} // namespace braid::dsl
