// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/NpyHeader.h"

#include "runtime/NpzErrors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace braid {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// numpy itself refuses longer ones by default; a header of six types and a shape has about 80.
constexpr uint64_t kLongestHeader = 10000;
/// numpy's own limit.
constexpr size_t kHighestRank = 32;

std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// Reads the literal from left to right. A function returns nothing where the text has another
/// form; `problem` then says what was expected.
class LiteralReader {
public:
  explicit LiteralReader(std::string_view text) : text(text) {}

  const std::string &expected() const { return problem; }
  size_t position() const { return at; }

  bool accept(char symbol) {
    skipBlanks();
    if (at == text.size() || text[at] != symbol)
      return false;
    ++at;
    return true;
  }

  bool expect(char symbol) { return accept(symbol) || fail(fmt::format("'{}'", symbol)); }

  /// Only blanks and the newline follow.
  bool expectEnd() {
    skipBlanks();
    return at == text.size() || fail("the end of the header");
  }

  /// A quoted string without escapes: no key and no type has any.
  std::optional<std::string_view> string() {
    skipBlanks();
    if (at < text.size() && (text[at] == '\'' || text[at] == '"')) {
      const size_t end = text.find(text[at], at + 1);
      if (end != std::string_view::npos) {
        const std::string_view value = text.substr(at + 1, end - at - 1);
        at = end + 1;
        return value;
      }
    }
    fail("a quoted string");
    return std::nullopt;
  }

  std::optional<bool> boolean() {
    skipBlanks();
    for (bool value : {false, true}) {
      const std::string_view name = value ? "True" : "False";
      if (text.substr(at, name.size()) == name) {
        at += name.size();
        return value;
      }
    }
    fail("True or False");
    return std::nullopt;
  }

  std::optional<int64_t> integer() {
    skipBlanks();
    const size_t begin = at;
    int64_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      const int digit = text[at] - '0';
      if (value > (std::numeric_limits<int64_t>::max() - digit) / 10) {
        fail("an extent below 2^63");
        return std::nullopt;
      }
      value = value * 10 + digit;
    }
    if (at == begin) {
      fail("an extent of 0 or more");
      return std::nullopt;
    }
    return value;
  }

  /// (), (3,), (3, 4), (3, 4,)
  std::optional<std::vector<int64_t>> tuple() {
    std::vector<int64_t> values;
    if (!expect('('))
      return std::nullopt;
    while (!accept(')')) {
      std::optional<int64_t> value = integer();
      if (!value)
        return std::nullopt;
      if (values.size() == kHighestRank) {
        fail("at most 32 axes");
        return std::nullopt;
      }
      values.push_back(*value);
      if (accept(','))
        continue;
      if (!expect(')'))
        return std::nullopt;
      if (values.size() == 1) { // (3) is a number in Python
        fail("a tuple");
        return std::nullopt;
      }
      break;
    }
    return values;
  }

private:
  bool fail(std::string what) {
    problem = std::move(what);
    return false;
  }

  void skipBlanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }

  std::string_view text;
  size_t at = 0;
  std::string problem;
};

/// The three entries as written; absent ones were not in the literal.
struct Entries {
  std::optional<std::string_view> descr;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<int64_t>> shape;
};

/// False where the literal is malformed; the reader then knows what was expected.
bool readEntries(LiteralReader &reader, Entries &entries, std::string &problem) {
  if (!reader.expect('{'))
    return false;
  while (!reader.accept('}')) {
    const std::optional<std::string_view> key = reader.string();
    if (!key || !reader.expect(':'))
      return false;
    bool read = false;
    if (*key == "descr" && !entries.descr)
      read = (entries.descr = reader.string()).has_value();
    else if (*key == "fortran_order" && !entries.fortranOrder)
      read = (entries.fortranOrder = reader.boolean()).has_value();
    else if (*key == "shape" && !entries.shape)
      read = (entries.shape = reader.tuple()).has_value();
    else
      problem = fmt::format("the key '{}' is unknown or there twice", key->substr(0, 40));
    if (!read)
      return false;
    if (!reader.accept(',')) {
      if (!reader.expect('}'))
        return false;
      break;
    }
  }
  return reader.expectEnd();
}

Status malformed(std::string_view member, std::string why) {
  return makeError(NpzError::NpyHeader,
                   fmt::format("member '{}' has a malformed .npy header", member), std::move(why),
                   "write the file again, for example with numpy.savez");
}

} // namespace

Status npyHeaderBytes(std::span<const std::byte> prefix, std::string_view member, uint64_t &out) {
  const std::string_view text = asText(prefix);
  if (text.size() < kNpyPrefixBytes || text.substr(0, kMagic.size()) != kMagic)
    return malformed(member, "it does not begin with numpy's magic bytes and a version");
  const auto byteAt = [&](size_t index) { return std::to_integer<uint64_t>(prefix[index]); };
  const uint64_t major = byteAt(6), minor = byteAt(7);
  if (major < 1 || major > 3 || minor != 0)
    return malformed(member,
                     fmt::format("its version is {}.{}; 1.0, 2.0 and 3.0 are known", major, minor));
  const uint64_t start = major == 1 ? 10 : 12;
  uint64_t length = byteAt(8) | byteAt(9) << 8;
  if (major > 1)
    length |= byteAt(10) << 16 | byteAt(11) << 24;
  if (length > kLongestHeader)
    return malformed(member, fmt::format("it says to be {} bytes long; {} is the limit", length,
                                         kLongestHeader));
  // Even the shortest literal is longer than the two bytes that a version 1 prefix reads ahead.
  if (length < 2)
    return malformed(member, fmt::format("it says to be {} bytes long", length));
  out = start + length;
  return {};
}

Status parseNpyHeader(std::span<const std::byte> bytes, std::string_view member, NpyHeader &out) {
  uint64_t size = 0;
  if (Status status =
          npyHeaderBytes(bytes.first(std::min(bytes.size(), kNpyPrefixBytes)), member, size);
      !status.ok())
    return status;
  if (size != bytes.size())
    return malformed(member, fmt::format("it has {} bytes and says {}", bytes.size(), size));
  const size_t start = std::to_integer<unsigned>(bytes[6]) == 1 ? 10 : 12;
  LiteralReader reader(asText(bytes).substr(start));
  Entries entries;
  std::string problem;
  if (!readEntries(reader, entries, problem))
    return malformed(member, !problem.empty()
                                 ? problem
                                 : fmt::format("{} is expected at byte {}", reader.expected(),
                                               start + reader.position()));
  if (!entries.descr || !entries.fortranOrder || !entries.shape)
    return malformed(member, "it needs 'descr', 'fortran_order' and 'shape'");
  const std::optional<NpyKind> kind = parseNpyDescr(*entries.descr);
  if (!kind)
    return makeError(
        NpzError::NpyUnsupported,
        fmt::format("member '{}' has the numpy type '{}'", member, entries.descr->substr(0, 40)),
        "files carry float32, float16, int32, int64, bf16 as uint16, and codes and "
        "pages as uint8, all little-endian",
        fmt::format("convert '{}' before it is saved", member));
  if (*entries.fortranOrder)
    return makeError(NpzError::NpyUnsupported,
                     fmt::format("member '{}' is stored in fortran order", member),
                     "rows must be contiguous in the file",
                     fmt::format("save numpy.ascontiguousarray of '{}'", member));
  if (!checkedElementCount(*entries.shape))
    return makeError(
        NpzError::ArrayTooLarge,
        fmt::format("member '{}' says to have extents {}", member, extentsText(*entries.shape)),
        "so many elements cannot be addressed", "write the file again");
  out = {*kind, std::move(*entries.shape)};
  return {};
}

std::string npyHeaderText(const NpyHeader &header) {
  std::string shape;
  for (size_t axis = 0; axis < header.extents.size(); ++axis)
    shape += fmt::format("{}{}", axis ? ", " : "", header.extents[axis]);
  if (header.extents.size() == 1)
    shape += ',';
  std::string literal = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                    npyDescr(header.kind), shape);
  constexpr size_t kPrefix = 10, kMultiple = 64;
  const size_t total = (kPrefix + literal.size() + 1 + kMultiple - 1) / kMultiple * kMultiple;
  literal.append(total - kPrefix - literal.size() - 1, ' ');
  literal += '\n';
  std::string text(kMagic);
  text += '\x01';
  text += '\0';
  text += static_cast<char>(literal.size() & 0xFF);
  text += static_cast<char>(literal.size() >> 8);
  return text + literal;
}

} // namespace braid
