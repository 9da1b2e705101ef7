// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads signatures and presets; bodies are kept as tokens.
#include "dsl/Head.h"

#include <algorithm>

namespace braid::dsl {
namespace {

const Grammar kSignature = {"a kernel is `kernel NAME(parameter: type = default, ...) { ... }`",
                            "write the signature in this form"};
const Grammar kPreset = {"a preset is `preset NAME { parameter = value, ... }`",
                         "write the preset in this form"};

const Grammar kGrouping = {"a preset's grouping stands in parentheses, or is fused or unfused",
                           "write for example `grouping = (q8, w | index_k)`"};

ParamDecl paddingParam() {
  ParamDecl decl;
  decl.name = "padding";
  decl.type = ParamType::Enum;
  decl.words = {"skip_store", "skip_all(slot)"};
  return decl;
}

class HeadParser {
public:
  HeadParser(Cursor &cursor, Head &head)
      : cursor(cursor), diagnostics(cursor.diagnostics()), head(head) {}

  void run() {
    while (!cursor.at(TokenKind::End)) {
      const bool named = cursor.peek(1).is(TokenKind::Identifier);
      if (cursor.atWord("kernel") && named)
        parseKernel();
      else if (cursor.atWord("layout") && named)
        parseLayout();
      else
        skipToDefinition();
    }
  }

private:
  void skipToDefinition() {
    cursor.reportExpected("`kernel`", {"a program is a list of kernel definitions",
                                       "write `kernel NAME(...) { ... }`"});
    do
      cursor.next();
    while (!cursor.at(TokenKind::End) &&
           !(cursor.peek().firstOnLine && (cursor.atWord("kernel") || cursor.atWord("layout"))));
  }

  void parseLayout() {
    LayoutDefinition layout = parseLayoutDefinition(cursor);
    auto same = [&](const LayoutDefinition &other) { return other.name == layout.name; };
    const std::vector<LayoutDefinition> &library = libraryLayouts();
    if (std::any_of(library.begin(), library.end(), same))
      diagnostics.report(DiagId::nameTaken, layout.range, layout.name, "a layout of the library");
    else if (auto other = std::find_if(head.layouts.begin(), head.layouts.end(), same);
             other != head.layouts.end())
      diagnostics.report(DiagId::nameTaken, layout.range, layout.name,
                         fmt::format("the layout of line {}", other->range.position().line));
    else
      head.layouts.push_back(std::move(layout));
  }

  void parseKernel() {
    cursor.next();
    KernelHead kernel;
    kernel.range = cursor.peek().range;
    kernel.name = cursor.next().text();
    if (auto *other = find(kernel.name))
      diagnostics.report(DiagId::nameTaken, kernel.range, kernel.name,
                         fmt::format("the kernel of line {}", other->range.position().line));
    if (cursor.expect(TokenKind::LeftParen, "`(`", kSignature)) {
      parseParams(kernel);
      cursor.expect(TokenKind::RightParen, "`)`", kSignature);
    }
    kernel.params.push_back(paddingParam());
    if (cursor.expect(TokenKind::LeftBrace, "`{`", kSignature)) {
      parseBody(kernel);
      cursor.expect(TokenKind::RightBrace, "`}`",
                    {"a kernel's statements end with `}`", "close the kernel with `}`"});
    }
    checkPresets(kernel);
    head.kernels.push_back(std::move(kernel));
  }

  const KernelHead *find(std::string_view name) const {
    for (const KernelHead &kernel : head.kernels)
      if (kernel.name == name)
        return &kernel;
    return nullptr;
  }

  void parseParams(KernelHead &kernel) {
    while (!cursor.at(TokenKind::RightParen) && !cursor.at(TokenKind::End)) {
      if (!parseParam(kernel))
        cursor.takeUntil({TokenKind::Comma});
      if (!cursor.accept(TokenKind::Comma))
        return;
    }
  }

  bool parseParam(KernelHead &kernel) {
    const Token *name = cursor.expect(TokenKind::Identifier, "a parameter name", kSignature);
    if (!name || !cursor.expect(TokenKind::Colon, "`:`", kSignature))
      return false;
    ParamDecl decl;
    decl.name = name->text();
    decl.range = name->range;
    const Token *type = cursor.expect(TokenKind::Identifier, "a parameter type", kSignature);
    if (!type)
      return false;
    const std::vector<std::string> known(std::begin(kParamTypeNames), std::end(kParamTypeNames));
    const auto found = std::find(known.begin(), known.end(), type->text());
    if (found == known.end()) {
      diagnostics.report(DiagId::paramTypeUnknown, type->range, type->text(),
                         suggest(type->text(), known, "use one of these"));
      return false;
    }
    decl.type = static_cast<ParamType>(found - known.begin());
    if (decl.type == ParamType::RopeStyle)
      decl.words = {"neox", "gptj"};
    if (decl.type == ParamType::Enum && !parseWords(decl))
      return false;
    if (cursor.accept(TokenKind::Equal)) {
      decl.defaultValue = cursor.takeUntil({TokenKind::Comma});
      if (decl.defaultValue.empty())
        cursor.reportExpected("a default value", kSignature);
    }
    if (decl.name == "padding" || kernel.findParam(decl.name)) {
      diagnostics.report(DiagId::nameTaken, decl.range, decl.name,
                         decl.name == "padding" ? "a built-in parameter" : "a parameter");
      return true;
    }
    kernel.params.push_back(std::move(decl));
    return true;
  }

  bool parseWords(ParamDecl &decl) {
    const Grammar grammar = {"an enum lists its words", "write enum(a, b)"};
    if (!cursor.expect(TokenKind::LeftParen, "`(`", grammar))
      return false;
    do {
      const Token *word = cursor.expect(TokenKind::Identifier, "a word", grammar);
      if (!word)
        return false;
      decl.words.emplace_back(word->text());
    } while (cursor.accept(TokenKind::Comma));
    return cursor.expect(TokenKind::RightParen, "`)`", grammar);
  }

  void parseBody(KernelHead &kernel) {
    for (size_t depth = 0; !cursor.at(TokenKind::End);) {
      const Token &token = cursor.peek();
      const bool presetFollows = token.isWord("preset") && cursor.peek(1).is(TokenKind::Identifier);
      if (token.is(TokenKind::RightBrace) && depth == 0)
        return;
      // A kernel without its `}` ends where the next one begins.
      if (token.firstOnLine && token.column == 1 && token.isWord("kernel") &&
          cursor.peek(1).is(TokenKind::Identifier) && cursor.peek(2).is(TokenKind::LeftParen))
        return;
      if (presetFollows && depth == 0) {
        parsePreset(kernel);
        continue;
      }
      depth += token.is(TokenKind::LeftBrace);
      depth -= token.is(TokenKind::RightBrace);
      kernel.body.push_back(cursor.next());
    }
  }

  void parsePreset(KernelHead &kernel) {
    cursor.next();
    std::vector<Preset> presets; // several names may share one block
    do {
      const Token *name = cursor.expect(TokenKind::Identifier, "a preset name", kPreset);
      if (!name)
        break;
      if (kernel.findPreset(name->text()))
        diagnostics.report(DiagId::nameTaken, name->range, name->text(), "a preset");
      presets.push_back({std::string(name->text()), name->range, {}, {}});
    } while (cursor.accept(TokenKind::Comma));
    if (!cursor.expect(TokenKind::LeftBrace, "`{`", kPreset))
      return;
    std::vector<PresetItem> items;
    SourceRange grouping;
    while (!cursor.at(TokenKind::RightBrace) && !cursor.at(TokenKind::End)) {
      if (!parsePresetItem(kernel, items, grouping))
        cursor.takeUntil({TokenKind::Comma});
      if (!cursor.accept(TokenKind::Comma))
        break;
    }
    if (!cursor.expect(TokenKind::RightBrace, "`,` or `}`", kPreset)) {
      cursor.takeUntil({});
      cursor.accept(TokenKind::RightBrace);
    }
    for (Preset &preset : presets) {
      preset.items = items;
      preset.grouping = grouping;
      kernel.presets.push_back(std::move(preset));
    }
  }

  // `(q8, w | index_k)`: in parentheses, because the items of a preset are separated by commas too.
  void parseGrouping(const Token &name, SourceRange &grouping) {
    if (grouping.source)
      diagnostics.report(DiagId::settingTwice, name.range, name.text());
    grouping = cursor.peek().range;
    if (cursor.atWord("fused") || cursor.atWord("unfused")) {
      cursor.next();
      return;
    }
    if (!cursor.expect(TokenKind::LeftParen, "`(`, fused or unfused", kGrouping)) {
      cursor.takeUntil({}); // its value holds commas of its own
      return;
    }
    grouping.begin = grouping.end;
    cursor.takeUntil({});
    grouping.end = cursor.peek().range.begin;
    cursor.expect(TokenKind::RightParen, "`)`", kGrouping);
  }

  bool parsePresetItem(KernelHead &kernel, std::vector<PresetItem> &items, SourceRange &grouping) {
    const Token *name = cursor.expect(TokenKind::Identifier, "a parameter name", kPreset);
    if (!name || !cursor.expect(TokenKind::Equal, "`=`", kPreset))
      return false;
    const bool isParam = kernel.findParam(name->text()) != nullptr;
    if (name->isWord("grouping") && !isParam) {
      parseGrouping(Token(*name), grouping);
      return true;
    }
    if (name->isWord("outputs") && !isParam) {
      diagnostics.report(DiagId::notSupported, name->range,
                         fmt::format("`{}` in a preset", name->text()),
                         "a preset only binds parameters", "leave it out");
      cursor.takeUntil({}); // its value holds commas of its own
      return true;
    }
    PresetItem item{std::string(name->text()), name->range, cursor.takeUntil({TokenKind::Comma})};
    if (item.value.empty()) {
      cursor.reportExpected("a value", kPreset);
      return true;
    }
    auto same = [&](const PresetItem &other) { return other.param == item.param; };
    if (std::any_of(items.begin(), items.end(), same))
      diagnostics.report(DiagId::settingTwice, item.range, item.param);
    else
      items.push_back(std::move(item));
    return true;
  }

  void checkPresets(const KernelHead &kernel) {
    const std::vector<std::string> names = kernel.paramNames();
    for (const Preset &preset : kernel.presets)
      for (const PresetItem &item : preset.items)
        if (!kernel.findParam(item.param))
          diagnostics.report(DiagId::paramUnknown, item.range, kernel.name, item.param,
                             joinNames(names), suggest(item.param, names, "leave it out"));
  }

  Cursor &cursor;
  DiagnosticList &diagnostics;
  Head &head;
};

} // namespace

Head parseHead(std::shared_ptr<const Source> source, DiagnosticList &diagnostics) {
  Head head{source, {}, {}};
  Cursor cursor(lex(*source, diagnostics), diagnostics);
  HeadParser(cursor, head).run();
  if (head.kernels.empty() && head.layouts.empty() && diagnostics.empty())
    diagnostics.report(DiagId::kernelMissing, {source.get(), 0, 0});
  return head;
}

} // namespace braid::dsl
