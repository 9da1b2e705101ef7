// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first pass over a program: kernels, parameters and presets, without looking into bodies and
// without MLIR, so that the runtime computes cache keys with it. A Head keeps its Source alive; all
// ranges and tokens in it point there.

#pragma once

#include "dsl/LayoutDefinition.h"

#include <memory>
#include <optional>

namespace braid::dsl {

enum class ParamType { Int, F32, Bool, Dtype, RopeStyle, Layout, Enum };

/// As a program spells them, in the order of the enumeration.
inline constexpr std::string_view kParamTypeNames[] = {"int",        "f32",    "bool", "dtype",
                                                       "rope_style", "layout", "enum"};

/// A value that is not evaluated yet: an expression, a word or a layout call.
using ValueTokens = std::vector<Token>;

struct ParamDecl {
  std::string name;
  ParamType type = ParamType::Int;
  std::vector<std::string> words; ///< legal words of a rope_style or an enum
  SourceRange range;              ///< of the name
  ValueTokens defaultValue;       ///< empty: no default

  /// "int", "rope_style", "enum(a, b)".
  std::string typeText() const;
  /// What a value must be: "an integer", "neox or gptj".
  std::string valueText() const;
  /// The default as it is written; empty if there is none.
  std::string defaultText() const;
};

struct PresetItem {
  std::string param;
  SourceRange range; ///< of the name
  ValueTokens value;
};

struct Preset {
  std::string name;
  SourceRange range;
  std::vector<PresetItem> items;
  SourceRange grouping; ///< its text, without parentheses; no source: the preset has none
};

struct KernelHead {
  std::string name;
  SourceRange range;
  std::vector<ParamDecl> params; ///< as declared, then the built-in `padding`
  std::vector<Preset> presets;
  std::vector<Token> body; ///< without presets and without the braces

  const ParamDecl *findParam(std::string_view name) const;
  const Preset *findPreset(std::string_view name) const;
  std::vector<std::string> paramNames() const;
  std::vector<std::string> presetNames() const;
};

struct Head {
  std::shared_ptr<const Source> source;
  std::vector<KernelHead> kernels;
  std::vector<LayoutDefinition> layouts; ///< the program's own
};

/// Reads the head of a program. Goes on after an error; a kernel whose signature is wrong is kept
/// with the parameters that could be read.
Head parseHead(std::shared_ptr<const Source> source, DiagnosticList &diagnostics);

/// The kernel called `name`, or the only one if `name` is empty; null after a report.
const KernelHead *selectKernel(const Head &head, std::string_view name,
                               DiagnosticList &diagnostics);

/// The tokens' text as it is written, on one line, without comments.
std::string joinTokens(const std::vector<Token> &tokens);

} // namespace braid::dsl
