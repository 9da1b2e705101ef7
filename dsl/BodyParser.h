// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser of a kernel's body, statement by statement. Private to dsl/.

#pragma once

#include "codegen/layouts/PageLayout.h"
#include "dsl/Binding.h"
#include "dsl/Builder.h"

namespace braid::dsl {

class BodyParser {
public:
  BodyParser(const KernelHead &kernel, const BoundParams &params, Builder &builder,
             std::vector<LayoutSpec> ownLayouts)
      : kernel(kernel), params(params), builder(builder), ownLayouts(std::move(ownLayouts)),
        cursor({}, builder.diagnostics()),
        constants(parameterLookup(params, builder.diagnostics())) {}

  /// Parses every statement of the body.
  void run();

  /// Where `range` is, as an MLIR location that carries the current statement.
  mlir::Location locate(SourceRange range) const;

private:
  // --- Statements.cpp ---
  void parseStatement();
  void parseAssignment();
  void parseEntry();
  void expectEnd();

  // --- DeclarationStatements.cpp ---
  bool parseDeclaration();
  void parseAxis();
  void parseTensor(OperandRole role);
  void parseCache();
  std::optional<std::vector<Extent>> parseExtents();
  std::optional<Extent> parseExtent();
  LayoutAttr parseLayoutUse();
  LayoutAttr makeLayout(const BoundLayout &layout);

  // --- Expressions.cpp ---
  Expr parseSum();
  Expr parseProduct();
  Expr parseUnary();
  Expr parsePostfix();
  bool atSlice() const;
  Expr parseSlice(SourceRange begin, const Expr &value);
  Expr parsePrimary();
  Expr parseName();
  Expr combineAt(const Token &op, SourceRange begin, const Expr &left, const Expr &right);

  // --- Arguments.cpp ---
  /// The results of the call at the cursor; none after an error.
  std::vector<Expr> parseCall();
  Expr parseConstantCall(const Token &name, std::vector<Arg> args);
  std::optional<std::vector<Arg>> parseArguments(const OpSpec *spec);
  std::optional<Arg> parseArgument(const ParamSpec *param);
  std::optional<Arg> parseWordArgument();
  std::optional<Arg> parseIntegers();
  /// A parameter as an argument of its own kind; nothing for numbers, which are expressions.
  std::optional<Arg> parameterArgument(const BoundParam &param);
  /// A dtype or dtype parameter at the cursor, or null after a report.
  mlir::Type parseDtypeUse();

  bool fail(); ///< Marks the statement as wrong; always false.
  void pin(SourceRange range) { builder.pin(locate(range)); }

  const KernelHead &kernel;
  const BoundParams &params;
  Builder &builder;
  std::vector<LayoutSpec> ownLayouts; ///< of the program
  Cursor cursor;                      ///< over the current statement
  ConstantLookup constants;
  std::string statement;
  std::map<std::string, LayoutAttr> layouts; ///< checked once for each canonical text
  unsigned depth = 0;
  bool failed = false;
};

/// True if a line cannot end before, or after, this token.
bool joinsLines(TokenKind kind);

/// Cuts a body into statements: one a line, unless a bracket is open or the line ends, or the next
/// one begins, with an operator, `=`, `:` or a comma.
std::vector<std::vector<Token>> splitStatements(const std::vector<Token> &body);

} // namespace braid::dsl
