// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defaults, then a preset, then settings; then each value is evaluated at its first use.
#include "dsl/LayoutCall.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <set>

namespace braid::dsl {
namespace {

const Grammar kValue = {"a parameter's value is an expression, a word or a layout call",
                        "remove what follows the value"};

const Grammar kSkipAll = {"skip_all names the slot tensor that tells padding from tokens",
                          "write for example padding=skip_all(slot)"};

class ParamBinder {
public:
  ParamBinder(const KernelHead &kernel, DiagnosticList &diagnostics)
      : kernel(kernel), diagnostics(diagnostics) {
    for (const ParamDecl &decl : kernel.params)
      if (!decl.defaultValue.empty())
        given[decl.name] = decl.defaultValue;
  }

  void usePreset(std::string_view name) {
    const std::vector<std::string> names = kernel.presetNames();
    const Preset *preset = kernel.findPreset(name);
    if (!preset)
      return diagnostics.report(DiagId::presetUnknown, kernel.range, kernel.name, name,
                                joinNames(names), suggest(name, names, "use one of these"));
    for (const PresetItem &item : preset->items)
      given[item.param] = item.value;
  }

  void useSetting(const std::string &text) {
    const size_t equal = text.find('=');
    std::string name = text.substr(0, std::min(equal, text.size()));
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    // Settings are told apart by name in messages and in MLIR locations.
    auto source = std::make_shared<const Source>("--set " + name.substr(0, 40), text);
    bound.sources.push_back(source);
    const SourceRange whole{source.get(), 0, static_cast<uint32_t>(text.size())};
    if (equal == std::string::npos || name.empty())
      return diagnostics.report(DiagId::settingForm, whole, text.substr(0, 60));
    std::vector<Token> tokens = lex(*source, diagnostics);
    auto assign = std::find_if(tokens.begin(), tokens.end(),
                               [](const Token &token) { return token.is(TokenKind::Equal); });
    if (assign == tokens.end() || assign + 2 >= tokens.end())
      return diagnostics.report(DiagId::settingForm, whole, text.substr(0, 60));
    const SourceRange place{source.get(), tokens.front().range.begin, assign->range.begin};
    if (!kernel.findParam(name)) {
      const std::vector<std::string> names = kernel.paramNames();
      return diagnostics.report(DiagId::paramUnknown, place, kernel.name, name, joinNames(names),
                                suggest(name, names, "leave it out"));
    }
    if (std::find(set.begin(), set.end(), name) != set.end())
      return diagnostics.report(DiagId::settingTwice, place, name);
    set.push_back(name);
    given[name] = std::vector<Token>(assign + 1, tokens.end() - 1);
  }

  std::optional<BoundParams> run() {
    const size_t before = diagnostics.size();
    for (const ParamDecl &decl : kernel.params)
      if (!given.count(decl.name) && decl.name != "padding")
        reportMissing(decl);
    for (const ParamDecl &decl : kernel.params)
      if (const BoundParam *param = evaluate(decl, decl.range))
        bound.params.push_back(*param);
    // The list may have been full before, so its size alone does not tell.
    if (diagnostics.size() != before || bound.params.size() != kernel.params.size())
      return std::nullopt;
    return std::move(bound);
  }

private:
  void reportMissing(const ParamDecl &decl) {
    const std::vector<std::string> names = kernel.presetNames();
    diagnostics.report(DiagId::paramMissing, decl.range, decl.name, decl.valueText(),
                       names.empty() ? "" : ", or choose a preset: " + joinNames(names));
  }

  /// The value of a parameter, evaluated at its first use. Null after a report.
  const BoundParam *evaluate(const ParamDecl &decl, SourceRange use) {
    if (auto done = values.find(decl.name); done != values.end()) {
      if (!done->second && evaluating.count(decl.name))
        diagnostics.report(DiagId::paramCycle, use, decl.name);
      return done->second ? &*done->second : nullptr;
    }
    if (evaluating.size() >= kMaxNesting) {
      diagnostics.report(DiagId::nestedTooDeep, use, kMaxNesting);
      return nullptr;
    }
    auto &slot = values[decl.name];
    auto tokens = given.find(decl.name);
    BoundParam param{decl.name, decl.type, std::string("skip_store"), {}};
    if (tokens == given.end())
      return decl.name == "padding" ? &*(slot = param) : nullptr;
    evaluating.insert(decl.name);
    Cursor cursor(tokens->second, diagnostics);
    param.range = cursor.peek().range;
    const bool good = parseValue(decl, cursor, param);
    param.range = param.range.to(cursor.lastRange());
    evaluating.erase(decl.name);
    if (!good)
      return nullptr;
    if (!cursor.at(TokenKind::End)) {
      cursor.reportExpected("the end of the value", kValue);
      return nullptr;
    }
    return &*(slot = std::move(param));
  }

  const BoundParam *resolve(const Token &name) {
    const ParamDecl *decl = kernel.findParam(name.text());
    return decl ? evaluate(*decl, name.range) : nullptr;
  }

  std::optional<ConstantValue> lookup(const Token &name) {
    const ParamDecl *decl = kernel.findParam(name.text());
    if (!decl) {
      diagnostics.report(DiagId::notConstant, name.range, name.text(), "",
                         suggest(name.text(), kernel.paramNames(), "use a number or a parameter"));
      return std::nullopt;
    }
    const BoundParam *param = evaluate(*decl, name.range);
    return param ? constantOf(*param, name, diagnostics) : std::nullopt;
  }

  bool parseValue(const ParamDecl &decl, Cursor &cursor, BoundParam &param) {
    const ConstantLookup constants = [this](const Token &name) { return lookup(name); };
    switch (decl.type) {
    case ParamType::Int: {
      std::optional<int64_t> value = parseInteger(cursor, constants);
      return value && (param.value = *value, true);
    }
    case ParamType::F32: {
      const SourceRange begin = cursor.peek().range;
      std::optional<double> value = parseReal(cursor, constants);
      if (value && !(std::fabs(*value) <= FLT_MAX)) {
        diagnostics.report(DiagId::constantRange, begin.to(cursor.lastRange()),
                           shortestText(*value), "it is not a finite f32");
        return false;
      }
      return value && (param.value = *value, true);
    }
    case ParamType::Layout: {
      if (!cursor.peek(1).is(TokenKind::LeftParen))
        return reportKind(decl, cursor);
      auto layout =
          parseLayout(cursor, [this](const Token &name) { return resolve(name); }, constants);
      return layout && (param.value = std::move(*layout), true);
    }
    default:
      return parseWord(decl, cursor, param);
    }
  }

  bool parseWord(const ParamDecl &decl, Cursor &cursor, BoundParam &param) {
    if (decl.name == "padding")
      return parsePadding(decl, cursor, param);
    if (!cursor.at(TokenKind::Identifier))
      return reportKind(decl, cursor);
    const std::string word(cursor.peek().text());
    auto isLegal = [&](const std::string &text) {
      if (decl.type == ParamType::Dtype)
        return isDtypeName(text);
      if (decl.type == ParamType::Bool)
        return text == "true" || text == "false";
      return std::find(decl.words.begin(), decl.words.end(), text) != decl.words.end();
    };
    if (isLegal(word)) {
      cursor.next();
      if (decl.type == ParamType::Bool)
        param.value = word == "true";
      else
        param.value = word;
      return true;
    }
    // Another parameter of the same type passes its value on.
    const ParamDecl *other = kernel.findParam(word);
    if (other && other->type == decl.type) {
      const BoundParam *value = evaluate(*other, cursor.next().range);
      const auto *text = value ? std::get_if<std::string>(&value->value) : nullptr;
      if (!value || (text && !isLegal(*text)))
        return value && reportKind(decl, cursor);
      param.value = value->value;
      return true;
    }
    return reportKind(decl, cursor);
  }

  /// `skip_store` or `skip_all(NAME)`; whether NAME is a slot tensor shows once the body is read.
  bool parsePadding(const ParamDecl &decl, Cursor &cursor, BoundParam &param) {
    const bool all = cursor.atWord("skip_all");
    if (!all && !cursor.atWord("skip_store"))
      return reportKind(decl, cursor);
    cursor.next();
    if (!all)
      return param.value = "skip_store", true;
    if (!cursor.expect(TokenKind::LeftParen, "`(`", kSkipAll))
      return false;
    const Token *slot = cursor.expect(TokenKind::Identifier, "the name of a slot tensor", kSkipAll);
    if (!slot)
      return false;
    param.value = fmt::format("skip_all({})", slot->text());
    return cursor.expect(TokenKind::RightParen, "`)`", kSkipAll);
  }

  bool reportKind(const ParamDecl &decl, Cursor &cursor) {
    std::vector<std::string> known = decl.words;
    if (decl.type == ParamType::Dtype)
      known = dtypeNameList();
    else if (decl.type == ParamType::Bool)
      known = {"true", "false"};
    for (const ParamDecl &other : kernel.params)
      if (other.type == decl.type)
        known.push_back(other.name);
    const std::string otherwise = "give it " + decl.valueText();
    const Token &found = cursor.peek();
    diagnostics.report(DiagId::paramKind, found.range, decl.name, decl.valueText(), describe(found),
                       decl.typeText(),
                       found.is(TokenKind::Identifier) ? suggest(found.text(), known, otherwise)
                                                       : otherwise);
    return false;
  }

  const KernelHead &kernel;
  DiagnosticList &diagnostics;
  BoundParams bound;
  std::map<std::string, std::vector<Token>, std::less<>> given;
  std::map<std::string, std::optional<BoundParam>, std::less<>> values;
  std::set<std::string, std::less<>> evaluating;
  std::vector<std::string> set;
};

} // namespace

std::optional<BoundParams> bindParams(const KernelHead &kernel, std::string_view preset,
                                      std::span<const std::string> settings,
                                      DiagnosticList &diagnostics) {
  const size_t before = diagnostics.size();
  ParamBinder binder(kernel, diagnostics);
  if (!preset.empty())
    binder.usePreset(preset);
  for (const std::string &setting : settings)
    binder.useSetting(setting);
  if (diagnostics.size() != before)
    return std::nullopt;
  return binder.run();
}

} // namespace braid::dsl
