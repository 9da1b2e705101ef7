// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/OperandSet.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace braid::tool {

std::vector<runtime::RowCount> rowCounts(const KernelMeta &meta, const RequestedCounts &requested) {
  std::vector<runtime::RowCount> counts;
  for (const auto &[axis, count] : requested) {
    if (axis != "*")
      counts.push_back({axis, count});
    else
      for (const std::string &declared : meta.axes)
        if (!requested.contains(declared))
          counts.push_back({declared, count});
  }
  return counts;
}

Status parseRows(const std::vector<std::string> &rows, RequestedCounts &counts) {
  for (const std::string &row : rows) {
    size_t equal = row.find('=');
    int64_t count = -1;
    const char *end = row.data() + row.size(), *parsed = nullptr;
    if (equal != std::string::npos)
      parsed = std::from_chars(row.data() + equal + 1, end, count).ptr;
    if (equal == 0 || parsed != end || count < 0)
      return makeError(Error::RequestIncomplete, "--rows " + row + " is no count",
                       "a count is an axis and a number",
                       "write --rows axis=n, for example token=41");
    counts[row.substr(0, equal)] = count;
  }
  return {};
}

// Extents of an output that the caller did not bring: the count of each run-time axis.
static std::vector<int64_t> outputExtents(const OperandMeta &operand,
                                          const std::map<std::string, int64_t> &counts) {
  std::vector<int64_t> extents;
  for (const AxisMeta &axis : operand.axes)
    extents.push_back(axis.extent ? static_cast<int64_t>(*axis.extent) : counts.at(axis.name));
  return extents;
}

// The least extent of each run-time axis over the operands present, then what the caller asks for.
static std::map<std::string, int64_t> presentCounts(const KernelMeta &meta,
                                                    const std::vector<HostArray> &arrays,
                                                    const RequestedCounts &requested) {
  std::map<std::string, int64_t> counts;
  for (size_t index = 0; index < arrays.size(); ++index) {
    const OperandMeta &operand = meta.operands[index];
    if (!arrays[index].bytes || arrays[index].rank() != operand.axes.size())
      continue;
    for (size_t i = 0; i < operand.axes.size(); ++i)
      if (!operand.axes[i].extent && !(operand.tableAxis && i == 0)) {
        auto [entry, added] = counts.try_emplace(operand.axes[i].name, arrays[index].extents[i]);
        entry->second = std::min(entry->second, arrays[index].extents[i]);
      }
  }
  for (const runtime::RowCount &count : rowCounts(meta, requested)) {
    auto [entry, added] = counts.try_emplace(std::string(count.axis), count.count);
    entry->second = std::min(entry->second, count.count);
  }
  for (const std::string &axis : meta.axes)
    counts.try_emplace(axis, 0);
  return counts;
}

Status OperandSet::fromNpz(const KernelMeta &meta, const Npz &npz, const RequestedCounts &requested,
                           const std::vector<Binding> &bindings, OperandSet &set) {
  if (Status status = checkBindings(bindings, meta); !status.ok())
    return status;
  set = {};
  std::map<std::string, std::shared_ptr<const NpzMember>> members;
  for (const NpzMember &member : npz.members)
    members[member.name] = std::make_shared<NpzMember>(member);
  for (const OperandMeta &operand : meta.operands) {
    HostArray &array = set.arrays.emplace_back();
    auto binding = std::ranges::find(bindings, operand.name, &Binding::operand);
    set.bound.push_back(binding != bindings.end());
    const std::string &member = set.bound.back() ? binding->member : operand.name;
    auto found = members.find(member);
    set.members.push_back(found == members.end() ? nullptr : found->second);
    if (operand.kind == OperandKind::Output && !set.bound.back() && !set.members.back())
      continue; // made below, once the counts are known
    bool isCache = operand.kind == OperandKind::Cache;
    Status status =
        set.bound.back()
            ? bindOperand(*binding, npz, meta, operand, array)
            : npz.tensor(member, isCache ? std::nullopt : std::optional(operand.dtype), array);
    if (!status.ok())
      return status;
  }
  std::map<std::string, int64_t> counts = presentCounts(meta, set.arrays, requested);
  for (size_t i = 0; i < set.arrays.size(); ++i)
    if (const OperandMeta &operand = meta.operands[i]; !set.arrays[i].bytes)
      if (Status status =
              HostArray::zeros(operand.dtype, outputExtents(operand, counts), set.arrays[i]);
          !status.ok())
        return status;
  return {};
}

Status OperandSet::clone(OperandSet &copy) const {
  copy.arrays.clear();
  for (const HostArray &array : arrays) {
    HostArray fresh;
    if (Status status = HostArray::zeros(array.dtype, array.extents, fresh); !status.ok())
      return status;
    HostArray packed;
    if (Status status = array.contiguous(packed); !status.ok())
      return status;
    std::memcpy(fresh.data(), packed.data(), packed.byteCount());
    copy.arrays.push_back(std::move(fresh));
  }
  return {};
}

llvm::StringMap<HostArray> OperandSet::byName(const KernelMeta &meta) const {
  llvm::StringMap<HostArray> named;
  for (size_t i = 0; i < arrays.size(); ++i)
    named[meta.operands[i].name] = arrays[i];
  return named;
}

Status OperandSet::toNpz(const KernelMeta &meta, Npz &npz) const {
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!meta.operands[i].written())
      continue;
    if (!bound.empty() && bound[i]) {
      if (!npz.find(members[i]->name)) // several operands may be parts of one member
        npz.members.push_back(*members[i]);
    } else if (Status status = npz.set(meta.operands[i].name, arrays[i]); !status.ok()) {
      return status;
    }
  }
  return {};
}

std::vector<runtime::Operand> launchOperands(const OperandSet &set) {
  std::vector<runtime::Operand> operands;
  for (const HostArray &array : set.arrays)
    operands.push_back({array.data(), array.dtype, array.extents, array.strides});
  return operands;
}

Status resolveCounts(const KernelMeta &meta, const OperandSet &set,
                     const RequestedCounts &requested, llvm::StringMap<int64_t> &counts) {
  runtime::LaunchPlan plan;
  if (Status status = runtime::LaunchPlan::makeSignature(meta, plan); !status.ok())
    return status;
  runtime::ResolvedLaunch launch;
  if (Status status = plan.resolve(launchOperands(set), rowCounts(meta, requested), launch);
      !status.ok())
    return status;
  for (size_t i = 0; i < meta.axes.size(); ++i)
    counts[meta.axes[i]] = static_cast<int64_t>(launch.counts[i]);
  return {};
}

} // namespace braid::tool
