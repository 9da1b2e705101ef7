// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/NearestName.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace braid {

std::string nearestName(std::string_view name, std::span<const std::string> candidates) {
  std::string nearest;
  size_t least =
      std::min<size_t>(3, name.size() / 3 + 1) + 1; // one past the largest distance meant
  for (const std::string &candidate : candidates) {
    if (candidate.size() > 64 || name.size() > 64)
      continue;
    std::vector<size_t> row(candidate.size() + 1);
    for (size_t j = 0; j < row.size(); ++j)
      row[j] = j;
    for (size_t i = 0; i < name.size(); ++i) {
      size_t diagonal = std::exchange(row[0], i + 1);
      for (size_t j = 0; j < candidate.size(); ++j) {
        const size_t replaced = diagonal + (name[i] != candidate[j]);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
      }
    }
    if (row.back() < least) {
      least = row.back();
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
