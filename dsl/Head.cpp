// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Head.h"

#include <algorithm>

namespace braid::dsl {
namespace {

template <typename T>
const T *findNamed(const std::vector<T> &list, std::string_view name) {
  auto it =
      std::find_if(list.begin(), list.end(), [&](const T &item) { return item.name == name; });
  return it == list.end() ? nullptr : &*it;
}

template <typename T>
std::vector<std::string> namesOf(const std::vector<T> &list) {
  std::vector<std::string> names;
  for (const T &item : list)
    names.push_back(item.name);
  return names;
}

} // namespace

std::string ParamDecl::typeText() const {
  return type == ParamType::Enum ? fmt::format("enum({})", fmt::join(words, ", "))
                                 : std::string(kParamTypeNames[static_cast<size_t>(type)]);
}

std::string ParamDecl::valueText() const {
  switch (type) {
  case ParamType::Int:
    return "an integer";
  case ParamType::F32:
    return "a number";
  case ParamType::Bool:
    return "true or false";
  case ParamType::Dtype:
    return "a dtype such as bf16";
  case ParamType::Layout:
    return "a layout such as linear(page_size = 64, dim = 128)";
  default:
    return fmt::format("{}", fmt::join(words, " or "));
  }
}

std::string ParamDecl::defaultText() const {
  return name == "padding" && defaultValue.empty() ? "skip_store" : joinTokens(defaultValue);
}

const ParamDecl *KernelHead::findParam(std::string_view name) const {
  return findNamed(params, name);
}
const Preset *KernelHead::findPreset(std::string_view name) const {
  return findNamed(presets, name);
}
std::vector<std::string> KernelHead::paramNames() const { return namesOf(params); }
std::vector<std::string> KernelHead::presetNames() const { return namesOf(presets); }

const KernelHead *selectKernel(const Head &head, std::string_view name,
                               DiagnosticList &diagnostics) {
  const std::vector<std::string> names = namesOf(head.kernels);
  if (name.empty() && head.kernels.size() == 1)
    return &head.kernels.front();
  if (const KernelHead *kernel = findNamed(head.kernels, name))
    return kernel;
  const SourceRange start{head.source.get(), 0, 0};
  if (!name.empty() && !head.kernels.empty())
    diagnostics.report(DiagId::kernelUnknown, head.kernels[0].range, name, joinNames(names),
                       suggest(name, names, "use one of these"));
  else if (!head.kernels.empty())
    diagnostics.report(DiagId::kernelChoice, head.kernels[1].range, joinNames(names));
  else if (diagnostics.empty())
    diagnostics.report(DiagId::kernelMissing, start);
  return nullptr;
}

std::string joinTokens(const std::vector<Token> &tokens) {
  std::string text;
  uint32_t end = 0;
  for (const Token &token : tokens) {
    if (token.is(TokenKind::End))
      break;
    if (!text.empty() && token.range.begin != end)
      text += ' ';
    text += token.text();
    end = token.range.end;
  }
  return text;
}

} // namespace braid::dsl
