// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements of a body, one by one; assignments and cache entries.
#include "codegen/emit/ProgramLocation.h"
#include "dsl/BodyParser.h"

using namespace mlir;

namespace braid::dsl {

namespace {
const Grammar kStatement = {"a statement is a declaration, `name = expression` or a cache entry",
                            "write for example `y = round(x, bf16)`"};
const std::vector<std::string> kDeclarations = {"axis", "input", "output", "cache"};
const Grammar kEntry = {"a cache entry is `cache[slot] = field: value, ...`",
                        "write for example `k[slot] = value: kc, scale: ks`"};
} // namespace

bool joinsLines(TokenKind kind) {
  switch (kind) {
  case TokenKind::Comma:
  case TokenKind::Colon:
  case TokenKind::Equal:
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Star:
  case TokenKind::Slash:
  case TokenKind::Percent:
  case TokenKind::Range:
  case TokenKind::Bar:
    return true;
  default:
    return false;
  }
}

/// One past the last token of the statement at `begin`. With `byIndent`, a line that is not
/// indented deeper than the statement ends it even inside brackets.
static size_t statementEnd(const std::vector<Token> &body, size_t begin, bool byIndent,
                           int &depth) {
  depth = 0;
  size_t i = begin;
  for (; i < body.size(); ++i) {
    const Token &token = body[i];
    if (i > begin && token.firstOnLine) {
      const bool joined = joinsLines(token.kind) || joinsLines(body[i - 1].kind);
      // `name =` goes on only with a list of names, so an operator left dangling ends here too.
      const bool assigns = token.is(TokenKind::Identifier) && i + 1 < body.size() &&
                           body[i + 1].is(TokenKind::Equal) && !body[i - 1].is(TokenKind::Comma);
      if (depth <= 0 && (!joined || assigns))
        break;
      if (byIndent && token.column <= body[begin].column && token.is(TokenKind::Identifier))
        break;
    }
    depth += closerOf(token.kind) != TokenKind::End;
    depth -= isCloser(token.kind);
  }
  return i;
}

std::vector<std::vector<Token>> splitStatements(const std::vector<Token> &body) {
  std::vector<std::vector<Token>> statements;
  for (size_t begin = 0; begin < body.size();) {
    int depth = 0;
    size_t end = statementEnd(body, begin, false, depth);
    if (depth > 0) // a bracket is never closed: keep the damage to this statement
      end = statementEnd(body, begin, true, depth);
    statements.emplace_back(body.begin() + begin, body.begin() + end);
    begin = end;
  }
  return statements;
}

Location BodyParser::locate(SourceRange range) const {
  MLIRContext *context = builder.context();
  const Position begin = range.position();
  const Position end = range.source->position(range.end);
  auto file = StringAttr::get(context, range.source->fileName());
  return programLocation(
      FileLineColRange::get(file, begin.line, begin.column, end.line, end.column), "", statement);
}

bool BodyParser::fail() {
  failed = true;
  return false;
}

void BodyParser::run() {
  for (std::vector<Token> &tokens : splitStatements(kernel.body)) {
    if (builder.diagnostics().full())
      return;
    statement = joinTokens(tokens);
    const SourceRange whole = tokens.front().range.to(tokens.back().range);
    cursor.reset(std::move(tokens));
    failed = false;
    depth = 0;
    pin(whole);
    parseStatement();
  }
}

void BodyParser::parseStatement() {
  if (parseDeclaration())
    return;
  if (!cursor.at(TokenKind::Identifier))
    return cursor.reportExpected("a statement", kStatement);
  if (cursor.peek(1).is(TokenKind::LeftBracket))
    return parseEntry();
  parseAssignment();
}

void BodyParser::expectEnd() {
  if (!failed && !cursor.at(TokenKind::End))
    cursor.reportExpected("the end of the statement", {"a statement ends with its line",
                                                       "begin a new line, or add an operator"});
}

// --- assignments ------------------------------------------------------------------------------

void BodyParser::parseAssignment() {
  std::vector<std::string> names;
  const SourceRange begin = cursor.peek().range;
  do {
    const Token *name = cursor.expect(TokenKind::Identifier, "a name", kStatement);
    if (!name)
      return;
    names.emplace_back(name->text());
  } while (cursor.accept(TokenKind::Comma));
  const SourceRange targets = begin.to(cursor.lastRange());
  std::vector<Expr> values;
  if (!cursor.accept(TokenKind::Equal)) {
    // `imput x : f32[4]`: the first word may be meant to begin a declaration.
    const std::string fix = suggest(names.front(), kDeclarations, std::string(kStatement.fix));
    cursor.reportExpected("`=`", {kStatement.why, fix});
    fail();
  } else if (names.size() > 1 && cursor.at(TokenKind::Identifier) &&
             cursor.peek(1).is(TokenKind::LeftParen)) {
    values = parseCall();
  } else {
    Expr value = parseSum();
    if (!failed)
      values.push_back(value);
  }
  expectEnd();
  pin(targets);
  builder.assign(names, failed ? std::vector<Expr>() : values);
}

void BodyParser::parseEntry() {
  const Token name = cursor.next();
  cursor.next(); // `[`
  const SourceRange begin = name.range;
  bool found = false;
  Expr cache = builder.lookup(std::string(name.text()), found);
  if (!found)
    builder.diagnostics().report(DiagId::nameUnknown, name.range, name.text(),
                                 suggest(name.text(), builder.valueNames(), "declare the cache"));
  Expr slot = parseSum();
  if (failed || !cursor.expect(TokenKind::RightBracket, "`]`", kEntry) ||
      !cursor.expect(TokenKind::Equal, "`=`", kEntry))
    return;
  const SourceRange target = begin.to(cursor.lastRange());
  std::vector<EntryField> fields;
  do {
    const Token *field = cursor.expect(TokenKind::Identifier, "a field", kEntry);
    if (!field)
      return;
    const Token fieldName = *field;
    if (!cursor.expect(TokenKind::Colon, "`:`", kEntry))
      return;
    Expr value = parseSum();
    if (failed)
      return;
    fields.push_back(
        {std::string(fieldName.text()), value, locate(fieldName.range.to(cursor.lastRange()))});
  } while (cursor.accept(TokenKind::Comma));
  expectEnd();
  if (!found)
    return;
  pin({target.source, target.begin, target.end});
  builder.storeEntry(cache, slot, std::move(fields));
}

} // namespace braid::dsl
