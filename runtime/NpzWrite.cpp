// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Npz.h"

#include "runtime/NpyHeader.h"
#include "runtime/NpzErrors.h"

#include <fmt/format.h>
#include <zip.h>

#include <deque>
#include <memory>
#include <utility>

namespace braid {
namespace {

/// The first day that the format of zip knows, 1980-01-01.
constexpr zip_uint16_t kDosDate = (0 << 9) | (1 << 5) | 1;

struct ArchiveDiscard {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};

Status unwritable(std::string_view path, std::string why) {
  return makeError(NpzError::NpzUnwritable, fmt::format("'{}' cannot be written", path),
                   std::move(why), "choose a path in a folder that exists and can be written");
}

/// Header and data are added without a copy; both must live until the archive is closed.
bool addMember(zip_t *archive, const NpzMember &member, std::string &header, bool deflate) {
  header = npyHeaderText({member.array.kind, member.array.extents});
  zip_buffer_fragment_t fragments[] = {
      {reinterpret_cast<zip_uint8_t *>(header.data()), header.size()},
      {reinterpret_cast<zip_uint8_t *>(member.array.bytes.get()), member.array.byteCount()}};
  const zip_uint64_t count = member.array.byteCount() == 0 ? 1 : 2;
  zip_source_t *source = zip_source_buffer_fragment(archive, fragments, count, 0);
  if (!source)
    return false;
  const std::string name = member.name + ".npy";
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  const auto at = static_cast<zip_uint64_t>(index);
  return zip_set_file_compression(archive, at, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(archive, at, 0, kDosDate, 0) == 0;
}

} // namespace

Status writeNpz(const std::string &path, const Npz &npz, NpzCompression compression) {
  if (npz.members.empty()) // libzip would remove the file instead
    return makeError(NpzError::NpzUnwritable, fmt::format("'{}' would have no member", path),
                     "an .npz file holds at least one array", "write an output or a cache");
  int problem = 0;
  std::unique_ptr<zip_t, ArchiveDiscard> archive(
      zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &problem));
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, problem);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    return unwritable(path, why);
  }
  std::deque<std::string> headers; // a deque, for the archive keeps their addresses
  for (const NpzMember &member : npz.members)
    if (!addMember(archive.get(), member, headers.emplace_back(),
                   compression == NpzCompression::Deflated))
      return unwritable(path,
                        fmt::format("member '{}': {}", member.name, zip_strerror(archive.get())));
  if (zip_close(archive.get()) != 0)
    return unwritable(path, zip_strerror(archive.get()));
  // Closed, hence freed.
  static_cast<void>(archive.release());
  return {};
}

} // namespace braid
