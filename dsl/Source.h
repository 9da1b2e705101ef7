// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's text with its line starts, and ranges into it. A Source is immutable and never moves:
// ranges point to it, and whoever hands out ranges keeps it alive. Safe to share between threads.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace braid::dsl {

/// 1-based; columns count bytes.
struct Position {
  uint32_t line = 0, column = 0;
};

class Source {
public:
  Source(std::string fileName, std::string text);
  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;

  const std::string &fileName() const { return name; }
  std::string_view text() const { return contents; }

  /// Line and column of a byte offset; an offset past the end is the end of the text.
  Position position(uint32_t offset) const;

  /// A line without its line break; empty for a line that does not exist.
  std::string_view lineText(uint32_t line) const;

private:
  std::string name, contents;
  std::vector<uint32_t> lineStarts;
};

/// Bytes begin..end of a source; no source: a place that is not in any text.
struct SourceRange {
  const Source *source = nullptr;
  uint32_t begin = 0, end = 0;

  std::string_view text() const;
  Position position() const;

  /// From the start of this range to the end of `last`.
  SourceRange to(SourceRange last) const { return {source, begin, last.end}; }
};

} // namespace braid::dsl
