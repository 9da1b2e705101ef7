// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/LaunchPlan.h"

#include "runtime/LaunchResolver.h"

#include <algorithm>
#include <fmt/format.h>

namespace braid::runtime {
namespace {

Status tooMany(const char *what, size_t count, size_t most) {
  return makeError(Error::MetadataInconsistent, fmt::format("the kernel has {} {}", count, what),
                   fmt::format("a launch has room for {}", most), "split the kernel by a grouping");
}

unsigned indexOf(const std::vector<std::string> &names, const std::string &name) {
  return static_cast<unsigned>(std::ranges::find(names, name) - names.begin());
}

} // namespace

Status LaunchPlan::make(KernelMeta meta, LaunchPlan &plan) {
  if (Status status = validate(meta); !status.ok())
    return status;
  return makeChecked(std::move(meta), plan);
}

Status LaunchPlan::makeSignature(KernelMeta signature, LaunchPlan &plan) {
  if (Status status = validateOperands(signature); !status.ok())
    return status;
  return makeChecked(std::move(signature), plan);
}

Status LaunchPlan::makeChecked(KernelMeta meta, LaunchPlan &plan) {
  if (meta.arguments.size() > kMostArguments)
    return tooMany("arguments", meta.arguments.size(), kMostArguments);
  if (meta.operands.size() > kMostOperands)
    return tooMany("operands", meta.operands.size(), kMostOperands);
  if (meta.axes.size() > kMostAxes)
    return tooMany("run-time axes", meta.axes.size(), kMostAxes);
  plan = {};
  for (const OperandMeta &operand : meta.operands) {
    if (operand.axes.size() > kMostOperandAxes)
      return tooMany("axes in one operand", operand.axes.size(), kMostOperandAxes);
    std::vector<int> &axes = plan.axisOf.emplace_back();
    for (size_t i = 0; i < operand.axes.size(); ++i) {
      const bool isTable = operand.tableAxis && i == 0;
      const bool isRunTime = !operand.axes[i].extent && !isTable;
      axes.push_back(isRunTime ? static_cast<int>(indexOf(meta.axes, operand.axes[i].name))
                               : kNotRunTime);
    }
  }
  for (const ArgumentMeta &argument : meta.arguments) {
    Argument &resolved = plan.arguments.emplace_back();
    if (argument.kind == ArgumentKind::Count) {
      resolved.operand = indexOf(meta.axes, argument.axisName);
      continue;
    }
    if (argument.kind == ArgumentKind::Faults)
      continue;
    const auto found = std::ranges::find_if(meta.operands, [&](const OperandMeta &operand) {
      return operand.name == argument.operand;
    });
    resolved = {static_cast<unsigned>(found - meta.operands.begin()), argument.axis};
  }
  for (const SectionMeta &section : meta.sections)
    plan.sectionAxis.push_back(indexOf(meta.axes, section.axis));
  plan.kernel = std::move(meta);
  return {};
}

Status LaunchPlan::resolve(std::span<const Operand> operands, std::span<const RowCount> rowCounts,
                           ResolvedLaunch &launch, const Footprint &scratch) const {
  return LaunchResolver(*this, operands, launch).run(rowCounts, scratch);
}

Status LaunchPlan::findGrid(ResolvedLaunch &launch) const {
  return LaunchResolver(*this, {}, launch).findGrid();
}

void LaunchPlan::fill(std::span<const Operand> operands, ResolvedLaunch &launch) const {
  LaunchResolver(*this, operands, launch).fillArguments();
}

} // namespace braid::runtime
