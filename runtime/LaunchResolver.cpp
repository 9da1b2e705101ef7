// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that ask about shapes: signature, counts, grid, arguments. LaunchMemory.cpp asks about
// addresses.

#include "runtime/LaunchResolver.h"

#include "runtime/NearestName.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace braid::runtime {
namespace {

constexpr uint64_t kTwoTo32 = uint64_t(1) << 32;
constexpr uint64_t kNoCount = std::numeric_limits<uint64_t>::max();

std::string axisText(const OperandMeta &operand, size_t axis) {
  const std::string &name = operand.axes[axis].name;
  return name.empty() ? fmt::format("axis {}", axis) : fmt::format("axis {} (`{}`)", axis, name);
}

Status noFit(Error error, const OperandMeta &operand, std::string what, std::string fix) {
  return makeError(error, fmt::format("operand `{}`: {}", operand.name, what),
                   "the kernel was compiled for this signature", std::move(fix));
}

std::string_view typeName(const std::optional<DType> &dtype) {
  return dtype ? dtypeName(*dtype) : "bytes";
}

} // namespace

Status LaunchResolver::run(std::span<const RowCount> rowCounts, const Footprint &scratch) {
  launch.workgroups = 0;
  if (Status status = checkSignature(); !status.ok())
    return status;
  if (Status status = findCounts(rowCounts); !status.ok())
    return status;
  if (std::all_of(launch.counts.begin(), launch.counts.begin() + meta.axes.size(),
                  [](uint64_t n) { return n == 0; }))
    return {};
  if (Status status = checkTables(); !status.ok())
    return status;
  for (unsigned i = 0; i < operands.size(); ++i)
    if (Status status = checkMemory(i); !status.ok())
      return status;
  if (Status status = checkOverlap(); !status.ok())
    return status;
  if (Status status = checkScratch(scratch); !status.ok())
    return status;
  if (Status status = findGrid(); !status.ok())
    return status;
  fillArguments();
  return {};
}

Status LaunchResolver::checkSignature() const {
  if (operands.size() != meta.operands.size())
    return makeError(Error::OperandCount,
                     fmt::format("kernel `{}` takes {} operands, not {}", meta.kernel,
                                 meta.operands.size(), operands.size()),
                     "operands are given in signature order, one each",
                     meta.operands.empty() ? "give none"
                                           : fmt::format("begin with `{}`", meta.operands[0].name));
  for (unsigned i = 0; i < operands.size(); ++i)
    if (Status status = meta.operands[i].kind == OperandKind::Cache ? checkCache(i) : checkDense(i);
        !status.ok())
      return status;
  return {};
}

Status LaunchResolver::checkDense(unsigned index) const {
  const OperandMeta &wanted = meta.operands[index];
  const Operand &given = operands[index];
  if (given.dtype != wanted.dtype)
    return noFit(Error::OperandDType, wanted,
                 fmt::format("has type {}, but the kernel wants {}", typeName(given.dtype),
                             dtypeName(wanted.dtype)),
                 "convert the tensor, or compile the program for this type");
  if (given.extents.size() != wanted.axes.size() || given.strides.size() != wanted.axes.size())
    return noFit(Error::OperandRank, wanted,
                 fmt::format("has {} extents and {} strides, but the kernel wants {} axes",
                             given.extents.size(), given.strides.size(), wanted.axes.size()),
                 "pass a view of that rank");
  for (size_t axis = 0; axis < wanted.axes.size(); ++axis) {
    const std::optional<uint64_t> extent = wanted.axes[axis].extent;
    if (given.extents[axis] < 0 ||
        (extent && static_cast<uint64_t>(given.extents[axis]) != *extent))
      return noFit(Error::OperandExtent, wanted,
                   fmt::format("{} has extent {}, but the kernel wants {}", axisText(wanted, axis),
                               given.extents[axis],
                               extent ? fmt::format("{}", *extent) : "0 or more"),
                   "pass a tensor of that shape, or compile the program for this one");
  }
  return {};
}

Status LaunchResolver::checkCache(unsigned index) const {
  const OperandMeta &wanted = meta.operands[index];
  const LayoutMeta &layout = meta.layouts[wanted.layout];
  const Operand &given = operands[index];
  if (given.dtype)
    return noFit(Error::OperandDType, wanted,
                 fmt::format("has type {}, but a cache is bytes", dtypeName(*given.dtype)),
                 "pass the cache as uint8 [pages, page bytes]");
  if (given.extents.size() != 2 || given.strides.size() != 2)
    return noFit(Error::OperandRank, wanted,
                 fmt::format("has {} extents and {} strides, but a cache has two axes",
                             given.extents.size(), given.strides.size()),
                 "pass the cache as uint8 [pages, page bytes]");
  const uint64_t pageBytes = layout.pageBytes[wanted.buffer];
  if (given.extents[1] < 0 || static_cast<uint64_t>(given.extents[1]) != pageBytes)
    return noFit(Error::OperandExtent, wanted,
                 fmt::format("has pages of {} bytes, but those of layout `{}` have {}",
                             given.extents[1], layout.name, pageBytes),
                 "pass a view of the layout's pages (the page stride may be larger), or compile "
                 "for the other layout");
  if (given.extents[0] < 0 || static_cast<uint64_t>(given.extents[0]) >
                                  std::numeric_limits<int64_t>::max() / layout.pageSize)
    return noFit(Error::PageCount, wanted,
                 fmt::format("has {} pages of {} slots", given.extents[0], layout.pageSize),
                 "pass a number of pages whose slots can be counted in 63 bits");
  return {};
}

Status LaunchResolver::findCounts(std::span<const RowCount> rowCounts) {
  launch.counts.fill(kNoCount);
  std::array<unsigned, kMostAxes> shortest = {}; // the operand that gives the minimum
  for (unsigned i = 0; i < operands.size(); ++i)
    for (size_t axis = 0; axis < plan.axisOf[i].size(); ++axis)
      if (const int which = plan.axisOf[i][axis]; which != LaunchPlan::kNotRunTime)
        if (const auto extent = static_cast<uint64_t>(operands[i].extents[axis]);
            extent < launch.counts[which]) {
          launch.counts[which] = extent;
          shortest[which] = i;
        }
  for (const RowCount &given : rowCounts) {
    const auto axis = std::ranges::find(meta.axes, given.axis);
    if (axis == meta.axes.end())
      return makeError(Error::CountUnknownAxis,
                       fmt::format("there is no run-time axis `{}`", given.axis),
                       fmt::format("the kernel has: {}", joinNames(meta.axes)),
                       suggest(given.axis, meta.axes, "name one of these"));
    uint64_t &count = launch.counts[axis - meta.axes.begin()];
    if (given.count < 0 || static_cast<uint64_t>(given.count) > count)
      return makeError(
          Error::CountTooLarge, fmt::format("a count of {} for axis `{}`", given.count, given.axis),
          fmt::format(
              "operand `{}` has only {} there; a count is 0 to the minimum over all operands",
              meta.operands[shortest[axis - meta.axes.begin()]].name, count),
          "pass a smaller count, or none, or longer tensors");
    count = static_cast<uint64_t>(given.count);
  }
  for (size_t axis = 0; axis < meta.axes.size(); ++axis) {
    if (launch.counts[axis] == kNoCount)
      return makeError(Error::CountUnknownAxis,
                       fmt::format("nothing says how long axis `{}` is", meta.axes[axis]),
                       "no operand has it and no count was given", "pass its count");
    if (launch.counts[axis] >= kTwoTo32)
      return makeError(Error::ExtentTooLarge,
                       fmt::format("axis `{}` has {} rows", meta.axes[axis], launch.counts[axis]),
                       "the kernel counts rows in 32 bits",
                       "launch in parts of fewer than 2^32 rows");
  }
  return {};
}

Status LaunchResolver::checkTables() const {
  for (unsigned i = 0; i < operands.size(); ++i) {
    const OperandMeta &operand = meta.operands[i];
    if (operand.kind == OperandKind::Cache || !operand.tableAxis)
      continue;
    if (operands[i].extents[0] == 0)
      return makeError(Error::TableEmpty,
                       fmt::format("operand `{}`: the table has no rows", operand.name),
                       "positions are clamped to the table, so it needs at least one row",
                       "pass the table, or a count of 0");
    if (static_cast<uint64_t>(operands[i].extents[0]) >= kTwoTo32)
      return makeError(
          Error::ExtentTooLarge,
          fmt::format("operand `{}`: the table has {} rows", operand.name, operands[i].extents[0]),
          "the kernel counts table rows in 32 bits", "pass a table of fewer than 2^32 rows");
  }
  return {};
}

Status LaunchResolver::findGrid() {
  uint64_t workgroups = 0;
  for (size_t i = 0; i < meta.sections.size(); ++i) {
    const SectionMeta &section = meta.sections[i];
    const uint64_t rows =
        launch.counts[plan.sectionAxis[i]]; // < 2^32, and so are the factors below
    workgroups += (rows + section.rowsPerWorkgroup - 1) / section.rowsPerWorkgroup *
                  section.workgroupsPerStep;
    if (workgroups * meta.workgroup >= kTwoTo32 || workgroups >= kTwoTo32)
      return makeError(
          Error::GridTooLarge,
          fmt::format("{} workgroups or more of {} threads", workgroups, meta.workgroup),
          "a launch has fewer than 2^32 threads", "launch in parts, with smaller counts");
  }
  launch.workgroups = static_cast<uint32_t>(workgroups);
  return {};
}

void LaunchResolver::fillArguments() {
  for (size_t i = 0; i < meta.arguments.size(); ++i) {
    const auto [index, axis] = plan.arguments[i];
    uint64_t &value = launch.values[i];
    switch (meta.arguments[i].kind) {
    case ArgumentKind::Pointer:
      value = reinterpret_cast<uintptr_t>(operands[index].data);
      break;
    case ArgumentKind::Stride:
      // An axis of one element (or of none) is never stepped along; its stride may be anything, so
      // the kernel gets 0.
      value = isTouched(index) && liveExtent(index, axis) > 1
                  ? static_cast<uint64_t>(operands[index].strides[axis])
                  : 0;
      break;
    case ArgumentKind::Extent:
      value = static_cast<uint64_t>(operands[index].extents[axis]);
      break;
    case ArgumentKind::Pages:
      value = static_cast<uint64_t>(livePages(index));
      break;
    case ArgumentKind::PageStride:
      value =
          livePages(index) > 1
              ? static_cast<uint64_t>(operands[index].strides[0])
              : meta.layouts[meta.operands[index].layout].pageBytes[meta.operands[index].buffer];
      break;
    case ArgumentKind::Count:
      value = launch.counts[index];
      break;
    case ArgumentKind::Faults:
      value = 0; // the kernel's own memory: Kernel::launch fills it in
      break;
    }
  }
}

// How far the launch steps along an axis: counted rows of a run-time axis, all of any other.
uint64_t LaunchResolver::liveExtent(unsigned operand, unsigned axis) const {
  const int which = plan.axisOf[operand][axis];
  return which == LaunchPlan::kNotRunTime ? static_cast<uint64_t>(operands[operand].extents[axis])
                                          : launch.counts[which];
}

int64_t LaunchResolver::livePages(unsigned operand) const {
  const unsigned first = operand - meta.operands[operand].buffer;
  int64_t pages = operands[first].extents[0];
  const size_t buffers = meta.layouts[meta.operands[operand].layout].pageBytes.size();
  for (unsigned i = 1; i < buffers; ++i)
    pages = std::min(pages, operands[first + i].extents[0]);
  return pages;
}

bool LaunchResolver::isTouched(unsigned operand) const {
  if (meta.operands[operand].kind == OperandKind::Cache)
    return livePages(operand) > 0 && !meta.operands[operand].pagesOnly;
  for (unsigned axis = 0; axis < plan.axisOf[operand].size(); ++axis)
    if (liveExtent(operand, axis) == 0)
      return false;
  return true;
}

} // namespace braid::runtime
