// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/ProgramMeta.h"

#include <algorithm>
#include <fmt/format.h>

namespace braid {
namespace {

Status inconsistent(std::string what) {
  return makeError(Error::MetadataInconsistent, std::move(what),
                   "the kernels of a program must come from one compilation",
                   "generate the program again");
}

bool sameShape(const std::vector<AxisMeta> &a, const std::vector<AxisMeta> &b) {
  return std::ranges::equal(a, b, [](const AxisMeta &x, const AxisMeta &y) {
    // A kernel that loads an output may know its axes by other names; run-time axes have one.
    return x.extent == y.extent && (x.extent || x.name == y.name);
  });
}

OperandMeta *find(KernelMeta &signature, const std::string &name) {
  auto found = std::ranges::find(signature.operands, name, &OperandMeta::name);
  return found == signature.operands.end() ? nullptr : &*found;
}

// A cache of which all kernels but one need no more than the number of its pages.
Status mergeCache(OperandMeta &into, const LayoutMeta &known, const OperandMeta &operand,
                  const LayoutMeta &layout) {
  if (into.kind != operand.kind || into.cache != operand.cache || into.buffer != operand.buffer ||
      known.hash != layout.hash)
    return inconsistent(fmt::format("two kernels see `{}` differently", operand.name));
  if (!into.pagesOnly && !operand.pagesOnly)
    return inconsistent(fmt::format("two kernels write to cache `{}`", operand.name));
  into.pagesOnly &= operand.pagesOnly;
  return {};
}

// What all kernels need of a tensor at once.
Status merge(OperandMeta &into, const OperandMeta &operand) {
  if (into.kind == OperandKind::Cache || into.dtype != operand.dtype ||
      !sameShape(into.axes, operand.axes) || into.tableAxis != operand.tableAxis)
    return inconsistent(fmt::format("two kernels see `{}` differently", operand.name));
  into.row |= operand.row;
  into.align = std::max(into.align, operand.align);
  if (operand.written())
    into.kind = operand.kind;
  return {};
}

class SignatureMaker {
public:
  explicit SignatureMaker(ProgramMeta &meta) : meta(meta), signature(meta.signature) {}

  Status run() {
    meta.workspaces.clear();
    const KernelMeta &first = meta.kernels.front();
    if (meta.kernels.size() == 1) {
      signature = first;
      return addWorkspaces(first); // it may have none
    }
    signature = {};
    signature.kernel = meta.kernel;
    signature.symbol = "braid_" + meta.kernel;
    signature.target = first.target;
    signature.waveSize = first.waveSize;
    signature.parameters = first.parameters;
    signature.workgroup = first.workgroup;
    signature.checked = first.checked;
    signature.checks = meta.checks;
    for (const KernelMeta &kernel : meta.kernels) {
      if (Status status = addKernel(kernel); !status.ok())
        return status;
      if (Status status = addWorkspaces(kernel); !status.ok())
        return status;
    }
    if (Status status = compareChecks(); !status.ok())
      return status;
    return order();
  }

private:
  Status addKernel(const KernelMeta &kernel) {
    if (kernel.target != signature.target)
      return inconsistent(
          fmt::format("a kernel for {} beside one for {}", kernel.target, signature.target));
    if (kernel.checked != signature.checked)
      return inconsistent("a kernel of a checked build beside one of a fast build");
    for (const std::string &axis : kernel.axes)
      if (std::ranges::find(signature.axes, axis) == signature.axes.end())
        signature.axes.push_back(axis);
    for (const OperandMeta &operand : kernel.operands) {
      if (operand.workspace)
        continue;
      OperandMeta *known = find(signature, operand.name);
      if (known) {
        Status status = operand.kind == OperandKind::Cache && known->kind == OperandKind::Cache
                            ? mergeCache(*known, signature.layouts[known->layout], operand,
                                         kernel.layouts[operand.layout])
                            : merge(*known, operand);
        if (!status.ok())
          return status;
        continue;
      }
      signature.operands.push_back(operand);
      if (operand.kind == OperandKind::Cache) {
        if (operand.buffer == 0) // the other buffers of a cache follow
          signature.layouts.push_back(kernel.layouts[operand.layout]);
        signature.operands.back().layout = static_cast<unsigned>(signature.layouts.size()) - 1;
      }
    }
    return {};
  }

  Status addWorkspaces(const KernelMeta &kernel) {
    for (const OperandMeta &operand : kernel.operands) {
      if (!operand.workspace)
        continue;
      auto known = std::ranges::find(meta.workspaces, operand.name, &WorkspaceMeta::name);
      const bool isKnown = known != meta.workspaces.end();
      if (operand.written() == isKnown)
        return inconsistent(fmt::format("workspace `{}` is {}", operand.name,
                                        isKnown ? "written twice" : "read before it is written"));
      if (!isKnown)
        meta.workspaces.push_back({operand.name, operand.dtype, operand.axes});
      else if (known->dtype != operand.dtype || !sameShape(known->axes, operand.axes))
        return inconsistent(
            fmt::format("two kernels see workspace `{}` differently", operand.name));
    }
    return {};
  }

  // Each check that the program lists is in one kernel, and no other is in any.
  Status compareChecks() const {
    using Names = std::pair<std::string, std::string>;
    std::vector<Names> listed, found;
    for (const CheckMeta &check : meta.checks)
      listed.emplace_back(check.index, check.chosenFrom);
    for (const KernelMeta &kernel : meta.kernels)
      for (const CheckMeta &check : kernel.checks)
        found.emplace_back(check.index, check.chosenFrom);
    std::ranges::sort(listed);
    std::ranges::sort(found);
    if (listed == found)
      return {};
    return inconsistent(fmt::format("the program lists {} checks, and its kernels have {} others",
                                    listed.size(), found.size()));
  }

  // The operands as the program lists them.
  Status order() {
    std::vector<OperandMeta> ordered;
    for (const std::string &name : meta.operands)
      if (const OperandMeta *operand = find(signature, name))
        ordered.push_back(*operand);
    if (ordered.size() != signature.operands.size())
      return inconsistent(fmt::format("the program lists {} of the {} operands of its kernels",
                                      ordered.size(), signature.operands.size()));
    signature.operands = std::move(ordered);
    return {};
  }

  ProgramMeta &meta;
  KernelMeta &signature;
};

} // namespace

Status completeProgram(ProgramMeta &meta) {
  if (meta.kernels.empty())
    return inconsistent(fmt::format("program `{}` has no kernel", meta.kernel));
  for (const KernelMeta &kernel : meta.kernels)
    if (Status status = validate(kernel); !status.ok())
      return status;
  return SignatureMaker(meta).run();
}

} // namespace braid
