// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `layout` blocks, read but not evaluated: names are resolved, arithmetic waits for arguments.
// Plain values without MLIR, so that the pass over a head knows them too; ranges point into the
// Source of the text that holds the block.

#pragma once

#include "dsl/Cursor.h"

#include <optional>
#include <string>
#include <vector>

namespace braid::dsl {

/// An integer expression over parameters and indices.
struct LayoutExpr {
  enum class Kind { Number, Parameter, Index, Bytes, Negate, Binary, Least, Greatest };
  Kind kind = Kind::Number;
  int64_t number = 0; ///< Number: its value. Index: 0 for the token, then those of the field
  std::string name;   ///< Parameter, Index; Bytes: a dtype or dtype parameter
  char op = 0;        ///< Binary: one of + - * / %
  SourceRange range;
  std::vector<LayoutExpr> operands;
};

/// `name: int`, `name: dtype`, with or without a default.
struct LayoutParamDecl {
  std::string name;
  bool isDtype = false;
  std::string defaultDtype; ///< empty: none
  std::optional<int64_t> defaultInteger;
  SourceRange range;
};

/// `name in 0..extent`
struct LayoutIndexDecl {
  std::string name;
  LayoutExpr extent;
  SourceRange range;
};

/// `field name : dtype [indices] at [bits] address [in buffer k]`
struct LayoutFieldDecl {
  std::string name, dtype;
  std::vector<LayoutIndexDecl> indices;
  bool inBits = false;
  LayoutExpr address;
  int64_t buffer = 0;
  SourceRange range; ///< of the name
};

/// `bytes size [in buffer k]`
struct LayoutBytesDecl {
  LayoutExpr size;
  int64_t buffer = 0;
  SourceRange range;
};

/// `left op right`; `fix` is the comment behind it, if there is one.
struct LayoutCondition {
  LayoutExpr left, right;
  std::string op, fix;
  SourceRange range;
};

struct LayoutDefinition {
  std::string name, summary; ///< the comment on the line above
  SourceRange range;         ///< of the name
  std::vector<LayoutParamDecl> params;
  std::optional<LayoutIndexDecl> token;
  std::vector<LayoutFieldDecl> fields;
  std::vector<LayoutBytesDecl> bytes;
  std::vector<LayoutCondition> conditions;
  bool broken = false; ///< something in it has been reported

  const LayoutParamDecl *findParam(std::string_view param) const;
  /// "page_size: int, value: dtype = fp8"
  std::string paramText() const;
};

/// Tensors of one cache, at most.
inline constexpr int64_t kMostBuffers = 8;
inline constexpr size_t kMostFields = 64;

/// Reads `layout NAME(...) { ... }` at `cursor`; goes on after an error.
LayoutDefinition parseLayoutDefinition(Cursor &cursor);

/// The library's definitions, in the order of its text.
const std::vector<LayoutDefinition> &libraryLayouts();

} // namespace braid::dsl
