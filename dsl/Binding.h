// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds the parameters of a kernel: defaults, then a preset, then settings; values are evaluated
// after all are bound, so they may name one another. The canonical texts are what cache keys and
// the kernel's `parameters` attribute hold. No MLIR here.

#pragma once

#include "dsl/Constant.h"
#include "dsl/Head.h"

#include <map>
#include <span>
#include <variant>

namespace braid::dsl {

/// One argument of a layout call; a dtype is a name, `fp8` as it is.
struct BoundLayoutArg {
  std::string name;
  std::variant<int64_t, std::string> value;
  SourceRange range;
};

struct BoundLayout {
  std::string name;
  std::vector<BoundLayoutArg> args; ///< sorted by name
  SourceRange range;

  std::string canonical() const;
};

struct BoundParam {
  std::string name;
  ParamType type = ParamType::Int;
  /// int, f32, bool, a word (dtype, rope_style, enum) or a layout, by `type`.
  std::variant<int64_t, double, bool, std::string, BoundLayout> value;
  SourceRange range; ///< of the value: in the program, or in a setting

  std::string canonical() const;
};

struct BoundParams {
  std::vector<BoundParam> params; ///< in declaration order, `padding` last
  std::vector<std::shared_ptr<const Source>>
      sources; ///< texts of the settings, which ranges point to

  const BoundParam *find(std::string_view name) const;
  /// Name to canonical text, sorted by name.
  std::map<std::string, std::string> canonical() const;
};

/// Binds `kernel`'s parameters. `preset` may be empty; `settings` are `name=value` texts. Nothing
/// after a report. Ranges in the result point into the kernel's source and into `sources`.
std::optional<BoundParams> bindParams(const KernelHead &kernel, std::string_view preset,
                                      std::span<const std::string> settings,
                                      DiagnosticList &diagnostics);

/// Evaluates a layout call, `linear(page_size = 64, dim = head_dim)`, at `cursor`.
std::optional<BoundLayout> parseLayoutCall(Cursor &cursor, const BoundParams &params);

/// The value of a parameter in a constant expression.
ConstantLookup parameterLookup(const BoundParams &params, DiagnosticList &diagnostics);

/// True for the name of a dtype, `fp8` included.
bool isDtypeName(std::string_view name);
/// All dtype names, `fp8` first.
std::vector<std::string> dtypeNameList();

} // namespace braid::dsl
