// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/Bindings.h"

#include "runtime/NearestName.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace braid::tool {

// --- text -------------------------------------------------------------------------------------

static Status wrongForm(const std::string &text, const std::string &why) {
  return makeError(Error::BindingForm, fmt::format("--bind {} is no binding", text), why,
                   "write --bind 'operand=member' or --bind 'operand=member[:,0:128]'");
}

static bool parseNumber(std::string_view text, std::optional<int64_t> &number) {
  int64_t value = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return false;
  number = value;
  return true;
}

static bool parseSlice(std::string_view text, AxisSlice &slice) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    slice.single = true;
    return parseNumber(text, slice.begin);
  }
  std::string_view begin = text.substr(0, colon), end = text.substr(colon + 1);
  return (begin.empty() || parseNumber(begin, slice.begin)) &&
         (end.empty() || parseNumber(end, slice.end));
}

static Status parseBinding(const std::string &text, Binding &binding) {
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain),
               [](char c) { return c != ' '; });
  binding.text = text;
  size_t equal = plain.find('=');
  if (equal == std::string::npos)
    return wrongForm(text, "it has no `=`");
  size_t bracket = std::min(plain.find('[', equal), plain.size());
  binding.operand = plain.substr(0, equal);
  binding.member = plain.substr(equal + 1, bracket - equal - 1);
  if (binding.operand.empty() || binding.member.empty())
    return wrongForm(text, "an operand stands before `=` and a member behind it");
  if (bracket == plain.size())
    return {};
  if (plain.back() != ']')
    return wrongForm(text, "`[` is not closed by `]`");
  std::string_view inside = std::string_view(plain).substr(bracket + 1, plain.size() - bracket - 2);
  while (true) {
    size_t comma = std::min(inside.find(','), inside.size());
    std::string_view one = inside.substr(0, comma);
    if (!parseSlice(one, binding.slices.emplace_back()))
      return wrongForm(
          text, fmt::format("`{}` is no slice; slices are `:`, `a:b` and `i`, of numbers from 0 on",
                            one));
    if (comma == inside.size())
      return {};
    inside.remove_prefix(comma + 1);
  }
}

Status parseBindings(const std::vector<std::string> &texts, std::vector<Binding> &bindings) {
  bindings.clear();
  for (const std::string &text : texts) {
    Binding binding;
    if (Status status = parseBinding(text, binding); !status.ok())
      return status;
    for (const Binding &other : bindings)
      if (other.operand == binding.operand)
        return wrongForm(
            text, fmt::format("operand `{}` is bound already, by {}", other.operand, other.text));
    bindings.push_back(std::move(binding));
  }
  return {};
}

Status checkBindings(const std::vector<Binding> &bindings, const KernelMeta &meta) {
  for (const Binding &binding : bindings) {
    auto named = [&](const OperandMeta &operand) { return operand.name == binding.operand; };
    if (std::any_of(meta.operands.begin(), meta.operands.end(), named))
      continue;
    std::vector<std::string> names;
    for (const OperandMeta &operand : meta.operands)
      names.push_back(operand.name);
    return makeError(
        Error::BindingUnknown,
        fmt::format("--bind {}: the kernel has no operand `{}`", binding.text, binding.operand),
        fmt::format("its operands are: {}", joinNames(names)),
        suggest(binding.operand, names, "name one of these, or leave the binding out"));
  }
  return {};
}

// --- slices -----------------------------------------------------------------------------------

static std::string shapeText(const Binding &binding, const RawArray &raw) {
  return fmt::format("member '{}' is {} {}", binding.member, npyName(raw.kind),
                     extentsText(raw.extents));
}

static Status slice(const Binding &binding, const RawArray &raw, HostArray &array) {
  if (binding.slices.empty())
    return {};
  if (binding.slices.size() != array.rank())
    return makeError(Error::BindingSlice,
                     fmt::format("--bind {} has {} slices", binding.text, binding.slices.size()),
                     shapeText(binding, raw),
                     fmt::format("write one slice for each of its {} axes", array.rank()));
  for (size_t axis = 0; axis < binding.slices.size(); ++axis) {
    const AxisSlice &wanted = binding.slices[axis];
    int64_t begin = wanted.begin.value_or(0), extent = array.extents[axis];
    bool inside = wanted.single ? begin < extent : begin <= wanted.end.value_or(extent);
    int64_t end = wanted.single && inside ? begin + 1 : wanted.end.value_or(extent);
    if (!inside || end > extent)
      return makeError(
          Error::BindingSlice,
          fmt::format("--bind {}: axis {} has {} elements", binding.text, axis, extent),
          shapeText(binding, raw),
          fmt::format("use {} inside 0:{}", wanted.single ? "an index" : "a range", extent));
    if (Status status = array.slice(axis, begin, end, array); !status.ok())
      return status;
  }
  for (size_t axis = binding.slices.size(); axis-- > 0;)
    if (binding.slices[axis].single) {
      array.extents.erase(array.extents.begin() + axis);
      array.strides.erase(array.strides.begin() + axis);
    }
  return {};
}

// --- the operand's axes -----------------------------------------------------------------------

// The axes that the operand has; nothing stands for an extent that is known at launch.
static std::vector<AxisMeta> wantedAxes(const KernelMeta &meta, const OperandMeta &operand) {
  if (operand.kind != OperandKind::Cache)
    return operand.axes;
  return {{"pages", std::nullopt},
          {"page bytes", meta.layouts[operand.layout].pageBytes[operand.buffer]}};
}

static std::string axesText(const std::vector<AxisMeta> &axes) {
  std::vector<std::string> texts;
  for (const AxisMeta &axis : axes)
    texts.push_back(!axis.extent        ? axis.name
                    : axis.name.empty() ? fmt::format("{}", *axis.extent)
                                        : fmt::format("{} = {}", axis.name, *axis.extent));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

// Splits the last axis over the operand's axes from there on. One of them may be open.
static bool splitLastAxis(HostArray &array, const std::vector<AxisMeta> &wanted) {
  if (array.rank() == 0 || array.rank() > wanted.size())
    return false;
  size_t from = array.rank() - 1;
  int64_t last = array.extents.back(), stride = array.strides.back(), known = 1;
  std::optional<size_t> open;
  for (size_t axis = from; axis < wanted.size(); ++axis) {
    if (!wanted[axis].extent && open)
      return false;
    if (!wanted[axis].extent)
      open = axis;
    else if (__builtin_mul_overflow(known, static_cast<int64_t>(*wanted[axis].extent), &known))
      return false;
  }
  if (known <= 0 || last % known || (!open && last != known))
    return false;
  array.extents.resize(wanted.size());
  array.strides.resize(wanted.size());
  for (size_t axis = wanted.size(); axis-- > from;
       stride *= std::max<int64_t>(array.extents[axis], 1)) {
    array.extents[axis] = open == axis ? last / known : static_cast<int64_t>(*wanted[axis].extent);
    array.strides[axis] = stride;
  }
  return true;
}

Status bindOperand(const Binding &binding, const Npz &npz, const KernelMeta &meta,
                   const OperandMeta &operand, HostArray &array) {
  std::optional<DType> dtype =
      operand.kind == OperandKind::Cache ? std::nullopt : std::optional(operand.dtype);
  if (Status status = npz.tensor(binding.member, dtype, array); !status.ok())
    return status;
  const RawArray &raw = *npz.find(binding.member);
  if (Status status = slice(binding, raw, array); !status.ok())
    return status;
  std::vector<AxisMeta> wanted = wantedAxes(meta, operand);
  if (array.rank() == wanted.size())
    return {}; // extents are the launch's to check
  const std::string found = extentsText(array.extents);
  if (splitLastAxis(array, wanted))
    return {};
  return makeError(
      Error::BindingShape,
      fmt::format("--bind {} gives {}, but operand `{}` is {}", binding.text, found, operand.name,
                  axesText(wanted)),
      fmt::format("{}; only a last axis whose extent is the product of the operand's is split",
                  shapeText(binding, raw)),
      "give each axis a slice so that the extents multiply up; a single index drops its axis");
}

} // namespace braid::tool
