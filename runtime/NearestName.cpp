// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/NearestName.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace braid {

// Insertions, deletions, replacements and exchanges of neighbours that make `a` of `b`.
static size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j - 1] + (a[i - 1] != b[j - 1]), above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

std::string nearestName(std::string_view name, std::span<const std::string> candidates) {
  constexpr size_t kLongest = 64; // of names worth a guess
  std::string nearest;
  size_t least = std::min<size_t>(3, name.size() / 3 + 1) + 1; // one past the most that is meant
  for (const std::string &candidate : candidates) {
    if (candidate == name)
      return {};
    if (name.size() > kLongest || candidate.size() > kLongest)
      continue;
    if (const size_t edits = distance(name, candidate); edits < std::min(least, name.size())) {
      least = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggest(std::string_view name, std::span<const std::string> candidates,
                    std::string otherwise) {
  const std::string nearest = nearestName(name, candidates);
  return nearest.empty() ? otherwise : fmt::format("did you mean `{}`?", nearest);
}

std::string joinNames(std::span<const std::string> names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

} // namespace braid
