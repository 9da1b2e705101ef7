// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `layout` blocks: syntax and names.
#include "dsl/LayoutDefinition.h"

#include "dsl/Binding.h"
#include "dsl/Constant.h"

#include <algorithm>
#include <set>
#include <utility>

namespace braid::dsl {
namespace {

const Grammar kSignature = {"a layout is `layout NAME(parameter: int or dtype, ...) { ... }`",
                            "write the signature in this form"};
const Grammar kBlock = {"a layout holds one index, then fields, bytes and requirements",
                        "write for example `field value : fp8 [d in 0..dim] at t*dim + d`"};
const Grammar kRange = {"an index is `NAME in 0..EXTENT`", "write for example `d in 0..dim`"};
const Grammar kField = {"a field is `field NAME : dtype [d in 0..EXTENT, ...] at ADDRESS`",
                        "write the field in this form"};
const Grammar kBuffer = {"a place in another tensor of the cache is `in buffer 1`",
                         "write the number of the buffer"};
const Grammar kCondition = {"a requirement compares two integers",
                            "write for example `require dim % 16 == 0`"};
const Grammar kExpression = {"an address is made of indices, int parameters and bytes(dtype)",
                             "write for example (t*dim + d)*bytes(value)"};

class LayoutParser {
public:
  explicit LayoutParser(Cursor &cursor) : cursor(cursor), diagnostics(cursor.diagnostics()) {}

  LayoutDefinition run() {
    const size_t before = diagnostics.size();
    const SourceRange keyword = cursor.next().range;
    layout.summary = commentAbove(keyword);
    layout.range = cursor.peek().range;
    layout.name = cursor.next().text();
    if (cursor.expect(TokenKind::LeftParen, "`(`", kSignature)) {
      parseParams();
      cursor.expect(TokenKind::RightParen, "`,` or `)`", kSignature);
    } else {
      layout.broken = true;
    }
    if (cursor.expect(TokenKind::LeftBrace, "`{`", kSignature)) {
      parseBlock();
      cursor.expect(TokenKind::RightBrace, "`}`",
                    {"a layout's statements end with `}`", "close the layout with `}`"});
    }
    layout.broken = layout.broken || diagnostics.size() != before || diagnostics.full();
    if (!layout.broken)
      checkWhole();
    layout.broken = layout.broken || diagnostics.size() != before;
    return std::move(layout);
  }

private:
  // --- the text around tokens: comments are documentation here ---
  static std::string trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of("/ \t\r");
    if (begin == std::string_view::npos)
      return {};
    return std::string(text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin));
  }

  static std::string commentAbove(SourceRange range) {
    const uint32_t line = range.position().line;
    const std::string_view above = line > 1 ? range.source->lineText(line - 1) : "";
    const size_t begin = above.find_first_not_of(" \t");
    const bool comment = begin != std::string_view::npos && above.substr(begin, 2) == "//";
    return comment ? trimmed(above.substr(begin)) : std::string();
  }

  static std::string commentBehind(SourceRange range) {
    const std::string_view text = range.source->text();
    std::string_view rest = text.substr(range.end, text.find('\n', range.end) - range.end);
    const size_t begin = rest.find_first_not_of(" \t");
    const bool comment = begin != std::string_view::npos && rest.substr(begin, 2) == "//";
    return comment ? trimmed(rest.substr(begin)) : std::string();
  }

  // --- signature ---
  void parseParams() {
    while (!cursor.at(TokenKind::RightParen) && !cursor.at(TokenKind::End)) {
      if (!parseParam()) {
        layout.broken = true;
        cursor.takeUntil({TokenKind::Comma});
      }
      if (!cursor.accept(TokenKind::Comma))
        return;
    }
  }

  bool parseParam() {
    const Token *name = cursor.expect(TokenKind::Identifier, "a parameter name", kSignature);
    if (!name || !cursor.expect(TokenKind::Colon, "`:`", kSignature))
      return false;
    LayoutParamDecl param;
    param.name = name->text();
    param.range = name->range;
    const Token *type = cursor.expect(TokenKind::Identifier, "a parameter type", kSignature);
    if (!type)
      return false;
    param.isDtype = type->isWord("dtype");
    if (!param.isDtype && !type->isWord("int")) {
      diagnostics.report(DiagId::layoutParamType, type->range, type->text(),
                         suggest(type->text(), std::vector<std::string>{"int", "dtype"},
                                 "use int or dtype"));
      return false;
    }
    if (cursor.accept(TokenKind::Equal) && !parseDefault(param))
      return false;
    if (layout.findParam(param.name)) {
      diagnostics.report(DiagId::nameTaken, param.range, param.name, "a parameter");
      return true;
    }
    layout.params.push_back(std::move(param));
    return true;
  }

  bool parseDefault(LayoutParamDecl &param) {
    if (!param.isDtype) {
      const Token *number = cursor.expect(TokenKind::Integer, "an integer", kSignature);
      std::optional<ConstantValue> value =
          number ? numberValue(*number, true, diagnostics) : std::nullopt;
      return value && (param.defaultInteger = std::get<int64_t>(*value), true);
    }
    const Token *word = cursor.expect(TokenKind::Identifier, "a dtype", kSignature);
    if (!word)
      return false;
    if (!isDtypeName(word->text())) {
      reportDtype(*word);
      return false;
    }
    param.defaultDtype = word->text();
    return true;
  }

  void reportDtype(const Token &word) {
    std::vector<std::string> known = dtypeNameList();
    const std::string list = joinNames(known);
    for (const LayoutParamDecl &param : layout.params)
      if (param.isDtype)
        known.push_back(param.name);
    diagnostics.report(DiagId::dtypeUnknown, word.range, word.text(), list,
                       suggest(word.text(), known, "use one of these"));
  }

  // --- statements ---
  void parseBlock() {
    while (!cursor.at(TokenKind::RightBrace) && !cursor.at(TokenKind::End)) {
      if (diagnostics.full())
        return skipBlock();
      if (!parseStatement()) {
        layout.broken = true;
        skipStatement();
      }
    }
  }

  bool atStatement() const {
    return cursor.atWord("index") || cursor.atWord("field") || cursor.atWord("bytes") ||
           cursor.atWord("require");
  }

  void skipBlock() {
    while (!cursor.at(TokenKind::RightBrace) && !cursor.at(TokenKind::End))
      cursor.next();
  }

  void skipStatement() {
    while (!cursor.at(TokenKind::RightBrace) && !cursor.at(TokenKind::End) &&
           !(cursor.peek().firstOnLine && atStatement()))
      cursor.next();
  }

  bool parseStatement() {
    const Token keyword = cursor.peek();
    if (!layout.token && !keyword.isWord("index")) {
      // Reported once; what comes before the index is skipped.
      if (!std::exchange(indexMissing, true))
        cursor.reportExpected("`index`", {"a layout begins with the index of a token in its page",
                                          "write `index t in 0..page_size` first"});
      cursor.next();
      return false;
    }
    if (!atStatement()) {
      cursor.reportExpected("`field`, `bytes`, `require` or `}`", kBlock);
      cursor.next();
      return false;
    }
    cursor.next();
    indices.clear();
    operandCount = 0;
    if (keyword.isWord("index"))
      return parseToken(keyword);
    if (keyword.isWord("field"))
      return parseField();
    if (keyword.isWord("bytes"))
      return parseBytes(keyword);
    do {
      if (!parseCondition())
        return false;
    } while (cursor.accept(TokenKind::Comma));
    return true;
  }

  bool parseToken(const Token &keyword) {
    if (layout.token) {
      diagnostics.report(DiagId::nameTaken, keyword.range, "index", "declared in this layout");
      return false;
    }
    std::optional<LayoutIndexDecl> index = parseIndex();
    layout.token.emplace();
    if (index)
      layout.token = std::move(*index);
    return index.has_value();
  }

  std::optional<LayoutIndexDecl> parseIndex() {
    const Token *name = cursor.expect(TokenKind::Identifier, "an index", kRange);
    if (!name)
      return std::nullopt;
    LayoutIndexDecl index;
    index.name = name->text();
    index.range = name->range;
    if (layout.findParam(index.name) || (layout.token && layout.token->name == index.name) ||
        std::find(indices.begin(), indices.end(), index.name) != indices.end()) {
      diagnostics.report(DiagId::nameTaken, index.range, index.name,
                         layout.findParam(index.name) ? "a parameter" : "an index");
      return std::nullopt;
    }
    if (!acceptWord("in", "`in`", kRange))
      return std::nullopt;
    const Token zero = cursor.peek();
    if (!zero.is(TokenKind::Integer) || zero.text() != "0") {
      cursor.reportExpected("`0..`", kRange);
      return std::nullopt;
    }
    cursor.next();
    if (!cursor.expect(TokenKind::Range, "`..`", kRange))
      return std::nullopt;
    std::optional<LayoutExpr> extent = parseConstant();
    if (!extent)
      return std::nullopt;
    index.extent = std::move(*extent);
    return index;
  }

  bool acceptWord(std::string_view word, std::string_view what, Grammar grammar) {
    if (cursor.atWord(word)) {
      cursor.next();
      return true;
    }
    cursor.reportExpected(what, grammar);
    return false;
  }

  bool parseField() {
    LayoutFieldDecl field;
    const Token *name = cursor.expect(TokenKind::Identifier, "a field name", kField);
    if (!name || (field.name = name->text(), field.range = name->range,
                  !cursor.expect(TokenKind::Colon, "`:`", kField)))
      return false;
    auto same = [&](const LayoutFieldDecl &other) { return other.name == field.name; };
    if (std::any_of(layout.fields.begin(), layout.fields.end(), same)) {
      diagnostics.report(DiagId::nameTaken, field.range, field.name, "a field");
      return false;
    }
    if (layout.fields.size() == kMostFields) {
      diagnostics.report(DiagId::layoutIncomplete, field.range, layout.name,
                         fmt::format("more than {} fields", kMostFields), "leave some of them out");
      return false;
    }
    if (!parseDtype(field.dtype) || !cursor.expect(TokenKind::LeftBracket, "`[`", kField))
      return false;
    while (!cursor.at(TokenKind::RightBracket)) {
      std::optional<LayoutIndexDecl> index = parseIndex();
      if (!index)
        return false;
      indices.push_back(index->name);
      field.indices.push_back(std::move(*index));
      if (!cursor.accept(TokenKind::Comma))
        break;
    }
    if (!cursor.expect(TokenKind::RightBracket, "`,` or `]`", kField) ||
        !acceptWord("at", "`at`", kField))
      return false;
    // `bits` may be a parameter: the word before an operand is the keyword.
    const Token &after = cursor.peek(1);
    if (cursor.atWord("bits") && (after.is(TokenKind::Integer) || after.is(TokenKind::LeftParen) ||
                                  (after.is(TokenKind::Identifier) && !after.isWord("in"))))
      field.inBits = cursor.next().isWord("bits");
    mayIndex = true;
    std::optional<LayoutExpr> address = parseSum();
    mayIndex = false;
    if (!address || !parseBuffer(field.buffer))
      return false;
    field.address = std::move(*address);
    layout.fields.push_back(std::move(field));
    return true;
  }

  bool parseDtype(std::string &dtype) {
    const Token *word = cursor.expect(TokenKind::Identifier, "a dtype", kField);
    if (!word)
      return false;
    const LayoutParamDecl *param = layout.findParam(word->text());
    if (param ? !param->isDtype : !isDtypeName(word->text())) {
      reportDtype(*word);
      return false;
    }
    dtype = word->text();
    return true;
  }

  bool parseBuffer(int64_t &buffer) {
    if (!cursor.atWord("in"))
      return true;
    cursor.next();
    if (!acceptWord("buffer", "`buffer`", kBuffer))
      return false;
    const Token *number = cursor.expect(TokenKind::Integer, "a number", kBuffer);
    std::optional<ConstantValue> value =
        number ? numberValue(*number, true, diagnostics) : std::nullopt;
    if (!value)
      return false;
    buffer = std::get<int64_t>(*value);
    if (buffer < kMostBuffers)
      return true;
    diagnostics.report(
        DiagId::layoutBuffer, number->range, layout.name, buffer, "is too many",
        fmt::format("a cache has at most {} buffers, 0 to {}", kMostBuffers, kMostBuffers - 1));
    return false;
  }

  bool parseBytes(const Token &keyword) {
    LayoutBytesDecl bytes;
    std::optional<LayoutExpr> size = parseConstant();
    if (!size || !parseBuffer(bytes.buffer))
      return false;
    bytes.size = std::move(*size);
    bytes.range = keyword.range.to(cursor.lastRange());
    for (const LayoutBytesDecl &other : layout.bytes)
      if (other.buffer == bytes.buffer) {
        diagnostics.report(DiagId::layoutBuffer, keyword.range, layout.name, bytes.buffer,
                           "has two sizes", "keep one of the two");
        return false;
      }
    layout.bytes.push_back(std::move(bytes));
    return true;
  }

  bool parseCondition() {
    LayoutCondition condition;
    const SourceRange begin = cursor.peek().range;
    std::optional<LayoutExpr> left = parseConstant();
    if (!left)
      return false;
    const Token *op =
        cursor.expect(TokenKind::Compare, "`==`, `!=`, `<`, `<=`, `>` or `>=`", kCondition);
    if (!op)
      return false;
    condition.op = op->text();
    std::optional<LayoutExpr> right = parseConstant();
    if (!right)
      return false;
    condition.left = std::move(*left);
    condition.right = std::move(*right);
    condition.range = begin.to(cursor.lastRange());
    condition.fix = commentBehind(condition.range);
    layout.conditions.push_back(std::move(condition));
    return true;
  }

  // --- expressions ---
  using Result = std::optional<LayoutExpr>;

  Result parseConstant() {
    mayIndex = false;
    return parseSum();
  }

  static LayoutExpr binary(char op, LayoutExpr left, LayoutExpr right) {
    LayoutExpr expr;
    expr.kind = LayoutExpr::Kind::Binary;
    expr.op = op;
    expr.range = left.range.to(right.range);
    expr.operands.push_back(std::move(left));
    expr.operands.push_back(std::move(right));
    return expr;
  }

  Result parseSum() {
    Result left = parseProduct();
    while (left && (cursor.at(TokenKind::Plus) || cursor.at(TokenKind::Minus))) {
      const char op = cursor.next().text().front();
      Result right = parseProduct();
      left = right ? Result(binary(op, std::move(*left), std::move(*right))) : std::nullopt;
    }
    return left;
  }

  Result parseProduct() {
    Result left = parseUnary();
    while (left && (cursor.at(TokenKind::Star) || cursor.at(TokenKind::Slash) ||
                    cursor.at(TokenKind::Percent))) {
      const char op = cursor.next().text().front();
      Result right = parseUnary();
      left = right ? Result(binary(op, std::move(*left), std::move(*right))) : std::nullopt;
    }
    return left;
  }

  Result parseUnary() {
    // Sums nest to the left without recursion here, but those who walk over them recurse.
    if (depth >= kMaxNesting || ++operandCount > kMostOperands) {
      diagnostics.report(DiagId::nestedTooDeep, cursor.peek().range, kMaxNesting);
      return std::nullopt;
    }
    ++depth;
    Result value;
    const SourceRange begin = cursor.peek().range;
    if (cursor.accept(TokenKind::Minus)) {
      value = parseUnary();
      if (value) {
        LayoutExpr negated;
        negated.kind = LayoutExpr::Kind::Negate;
        negated.range = begin.to(value->range);
        negated.operands.push_back(std::move(*value));
        value = std::move(negated);
      }
    } else {
      value = parsePrimary();
    }
    --depth;
    return value;
  }

  Result parsePrimary() {
    const Token token = cursor.peek();
    if (token.is(TokenKind::Integer)) {
      std::optional<ConstantValue> value = numberValue(cursor.next(), true, diagnostics);
      if (!value)
        return std::nullopt;
      LayoutExpr number;
      number.number = std::get<int64_t>(*value);
      number.range = token.range;
      return number;
    }
    if (cursor.accept(TokenKind::LeftParen)) {
      Result value = parseSum();
      if (!value || !cursor.expect(TokenKind::RightParen, "`)`",
                                   {"every `(` has its `)` in the same expression", "add `)`"}))
        return std::nullopt;
      value->range = token.range.to(cursor.lastRange());
      return value;
    }
    if (!token.is(TokenKind::Identifier)) {
      cursor.reportExpected("an integer expression", kExpression);
      return std::nullopt;
    }
    return cursor.peek(1).is(TokenKind::LeftParen) ? parseCall() : parseName();
  }

  Result parseCall() {
    const Token function = cursor.next();
    cursor.next(); // `(`
    LayoutExpr expr;
    if (function.isWord("bytes")) {
      expr.kind = LayoutExpr::Kind::Bytes;
      if (!parseDtype(expr.name))
        return std::nullopt;
    } else if (function.isWord("min") || function.isWord("max")) {
      expr.kind = function.isWord("min") ? LayoutExpr::Kind::Least : LayoutExpr::Kind::Greatest;
      const bool outer = std::exchange(mayIndex, false);
      for (int i = 0; i < 2; ++i) {
        Result operand = parseSum();
        if (!operand || (i == 0 && !cursor.expect(TokenKind::Comma, "`,`", kExpression)))
          return std::nullopt;
        expr.operands.push_back(std::move(*operand));
      }
      mayIndex = outer;
    } else {
      diagnostics.report(DiagId::constantFunction, function.range, function.text(),
                         "it is not a function of layouts",
                         suggest(function.text(), std::vector<std::string>{"bytes", "min", "max"}, "use bytes, min or max"));
      return std::nullopt;
    }
    if (!cursor.expect(TokenKind::RightParen, "`)`", kExpression))
      return std::nullopt;
    expr.range = function.range.to(cursor.lastRange());
    return expr;
  }

  Result parseName() {
    const Token token = cursor.next();
    LayoutExpr expr;
    expr.name = token.text();
    expr.range = token.range;
    std::vector<std::string> known; // of the indices, by number
    known.push_back(layout.token ? layout.token->name : "");
    known.insert(known.end(), indices.begin(), indices.end());
    if (auto index = std::find(known.begin(), known.end(), expr.name); index != known.end()) {
      if (!mayIndex) {
        diagnostics.report(DiagId::layoutIndexHere, token.range, expr.name);
        return std::nullopt;
      }
      expr.kind = LayoutExpr::Kind::Index;
      expr.number = index - known.begin();
      return expr;
    }
    const LayoutParamDecl *param = layout.findParam(expr.name);
    if (param && !param->isDtype) {
      expr.kind = LayoutExpr::Kind::Parameter;
      return expr;
    }
    for (const LayoutParamDecl &candidate : layout.params)
      if (!candidate.isDtype)
        known.push_back(candidate.name);
    diagnostics.report(DiagId::layoutName, token.range, expr.name, layout.name,
                       param ? fmt::format("write bytes({})", expr.name)
                             : suggest(expr.name, known, "declare it as a parameter"));
    return std::nullopt;
  }

  // --- the layout as a whole ---
  void checkWhole() {
    if (!layout.token || layout.fields.empty() || layout.bytes.empty()) {
      diagnostics.report(DiagId::layoutIncomplete, layout.range, layout.name,
                         !layout.token           ? "no index"
                         : layout.fields.empty() ? "no field"
                                                 : "no bytes",
                         !layout.token ? "add for example `index t in 0..page_size`"
                         : layout.fields.empty()
                             ? "add for example `field value : fp8 [d in 0..dim] at t*dim + d`"
                             : "add for example `bytes page_size*dim`");
      return;
    }
    std::set<int64_t> used, sized;
    for (const LayoutFieldDecl &field : layout.fields)
      used.insert(field.buffer);
    for (const LayoutBytesDecl &bytes : layout.bytes)
      sized.insert(bytes.buffer);
    for (int64_t buffer = 0; buffer <= std::max(*used.rbegin(), *sized.rbegin()); ++buffer)
      if (!used.count(buffer) || !sized.count(buffer))
        diagnostics.report(DiagId::layoutBuffer, layout.range, layout.name, buffer,
                           !used.count(buffer) ? "has no field" : "has no bytes",
                           !used.count(buffer)
                               ? std::string("number the buffers from 0, without gaps")
                               : fmt::format("add `bytes ... in buffer {}`", buffer));
  }

  static constexpr unsigned kMostOperands = 1000;

  Cursor &cursor;
  DiagnosticList &diagnostics;
  LayoutDefinition layout;
  std::vector<std::string> indices; ///< of the field that is being read
  bool mayIndex = false, indexMissing = false;
  unsigned depth = 0, operandCount = 0;
};

} // namespace

LayoutDefinition parseLayoutDefinition(Cursor &cursor) { return LayoutParser(cursor).run(); }

const LayoutParamDecl *LayoutDefinition::findParam(std::string_view param) const {
  auto it = std::find_if(params.begin(), params.end(),
                         [&](const LayoutParamDecl &decl) { return decl.name == param; });
  return it == params.end() ? nullptr : &*it;
}

std::string LayoutDefinition::paramText() const {
  std::string text;
  for (const LayoutParamDecl &param : params) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", param.name,
                        param.isDtype ? "dtype" : "int");
    if (!param.defaultDtype.empty())
      text += " = " + param.defaultDtype;
    if (param.defaultInteger)
      text += fmt::format(" = {}", *param.defaultInteger);
  }
  return text;
}

} // namespace braid::dsl
