// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of results with the oracle's, bit for bit; only any NaN equals any NaN of the same
// format. Distances are reported for the reader, never used as a tolerance. Functions without
// state; they read both arrays and write neither.

#pragma once

#include "runtime/HostArray.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid::reference {

/// One element that differs.
struct Difference {
  std::vector<int64_t> index; ///< Of a dense array; {page, byte of the element's start} of pages.
  std::string field;          ///< Pages: the layout's field; empty where no field claims the byte.
  std::optional<DType> dtype; ///< Nothing: a plain byte.
  uint64_t found = 0, expected = 0; ///< The codes.
  /// Codes between the two in the order of their values; nothing where one is NaN.
  std::optional<uint64_t> steps;

  /// "[3, 17] value f8e4m3fn 0x7e = 448, expected 0x7d = 416, 1 step apart"
  std::string text() const;
};

struct Comparison {
  /// Not empty: the arrays could not be compared, for example "extents [2, 3] and [3, 2]".
  std::string refused;
  int64_t compared = 0;
  int64_t differing = 0;
  uint64_t largestSteps = 0;
  std::vector<Difference> first; ///< The first few, in order of the index.

  bool equal() const { return refused.empty() && differing == 0; }
  /// "equal (6144 elements)", or the count and the first differences, one a line.
  std::string text() const;
};

inline constexpr size_t kDifferencesKept = 8;

/// Dense arrays: same type and extents; the strides may differ.
Comparison compare(const HostArray &found, const HostArray &expected,
                   size_t keep = kDifferencesKept);

/// What a page holds at one byte.
struct PageElement {
  DType dtype = DType::F32;
  int64_t firstByte = 0; ///< Of the element, inside the page.
  std::string_view field;
};

/// The element of a page that covers a byte; nothing for bytes that no field claims, which are
/// compared as they are. Asked once for each byte of a page. Elements lie inside the page and are
/// contiguous; two 4-bit elements that share a byte may be told as either.
using PageMap = std::function<std::optional<PageElement>(int64_t byteInPage)>;

/// Caches: plain bytes [pages, page bytes], both the same extents.
Comparison comparePages(const HostArray &found, const HostArray &expected, const PageMap &map,
                        size_t keep = kDifferencesKept);

} // namespace braid::reference
