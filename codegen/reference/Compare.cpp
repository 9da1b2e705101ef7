// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/reference/Compare.h"

#include "codegen/reference/FloatFormat.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace braid::reference {
namespace {

/// Position of a code in the order of the values. -0 stands beside +0, so it is one step away.
__int128 rankOf(DType dtype, uint64_t code) {
  if (dtype == DType::I32)
    return static_cast<int32_t>(code);
  if (dtype == DType::I64)
    return static_cast<int64_t>(code);
  const FloatFormat *format = floatFormat(dtype);
  if (!format) // e8m0
    return static_cast<__int128>(code);
  const uint64_t magnitude = code & (format->signBit() - 1);
  return code & format->signBit() ? -static_cast<__int128>(magnitude) - 1 : magnitude;
}

std::optional<uint64_t> stepsBetween(DType dtype, uint64_t a, uint64_t b) {
  if (isNanCode(dtype, a) || isNanCode(dtype, b))
    return std::nullopt;
  const __int128 distance = rankOf(dtype, a) - rankOf(dtype, b);
  return static_cast<uint64_t>(distance < 0 ? -distance : distance);
}

bool sameCode(DType dtype, uint64_t a, uint64_t b) {
  return a == b || (isNanCode(dtype, a) && isNanCode(dtype, b));
}

std::string codeText(std::optional<DType> dtype, uint64_t code) {
  const unsigned bits = dtype ? dtypeBits(*dtype) : 8;
  std::string hex = fmt::format("0x{:0{}x}", code, bits / 4);
  if (!dtype)
    return hex;
  if (*dtype == DType::I64) // more digits than a double has
    return fmt::format("{}", static_cast<int64_t>(code));
  return fmt::format("{} = {:.9g}", hex, decode(*dtype, code));
}

/// Counts, and keeps the first few.
class Tally {
public:
  explicit Tally(size_t keep) : keep(keep) {}

  void same() { ++result.compared; }

  void differs(Difference difference) {
    ++result.compared;
    ++result.differing;
    if (difference.dtype)
      difference.steps = stepsBetween(*difference.dtype, difference.found, difference.expected);
    if (difference.steps)
      result.largestSteps = std::max(result.largestSteps, *difference.steps);
    if (result.first.size() < keep)
      result.first.push_back(std::move(difference));
  }

  Comparison take() { return std::move(result); }

private:
  size_t keep;
  Comparison result;
};

Comparison refuse(std::string why) {
  Comparison result;
  result.refused = std::move(why);
  return result;
}

std::vector<int64_t> indexOf(std::span<const int64_t> extents, int64_t flat) {
  std::vector<int64_t> index(extents.size());
  for (size_t axis = extents.size(); axis-- > 0; flat /= extents[axis])
    index[axis] = flat % extents[axis];
  return index;
}

/// The map asked once, so that a callback costs nothing per page.
struct PageEntry {
  std::optional<PageElement> element;
  bool start = true; ///< The byte that its element is compared at.
  int64_t bytes = 1;
};

std::vector<PageEntry> tabulate(const PageMap &map, int64_t pageBytes) {
  std::vector<PageEntry> entries(static_cast<size_t>(pageBytes));
  for (int64_t byte = 0; byte < pageBytes; ++byte) {
    PageEntry &entry = entries[byte];
    entry.element = map(byte);
    if (!entry.element)
      continue;
    if (dtypeBits(entry.element->dtype) < 8) { // two elements a byte, neither can be NaN
      entry.element.reset();
      continue;
    }
    entry.start = entry.element->firstByte == byte;
    entry.bytes = static_cast<int64_t>(dtypeBytes(entry.element->dtype));
  }
  return entries;
}

uint64_t bytesAt(const HostArray &pages, int64_t page, int64_t byte, int64_t count) {
  uint64_t value = 0;
  for (int64_t i = 0; i < count; ++i)
    value |= pages.loadBits(pages.first + page * pages.strides[0] + (byte + i) * pages.strides[1])
             << (8 * i);
  return value;
}

} // namespace

Comparison compare(const HostArray &found, const HostArray &expected, size_t keep) {
  if (found.dtype != expected.dtype)
    return refuse(fmt::format("types {} and {}", found.typeName(), expected.typeName()));
  if (found.extents != expected.extents)
    return refuse(fmt::format("extents {} and {}", extentsText(found.extents),
                              extentsText(expected.extents)));
  const int64_t count = found.elementCount();
  // Equal bytes are equal elements; only a difference needs a look at each.
  if (found.isContiguous() && expected.isContiguous() &&
      std::ranges::equal(found.contiguousBytes(), expected.contiguousBytes())) {
    Comparison equal;
    equal.compared = count;
    return equal;
  }
  Tally tally(keep);
  for (int64_t flat = 0; flat < count; ++flat) {
    const uint64_t a = found.loadBits(found.offsetOf(flat));
    const uint64_t b = expected.loadBits(expected.offsetOf(flat));
    if (found.dtype ? sameCode(*found.dtype, a, b) : a == b)
      tally.same();
    else
      tally.differs({indexOf(found.extents, flat), {}, found.dtype, a, b, {}});
  }
  return tally.take();
}

Comparison comparePages(const HostArray &found, const HostArray &expected, const PageMap &map,
                        size_t keep) {
  if (found.dtype || expected.dtype || found.rank() != 2)
    return refuse(fmt::format("pages are bytes with two axes; here {} {} and {} {}",
                              found.typeName(), extentsText(found.extents), expected.typeName(),
                              extentsText(expected.extents)));
  if (found.extents != expected.extents)
    return refuse(fmt::format("extents {} and {}", extentsText(found.extents),
                              extentsText(expected.extents)));
  const std::vector<PageEntry> entries = tabulate(map, found.extents[1]);
  Tally tally(keep);
  for (int64_t page = 0; page < found.extents[0]; ++page)
    for (int64_t byte = 0; byte < found.extents[1]; ++byte) {
      const PageEntry &entry = entries[byte];
      if (!entry.start)
        continue;
      const uint64_t a = bytesAt(found, page, byte, entry.bytes);
      const uint64_t b = bytesAt(expected, page, byte, entry.bytes);
      if (a == b || (entry.element && sameCode(entry.element->dtype, a, b)))
        tally.same();
      else if (entry.element)
        tally.differs(
            {{page, byte}, std::string(entry.element->field), entry.element->dtype, a, b, {}});
      else
        tally.differs({{page, byte}, {}, std::nullopt, a, b, {}});
    }
  return tally.take();
}

std::string Difference::text() const {
  std::string line = fmt::format("{} {}{}{} {}, expected {}", extentsText(index), field,
                                 field.empty() ? "" : " ", dtype ? dtypeName(*dtype) : "byte",
                                 codeText(dtype, found), codeText(dtype, expected));
  if (steps)
    line += fmt::format(", {} step{} apart", *steps, *steps == 1 ? "" : "s");
  return line;
}

std::string Comparison::text() const {
  if (!refused.empty())
    return "not comparable: " + refused;
  if (differing == 0)
    return fmt::format("equal ({} elements)", compared);
  std::string lines =
      fmt::format("{} of {} elements differ, at most {} steps", differing, compared, largestSteps);
  for (const Difference &difference : first)
    lines += "\n  " + difference.text();
  if (differing > static_cast<int64_t>(first.size()))
    lines += fmt::format("\n  and {} more", differing - static_cast<int64_t>(first.size()));
  return lines;
}

} // namespace braid::reference
