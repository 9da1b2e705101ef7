// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Binding.h"

#include "dsl/LayoutCall.h"

#include "runtime/DType.h"

#include <algorithm>

namespace braid::dsl {
namespace {

std::string dtypeOrNumber(const std::variant<int64_t, std::string> &value) {
  auto *whole = std::get_if<int64_t>(&value);
  return whole ? std::to_string(*whole) : std::get<std::string>(value);
}

} // namespace

std::string BoundLayout::canonical() const {
  std::string text = name + "(";
  for (const BoundLayoutArg &arg : args)
    text += (text.back() == '(' ? "" : ", ") + arg.name + "=" + dtypeOrNumber(arg.value);
  return text + ")";
}

std::string BoundParam::canonical() const {
  if (auto *whole = std::get_if<int64_t>(&value))
    return std::to_string(*whole);
  if (auto *real = std::get_if<double>(&value))
    return shortestText(*real);
  if (auto *truth = std::get_if<bool>(&value))
    return *truth ? "true" : "false";
  if (auto *layout = std::get_if<BoundLayout>(&value))
    return layout->canonical();
  return std::get<std::string>(value);
}

const BoundParam *BoundParams::find(std::string_view name) const {
  auto it = std::find_if(params.begin(), params.end(),
                         [&](const BoundParam &param) { return param.name == name; });
  return it == params.end() ? nullptr : &*it;
}

std::map<std::string, std::string> BoundParams::canonical() const {
  std::map<std::string, std::string> texts;
  for (const BoundParam &param : params)
    texts[param.name] = param.canonical();
  return texts;
}

ConstantLookup parameterLookup(const BoundParams &params, DiagnosticList &diagnostics) {
  return [&](const Token &name) -> std::optional<ConstantValue> {
    if (const BoundParam *param = params.find(name.text()))
      return constantOf(*param, name, diagnostics);
    std::vector<std::string> names;
    for (const BoundParam &param : params.params)
      names.push_back(param.name);
    diagnostics.report(DiagId::notConstant, name.range, name.text(), "",
                       suggest(name.text(), names, "use a number or a parameter"));
    return std::nullopt;
  };
}

bool isDtypeName(std::string_view name) { return name == "fp8" || parseDType(name).has_value(); }

std::vector<std::string> dtypeNameList() {
  std::vector<std::string> names = {"fp8"};
  for (DType type : allDTypes())
    names.emplace_back(dtypeName(type));
  return names;
}

} // namespace braid::dsl
