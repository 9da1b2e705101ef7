// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Op calls and their arguments: the OpSpec tells what kind of argument stands where.
#include "dsl/BodyParser.h"

using namespace mlir;

namespace braid::dsl {

static const Grammar kCall = {"a call is `op(value, ..., parameter = value)`",
                              "close the call with `)`"};

std::vector<Expr> BodyParser::parseCall() {
  const Token name = cursor.next();
  const std::string op(name.text());
  const OpSpec *spec = OpTable::get().find(op);
  cursor.next(); // `(`
  if (!spec && !isConstantFunction(op)) {
    pin(name.range);
    builder.call(op, {}); // reports it
    fail();
    return {};
  }
  std::optional<std::vector<Arg>> args = parseArguments(spec);
  if (!args)
    return fail(), std::vector<Expr>();
  const bool numbers = llvm::all_of(*args, [](const Arg &arg) {
    auto *expr = std::get_if<Expr>(&arg.payload);
    return expr && expr->number() && arg.keyword.empty();
  });
  const SourceRange whole = name.range.to(cursor.lastRange());
  pin(whole);
  if (isConstantFunction(op) && (numbers || !spec)) {
    Expr value = parseConstantCall(name, std::move(*args));
    return failed ? std::vector<Expr>() : std::vector<Expr>{value};
  }
  std::vector<Expr> results = builder.call(op, std::move(*args));
  // An op that was refused has been reported: its results are null, however many there are.
  if (results.empty())
    fail();
  return results;
}

Expr BodyParser::parseConstantCall(const Token &name, std::vector<Arg> args) {
  std::vector<double> numbers;
  for (const Arg &arg : args) {
    auto *expr = std::get_if<Expr>(&arg.payload);
    if (!expr || !expr->number()) {
      builder.diagnostics().report(DiagId::constantFunction, name.range, name.text(),
                                   "an argument is not a constant", "use it on constants only");
      return fail(), Expr();
    }
    numbers.push_back(expr->number()->value);
  }
  auto value = callConstant(name.text(), numbers);
  if (auto *wrong = std::get_if<std::string>(&value)) {
    builder.diagnostics().report(DiagId::constantFunction, name.range, name.text(), *wrong,
                                 "mend the arguments");
    return fail(), Expr();
  }
  return Number{std::get<double>(value), false};
}

std::optional<std::vector<Arg>> BodyParser::parseArguments(const OpSpec *spec) {
  std::vector<Arg> args;
  while (!cursor.at(TokenKind::RightParen)) {
    const Token first = cursor.peek();
    const ParamSpec *param = nullptr;
    std::string keyword;
    if (first.is(TokenKind::Identifier) && cursor.peek(1).is(TokenKind::Equal)) {
      keyword = first.text();
      cursor.next();
      cursor.next();
      for (const ParamSpec &candidate :
           spec ? llvm::ArrayRef(spec->params) : llvm::ArrayRef<ParamSpec>())
        if (candidate.name == keyword)
          param = &candidate;
      if (spec && !param) {
        // Its kind is unknown, so its value is skipped; the binder reports the name.
        cursor.takeUntil({TokenKind::Comma});
        args.push_back(kw(keyword, Expr()));
        args.back().loc = locate(first.range);
        if (!cursor.accept(TokenKind::Comma))
          break;
        continue;
      }
    } else if (spec && args.size() < spec->params.size()) {
      param = &spec->params[args.size()];
    }
    std::optional<Arg> arg = parseArgument(param);
    if (!arg)
      return std::nullopt;
    arg->keyword = keyword;
    arg->loc = locate(first.range.to(cursor.lastRange()));
    args.push_back(std::move(*arg));
    if (!cursor.accept(TokenKind::Comma))
      break;
  }
  if (!cursor.expect(TokenKind::RightParen, "`,` or `)`", kCall))
    return std::nullopt;
  return args;
}

std::optional<Arg> BodyParser::parseArgument(const ParamSpec *param) {
  const Token token = cursor.peek();
  const TokenKind after = cursor.peek(1).kind;
  const bool alone = token.is(TokenKind::Identifier) &&
                     (after == TokenKind::Comma || after == TokenKind::RightParen);
  if (alone)
    if (const BoundParam *bound = params.find(token.text()))
      if (std::optional<Arg> arg = parameterArgument(*bound)) {
        cursor.next();
        return arg;
      }
  const ParamKind kind = param ? param->kind : ParamKind::Value;
  const bool integers =
      kind == ParamKind::Range || kind == ParamKind::Integer || kind == ParamKind::WordOrInteger;
  const bool isWord = kind == ParamKind::Word ||
                      (kind == ParamKind::WordOrInteger && alone && !params.find(token.text()));
  if (isWord && token.is(TokenKind::Identifier))
    return parseWordArgument();
  if (kind == ParamKind::Dtype && token.is(TokenKind::Identifier)) {
    Type dtype = parseDtypeUse();
    return dtype ? std::optional<Arg>(dtype) : std::nullopt;
  }
  if (integers)
    return parseIntegers();
  Expr value = parseSum();
  if (failed)
    return std::nullopt;
  if (cursor.at(TokenKind::Range)) {
    cursor.reportExpected("`,` or `)`",
                          {"a range stands only where an op takes one", "write one value"});
    return fail(), std::nullopt;
  }
  return Arg(value);
}

std::optional<Arg> BodyParser::parseWordArgument() {
  Word word{std::string(cursor.next().text()), {}};
  if (!cursor.accept(TokenKind::LeftParen))
    return Arg(std::move(word));
  do {
    const SourceRange begin = cursor.peek().range;
    Expr value = parseSum();
    if (failed)
      return std::nullopt;
    Location loc = locate(begin.to(cursor.lastRange()));
    if (const Number *number = value.number())
      word.arguments.push_back({"", *number, loc});
    else if (Value loaded = builder.valueAt(value, loc))
      word.arguments.push_back({"", loaded, loc});
    else
      return fail(), std::nullopt;
  } while (cursor.accept(TokenKind::Comma));
  if (!cursor.expect(TokenKind::RightParen, "`)`", kCall))
    return fail(), std::nullopt;
  return Arg(std::move(word));
}

std::optional<Arg> BodyParser::parseIntegers() {
  std::optional<int64_t> begin = parseInteger(cursor, constants);
  if (!begin)
    return fail(), std::nullopt;
  if (!cursor.accept(TokenKind::Range))
    return Arg(*begin);
  std::optional<int64_t> end = parseInteger(cursor, constants);
  if (!end)
    return fail(), std::nullopt;
  return Arg(IntRange{*begin, *end});
}

std::optional<Arg> BodyParser::parameterArgument(const BoundParam &param) {
  auto *word = std::get_if<std::string>(&param.value);
  if (!word)
    return std::nullopt;
  if (param.type == ParamType::Dtype)
    return Arg(parseDtype(builder.context(), *word));
  return Arg(Word{*word, {}});
}

Type BodyParser::parseDtypeUse() {
  const Token *name = cursor.expect(
      TokenKind::Identifier, "a dtype",
      {"a dtype is a name such as bf16, or a dtype parameter", "write for example bf16"});
  if (!name)
    return fail(), Type();
  const BoundParam *param = params.find(name->text());
  if (param && param->type == ParamType::Dtype)
    return parseDtype(builder.context(), std::get<std::string>(param->value));
  if (!param)
    if (Type type = parseDtype(builder.context(), name->text()))
      return type;
  std::vector<std::string> known = dtypeNameList();
  const std::string list = joinNames(known);
  for (const BoundParam &candidate : params.params)
    if (candidate.type == ParamType::Dtype)
      known.push_back(candidate.name);
  builder.diagnostics().report(DiagId::dtypeUnknown, name->range, name->text(), list,
                               suggest(name->text(), known, "use one of these"));
  return fail(), Type();
}

} // namespace braid::dsl
