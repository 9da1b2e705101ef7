// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/KernelMeta.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::string_view kOperandKinds[] = {"input", "output", "inout", "cache"};
constexpr std::string_view kArgumentKinds[] = {"pointer",     "stride", "extent", "pages",
                                               "page_stride", "count",  "faults"};

Status inconsistent(std::string what) {
  return makeError(
      Error::MetadataInconsistent, std::move(what),
      "the parts of the kernel metadata contradict one another",
      "generate the kernel again; the metadata and the code object must come from one compilation");
}

const OperandMeta *findOperand(const KernelMeta &meta, std::string_view name) {
  for (const OperandMeta &operand : meta.operands)
    if (operand.name == name)
      return &operand;
  return nullptr;
}

bool isRunTimeAxis(const KernelMeta &meta, std::string_view name) {
  return std::ranges::find(meta.axes, name) != meta.axes.end();
}

// The buffers of a cache follow one another, all of them, and share a layout.
Status validateBuffer(const KernelMeta &meta, const OperandMeta &operand) {
  const size_t buffers = meta.layouts[operand.layout].pageBytes.size();
  const size_t index = &operand - meta.operands.data();
  bool fits = operand.buffer < buffers && operand.buffer <= index &&
              buffers - operand.buffer <= meta.operands.size() - index;
  for (size_t i = 0; fits && i < buffers; ++i) {
    const OperandMeta &other = meta.operands[index - operand.buffer + i];
    fits = other.kind == OperandKind::Cache && other.layout == operand.layout &&
           other.cache == operand.cache && other.buffer == i;
  }
  return fits ? Status()
              : inconsistent(fmt::format("`{}` is not one of {} buffers of `{}` in order",
                                         operand.name, buffers, operand.cache));
}

Status validateOperand(const KernelMeta &meta, const OperandMeta &operand) {
  if (&operand != findOperand(meta, operand.name))
    return inconsistent(fmt::format("two operands are named `{}`", operand.name));
  if (operand.kind == OperandKind::Cache) {
    if (operand.layout >= meta.layouts.size())
      return inconsistent(fmt::format("cache `{}` names layout {}, but there are {}", operand.name,
                                      operand.layout, meta.layouts.size()));
    return validateBuffer(meta, operand);
  }
  if (!std::has_single_bit(operand.align))
    return inconsistent(
        fmt::format("the alignment {} of `{}` is no power of two", operand.align, operand.name));
  if ((operand.row || operand.tableAxis) && operand.axes.empty())
    return inconsistent(
        fmt::format("`{}` has no axes, so it has neither a row nor a table axis", operand.name));
  for (size_t i = 0; i < operand.axes.size(); ++i) {
    const AxisMeta &axis = operand.axes[i];
    const bool isTable = operand.tableAxis && i == 0;
    if (!axis.extent && !isTable && !isRunTimeAxis(meta, axis.name))
      return inconsistent(fmt::format("axis {} of `{}` has no extent and `{}` is no run-time axis",
                                      i, operand.name, axis.name));
  }
  return {};
}

Status validateArgument(const KernelMeta &meta, const ArgumentMeta &argument) {
  if (argument.kind == ArgumentKind::Count) {
    if (!isRunTimeAxis(meta, argument.axisName))
      return inconsistent(fmt::format("argument `{}` counts `{}`, which is no run-time axis",
                                      argument.name, argument.axisName));
    return {};
  }
  if (argument.kind == ArgumentKind::Faults)
    return meta.checks.empty() ? inconsistent(fmt::format(
                                     "argument `{}` counts the faults of no check", argument.name))
                               : Status();
  const OperandMeta *operand = findOperand(meta, argument.operand);
  if (!operand)
    return inconsistent(fmt::format("argument `{}` names the operand `{}`, which does not exist",
                                    argument.name, argument.operand));
  const bool needsCache =
      argument.kind == ArgumentKind::Pages || argument.kind == ArgumentKind::PageStride;
  const bool needsAxis =
      argument.kind == ArgumentKind::Stride || argument.kind == ArgumentKind::Extent;
  if ((needsCache && operand->kind != OperandKind::Cache) ||
      (needsAxis && (operand->kind == OperandKind::Cache || argument.axis >= operand->axes.size())))
    return inconsistent(fmt::format("argument `{}` ({}) does not fit operand `{}` ({}, {} axes)",
                                    argument.name, argumentKindName(argument.kind), operand->name,
                                    operandKindName(operand->kind), operand->axes.size()));
  return {};
}

} // namespace

std::string_view operandKindName(OperandKind kind) {
  return kOperandKinds[static_cast<unsigned>(kind)];
}
std::string_view argumentKindName(ArgumentKind kind) {
  return kArgumentKinds[static_cast<unsigned>(kind)];
}

Status validateOperands(const KernelMeta &meta) {
  for (const LayoutMeta &layout : meta.layouts)
    if (layout.pageSize == 0 || layout.pageBytes.empty() ||
        layout.align.size() != layout.pageBytes.size() || std::ranges::count(layout.pageBytes, 0) ||
        !std::ranges::all_of(layout.align,
                             [](unsigned align) { return std::has_single_bit(align); }))
      return inconsistent(fmt::format(
          "layout `{}` has pages of {} slots and {} bytes, alignment {}", layout.name,
          layout.pageSize, fmt::join(layout.pageBytes, " and "), fmt::join(layout.align, " and ")));
  for (const OperandMeta &operand : meta.operands)
    if (Status status = validateOperand(meta, operand); !status.ok())
      return status;
  return {};
}

Status validate(const KernelMeta &meta) {
  if (meta.symbol.empty())
    return inconsistent("the kernel has no symbol");
  if (meta.workgroup == 0 || meta.workgroup > 1024)
    return inconsistent(
        fmt::format("a workgroup of {} threads; 1 to 1024 are possible", meta.workgroup));
  if (Status status = validateOperands(meta); !status.ok())
    return status;
  for (const ArgumentMeta &argument : meta.arguments)
    if (Status status = validateArgument(meta, argument); !status.ok())
      return status;
  for (const CheckMeta &check : meta.checks) {
    const OperandMeta *index = findOperand(meta, check.index);
    const bool known =
        std::ranges::count(meta.operands, check.chosenFrom, &OperandMeta::declared) > 0;
    if (!meta.checked || !index || index->kind != OperandKind::Input || !known)
      return inconsistent(fmt::format("a check of `{}` against `{}` does not fit the operands",
                                      check.index, check.chosenFrom));
  }
  if (meta.sections.empty())
    return inconsistent("the launch has no section");
  for (const SectionMeta &section : meta.sections)
    if (!isRunTimeAxis(meta, section.axis) || !section.rowsPerWorkgroup ||
        !section.workgroupsPerStep)
      return inconsistent(
          fmt::format("a section over `{}` with {} rows a workgroup and {} workgroups a step",
                      section.axis, section.rowsPerWorkgroup, section.workgroupsPerStep));
  return {};
}

} // namespace braid
