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
                       "a count is an axis and a number", "write --rows axis=n, for example token=41");
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

// The least extent of each run-time axis over the members present, then what the caller asks for.
static std::map<std::string, int64_t> presentCounts(const KernelMeta &meta, const Npz &npz,
                                                    const RequestedCounts &requested) {
  std::map<std::string, int64_t> counts;
  for (const OperandMeta &operand : meta.operands) {
    const RawArray *raw = npz.find(operand.name);
    if (!raw || raw->extents.size() != operand.axes.size())
      continue;
    for (size_t i = 0; i < operand.axes.size(); ++i)
      if (!operand.axes[i].extent && !(operand.tableAxis && i == 0)) {
        auto [entry, added] = counts.try_emplace(operand.axes[i].name, raw->extents[i]);
        entry->second = std::min(entry->second, raw->extents[i]);
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
                           OperandSet &set) {
  std::map<std::string, int64_t> counts = presentCounts(meta, npz, requested);
  set.arrays.clear();
  for (const OperandMeta &operand : meta.operands) {
    HostArray array;
    bool isCache = operand.kind == OperandKind::Cache;
    std::optional<DType> dtype = isCache ? std::nullopt : std::optional(operand.dtype);
    Status status = operand.kind == OperandKind::Output && !npz.find(operand.name)
                        ? HostArray::zeros(dtype, outputExtents(operand, counts), array)
                        : npz.tensor(operand.name, dtype, array);
    if (!status.ok())
      return status;
    set.arrays.push_back(std::move(array));
  }
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
  for (size_t i = 0; i < arrays.size(); ++i)
    if (meta.operands[i].written())
      if (Status status = npz.set(meta.operands[i].name, arrays[i]); !status.ok())
        return status;
  return {};
}

std::vector<runtime::Operand> launchOperands(const OperandSet &set) {
  std::vector<runtime::Operand> operands;
  for (const HostArray &array : set.arrays)
    operands.push_back({array.data(), array.dtype, array.extents, array.strides});
  return operands;
}

Status resolveCounts(const KernelMeta &meta, const OperandSet &set, const RequestedCounts &requested,
                     llvm::StringMap<int64_t> &counts) {
  runtime::LaunchPlan plan;
  if (Status status = runtime::LaunchPlan::make(meta, plan); !status.ok())
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
