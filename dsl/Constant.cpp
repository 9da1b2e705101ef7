// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Constant.h"

#include <charconv>
#include <cmath>

namespace braid::dsl {
namespace {

using Result = std::optional<ConstantValue>;

double asReal(ConstantValue value) {
  return std::visit([](auto number) { return static_cast<double>(number); }, value);
}

// The quotient and remainder of floor division, as indices of pages need them.
int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
int64_t floorMod(int64_t a, int64_t b) {
  return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}

class ConstantParser {
public:
  ConstantParser(Cursor &cursor, const ConstantLookup &lookup, bool integer)
      : cursor(cursor), lookup(lookup), integer(integer) {}

  Result sum() {
    Result left = product();
    while (left && (cursor.at(TokenKind::Plus) || cursor.at(TokenKind::Minus)))
      left = combine(cursor.next(), *left, product());
    return left;
  }

private:
  template <typename... Args>
  Result fail(DiagId id, SourceRange range, const Args &...args) {
    cursor.diagnostics().report(id, range, args...);
    return std::nullopt;
  }

  Result product() {
    Result left = unary();
    while (left && (cursor.at(TokenKind::Star) || cursor.at(TokenKind::Slash) ||
                    cursor.at(TokenKind::Percent)))
      left = combine(cursor.next(), *left, unary());
    return left;
  }

  Result unary() {
    if (depth >= kMaxNesting)
      return fail(DiagId::nestedTooDeep, cursor.peek().range, kMaxNesting);
    ++depth;
    Result value;
    if (cursor.at(TokenKind::Minus)) {
      const Token &minus = cursor.next();
      value = unary();
      if (value)
        value = integer ? combine(minus, int64_t(0), value) : Result(-asReal(*value));
    } else {
      value = primary();
    }
    --depth;
    return value;
  }

  Result primary() {
    const Token &token = cursor.peek();
    switch (token.kind) {
    case TokenKind::Integer:
      return numberValue(cursor.next(), integer, cursor.diagnostics());
    case TokenKind::Float:
      if (integer)
        return fail(DiagId::integerNeeded, token.range, describe(token));
      return numberValue(cursor.next(), integer, cursor.diagnostics());
    case TokenKind::LeftParen: {
      cursor.next();
      Result value = sum();
      return value && close() ? value : std::nullopt;
    }
    case TokenKind::Identifier:
      return cursor.peek(1).is(TokenKind::LeftParen) ? call() : name();
    default:
      cursor.reportExpected(integer ? "an integer expression" : "a constant expression",
                            {"a number, a parameter, `(` or a function stands here",
                             "write for example 64 or rope_dim / 2"});
      return std::nullopt;
    }
  }

  bool close() {
    return cursor.expect(TokenKind::RightParen, "`)`",
                         {"every `(` has its `)` in the same expression", "add `)`"});
  }

  Result name() {
    const Token &token = cursor.next();
    Result value = lookup(token);
    if (value && integer && std::holds_alternative<double>(*value))
      return fail(DiagId::integerNeeded, token.range,
                  fmt::format("`{}`, which is f32,", token.text()));
    return value;
  }

  Result call() {
    const Token &function = cursor.next();
    if (!isConstantFunction(function.text()))
      return fail(DiagId::constantFunction, function.range, function.text(),
                  "it is not a function of constants",
                  suggest(function.text(), std::vector<std::string>{"sqrt", "min", "max"}, "use sqrt, min or max"));
    if (integer && function.isWord("sqrt"))
      return fail(DiagId::integerNeeded, function.range, "`sqrt`");
    cursor.next(); // `(`
    std::vector<ConstantValue> arguments;
    do {
      Result argument = sum();
      if (!argument)
        return std::nullopt;
      arguments.push_back(*argument);
    } while (cursor.accept(TokenKind::Comma));
    if (!close())
      return std::nullopt;
    if (integer) {
      if (arguments.size() != 2)
        return fail(DiagId::constantFunction, function.range, function.text(),
                    "it takes two arguments", "write min(a, b) or max(a, b)");
      const auto a = std::get<int64_t>(arguments[0]), b = std::get<int64_t>(arguments[1]);
      return function.isWord("min") ? std::min(a, b) : std::max(a, b);
    }
    std::vector<double> reals;
    for (ConstantValue argument : arguments)
      reals.push_back(asReal(argument));
    auto value = callConstant(function.text(), reals);
    if (auto *wrong = std::get_if<std::string>(&value))
      return fail(DiagId::constantFunction, function.range, function.text(), *wrong,
                  "mend the arguments");
    return std::get<double>(value);
  }

  Result combine(const Token &op, ConstantValue left, Result right) {
    if (!right)
      return std::nullopt;
    const bool divides = op.is(TokenKind::Slash) || op.is(TokenKind::Percent);
    if (divides && asReal(*right) == 0)
      return fail(DiagId::divisionByZero, op.range);
    return integer ? combineIntegers(op, std::get<int64_t>(left), std::get<int64_t>(*right))
                   : combineReals(op, asReal(left), asReal(*right));
  }

  Result combineIntegers(const Token &op, int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflow = false;
    switch (op.kind) {
    case TokenKind::Plus:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case TokenKind::Minus:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case TokenKind::Star:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    default:
      overflow = b == -1 && a == INT64_MIN;
      if (!overflow)
        result = op.is(TokenKind::Slash) ? floorDiv(a, b) : floorMod(a, b);
    }
    if (overflow)
      return fail(DiagId::constantRange, op.range, fmt::format("{} {} {}", a, op.text(), b),
                  "integers have 64 bits");
    return result;
  }

  Result combineReals(const Token &op, double a, double b) {
    switch (op.kind) {
    case TokenKind::Plus:
      return a + b;
    case TokenKind::Minus:
      return a - b;
    case TokenKind::Star:
      return a * b;
    case TokenKind::Slash:
      return a / b;
    default:
      return fail(DiagId::integerOnly, op.range);
    }
  }

  Cursor &cursor;
  const ConstantLookup &lookup;
  bool integer;
  unsigned depth = 0;
};

} // namespace

std::optional<int64_t> parseInteger(Cursor &cursor, const ConstantLookup &lookup) {
  Result value = ConstantParser(cursor, lookup, true).sum();
  return value ? std::optional(std::get<int64_t>(*value)) : std::nullopt;
}

std::optional<double> parseReal(Cursor &cursor, const ConstantLookup &lookup) {
  Result value = ConstantParser(cursor, lookup, false).sum();
  return value ? std::optional(asReal(*value)) : std::nullopt;
}

std::optional<ConstantValue> numberValue(const Token &token, bool integer,
                                         DiagnosticList &diagnostics) {
  const std::string_view text = token.text();
  int64_t whole = 0;
  if (integer) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error == std::errc())
      return whole;
    diagnostics.report(DiagId::constantRange, token.range, text, "integers have 64 bits");
    return std::nullopt;
  }
  double real = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (error == std::errc())
    return real;
  diagnostics.report(DiagId::constantRange, token.range, text, "constants are evaluated in double");
  return std::nullopt;
}

bool isConstantFunction(std::string_view name) {
  return name == "sqrt" || name == "min" || name == "max";
}

std::variant<double, std::string> callConstant(std::string_view name,
                                               const std::vector<double> &arguments) {
  if (name == "sqrt") {
    if (arguments.size() != 1)
      return "it takes one argument";
    if (!(arguments[0] >= 0))
      return "its argument is negative";
    return std::sqrt(arguments[0]);
  }
  if (arguments.size() != 2)
    return "it takes two arguments";
  return name == "min" ? std::fmin(arguments[0], arguments[1])
                       : std::fmax(arguments[0], arguments[1]);
}

std::string shortestText(double value) {
  char buffer[40];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end);
}

} // namespace braid::dsl
