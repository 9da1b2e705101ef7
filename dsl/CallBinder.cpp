// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of an op call to the parameters of its OpSpec: by position, then by keyword, each
// checked for its kind.
#include "dsl/Builder.h"
#include "dsl/Constant.h"

using namespace mlir;

namespace braid::dsl {

static std::vector<std::string> paramNames(const OpSpec &spec) {
  std::vector<std::string> names;
  for (const ParamSpec &param : spec.params)
    names.push_back(param.name);
  return names;
}

static const char *kindText(ParamKind kind) {
  switch (kind) {
  case ParamKind::Value:
    return "a value";
  case ParamKind::Number:
    return "a number";
  case ParamKind::Integer:
    return "an integer";
  case ParamKind::Range:
    return "a range a..b";
  case ParamKind::Word:
    return "a word";
  case ParamKind::WordOrInteger:
    return "a word or an integer";
  case ParamKind::Dtype:
    return "a dtype";
  }
  return "";
}

/// What stands where another kind is needed.
static std::string payloadText(const Arg &arg) {
  if (auto *expr = std::get_if<Expr>(&arg.payload))
    return expr->number() ? fmt::format("the number {}", shortestText(expr->number()->value))
                          : "a value";
  if (auto *range = std::get_if<IntRange>(&arg.payload))
    return fmt::format("the range {}..{}", range->begin, range->end);
  if (auto *word = std::get_if<Word>(&arg.payload))
    return fmt::format("the word `{}`", word->name);
  return fmt::format("the dtype {}", braid::dtypeName(std::get<Type>(arg.payload)));
}

/// An example of a legal argument.
static std::string exampleOf(const ParamSpec &param) {
  switch (param.kind) {
  case ParamKind::Word:
  case ParamKind::WordOrInteger:
    return fmt::format("{} = {}", param.name, param.words.empty() ? "..." : param.words.front());
  case ParamKind::Range:
    return param.name + " = 0..64";
  case ParamKind::Number:
    return param.name + " = 1e-6";
  case ParamKind::Integer:
    return param.name + " = 64";
  case ParamKind::Dtype:
    return param.name + " = bf16";
  case ParamKind::Value:
    return "the name of a tensor or of an earlier statement";
  }
  return "";
}

std::optional<Call> Builder::bindCall(const OpSpec &spec, std::vector<Arg> args, Location loc) {
  const std::vector<std::string> names = paramNames(spec);
  Call call;
  llvm::StringMap<bool> given;
  // `misnamed`: what seems to be missing may be an argument that went astray.
  bool good = true, keywords = false, misnamed = false;
  for (size_t position = 0; position < args.size(); ++position) {
    Arg &arg = args[position];
    Location at = arg.loc.value_or(loc);
    const ParamSpec *param = nullptr;
    if (arg.keyword.empty() && keywords) {
      misnamed = true;
      report(DiagId::argumentOrder, at);
    } else if (arg.keyword.empty() && position >= spec.params.size()) {
      report(DiagId::argumentCount, at, spec.name, spec.params.size(), joinNames(names));
    } else if (arg.keyword.empty()) {
      param = &spec.params[position];
    } else {
      keywords = true;
      for (const ParamSpec &candidate : spec.params)
        if (candidate.name == arg.keyword)
          param = &candidate;
      if (!param) {
        misnamed = true;
        report(DiagId::argumentUnknown, at, spec.name, arg.keyword, joinNames(names),
               suggest(arg.keyword, names, "leave it out"));
      }
    }
    if (param && !given.try_emplace(param->name, true).second) {
      report(DiagId::argumentTwice, at, spec.name, param->name);
      param = nullptr;
    }
    good = param && bindArgument(spec, *param, std::move(arg), at, call) && good;
  }
  for (const ParamSpec &param : spec.params)
    if (param.required && !misnamed && !given.contains(param.name)) {
      report(DiagId::argumentMissing, loc, spec.name, param.name,
             param.doc.empty() ? spec.signature : fmt::format("{}: {}", param.name, param.doc),
             exampleOf(param));
      good = false;
    }
  return good && !misnamed ? std::optional(std::move(call)) : std::nullopt;
}

bool Builder::bindArgument(const OpSpec &spec, const ParamSpec &param, Arg arg, Location loc,
                           Call &call) {
  auto put = [&](auto payload) {
    Argument bound{arg.keyword, payload, loc};
    argumentPlaces.try_emplace(param.name, loc);
    call.bound.try_emplace(param.name, std::move(bound));
    return true;
  };
  auto mismatch = [&] {
    report(DiagId::argumentKind, loc, spec.name, param.name, kindText(param.kind), payloadText(arg),
           fmt::format("{}: {}", param.name, param.doc), exampleOf(param));
    return false;
  };
  auto *expr = std::get_if<Expr>(&arg.payload);
  if (expr && !*expr)
    return false; // an earlier error
  const Number *number = expr ? expr->number() : nullptr;
  switch (param.kind) {
  case ParamKind::Value: {
    if (!expr)
      return mismatch();
    Value value = number ? constant(*number, expr->place(loc)) : valueOf(*expr, loc);
    return value && put(value);
  }
  case ParamKind::Number:
    return number ? put(*number) : mismatch();
  case ParamKind::Integer:
    return number && number->integer ? put(*number) : mismatch();
  case ParamKind::Range: {
    auto *range = std::get_if<IntRange>(&arg.payload);
    return range ? put(*range) : mismatch();
  }
  case ParamKind::WordOrInteger:
    if (number && number->integer)
      return put(*number);
    [[fallthrough]];
  case ParamKind::Word: {
    auto *word = std::get_if<Word>(&arg.payload);
    if (!word)
      return mismatch();
    if (!param.words.empty() && !llvm::is_contained(param.words, word->name)) {
      report(DiagId::argumentWord, loc, spec.name, param.name, word->name, joinNames(param.words),
             suggest(word->name, param.words, "use one of these"));
      return false;
    }
    return put(*word);
  }
  case ParamKind::Dtype: {
    auto *dtype = std::get_if<Type>(&arg.payload);
    if (dtype && !*dtype)
      return false; // reported where the dtype was named
    return dtype ? put(*dtype) : mismatch();
  }
  }
  return false;
}

} // namespace braid::dsl
