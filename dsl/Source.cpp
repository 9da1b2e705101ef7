// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Source.h"

#include <algorithm>

namespace braid::dsl {

Source::Source(std::string fileName, std::string text)
    : name(std::move(fileName)), contents(std::move(text)) {
  lineStarts.push_back(0);
  for (size_t i = 0; i < contents.size(); ++i)
    if (contents[i] == '\n')
      lineStarts.push_back(static_cast<uint32_t>(i + 1));
}

Position Source::position(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(contents.size()));
  auto next = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  const auto line = static_cast<uint32_t>(next - lineStarts.begin());
  return {line, offset - lineStarts[line - 1] + 1};
}

std::string_view Source::lineText(uint32_t line) const {
  if (line == 0 || line > lineStarts.size())
    return {};
  const size_t begin = lineStarts[line - 1];
  size_t end = line < lineStarts.size() ? lineStarts[line] - 1 : contents.size();
  if (end > begin && contents[end - 1] == '\r')
    --end;
  return std::string_view(contents).substr(begin, end - begin);
}

std::string_view SourceRange::text() const {
  return source ? source->text().substr(begin, end - begin) : std::string_view();
}

Position SourceRange::position() const { return source ? source->position(begin) : Position{}; }

} // namespace braid::dsl
