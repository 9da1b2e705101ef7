// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Npz.h"

#include "runtime/NpyHeader.h"
#include "runtime/NpzErrors.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

namespace braid {
namespace {

/// Deflate cannot shrink bytes by more than this; an archive that says so lies about a size.
constexpr uint64_t kHighestRatio = 1032;

struct ArchiveDiscard {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};
struct FileClose {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, ArchiveDiscard>;
using File = std::unique_ptr<zip_file_t, FileClose>;

Status damaged(std::string_view path, std::string_view member, std::string why) {
  return makeError(NpzError::NpzDamaged,
                   fmt::format("member '{}' of '{}' cannot be read", member, path), std::move(why),
                   "write or copy the file again");
}

/// Reads exactly the span; false at an error or an early end.
bool readAll(zip_file_t *file, std::span<std::byte> out) {
  while (!out.empty()) {
    const zip_int64_t count = zip_fread(file, out.data(), out.size());
    if (count <= 0)
      return false;
    out = out.subspan(static_cast<size_t>(count));
  }
  return true;
}

class MemberReader {
public:
  MemberReader(zip_t *archive, std::string_view path, uint64_t fileBytes)
      : archive(archive), path(path), packedBudget(fileBytes) {}

  Status read(uint64_t index, NpzMember &out) {
    if (Status status = open(index); !status.ok())
      return status;
    NpyHeader header;
    if (Status status = readHeader(header); !status.ok())
      return status;
    out.name = name;
    out.array.kind = header.kind;
    out.array.extents = std::move(header.extents);
    return readData(out.array);
  }

private:
  /// Checks what the directory says of the member before any memory depends on it.
  Status open(uint64_t index) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    constexpr uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                 ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded)
      return damaged(path, fmt::format("#{}", index), zip_strerror(archive));
    name = stat.name;
    constexpr std::string_view kSuffix = ".npy";
    if (!name.ends_with(kSuffix) || name.size() == kSuffix.size())
      return makeError(NpzError::NpyUnsupported,
                       fmt::format("'{}' holds '{}', which is no .npy member", path, name),
                       "an .npz file holds arrays only", "take that member out of the file");
    name.resize(name.size() - kSuffix.size());
    if (!names.insert(name).second)
      return makeError(NpzError::NpzMemberMissing, fmt::format("'{}' is twice in '{}'", name, path),
                       "which of the two is meant cannot be told", "write the file again");
    if (stat.encryption_method != ZIP_EM_NONE ||
        (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE))
      return damaged(path, name, "it is neither stored nor deflated, or it is encrypted");
    // Members that share bytes, or that claim more than deflate can pack, are how small files ask
    // for huge memory.
    if (stat.comp_size > packedBudget || stat.size / kHighestRatio > stat.comp_size)
      return damaged(path, name,
                     fmt::format("it says to hold {} bytes packed into {}, more than the file has "
                                 "room for",
                                 stat.size, stat.comp_size));
    packedBudget -= stat.comp_size;
    size = stat.size;
    file.reset(zip_fopen_index(archive, index, 0));
    if (!file)
      return damaged(path, name, zip_strerror(archive));
    return {};
  }

  Status readHeader(NpyHeader &header) {
    std::vector<std::byte> bytes(std::min<uint64_t>(size, kNpyPrefixBytes));
    if (!readAll(file.get(), bytes))
      return damaged(path, name, zip_file_strerror(file.get()));
    uint64_t headerBytes = 0;
    if (Status status = npyHeaderBytes(bytes, name, headerBytes); !status.ok())
      return status;
    if (headerBytes > size)
      return makeError(
          NpzError::NpyLength,
          fmt::format("member '{}' has {} bytes, and its header alone {}", name, size, headerBytes),
          "the member is cut short", "write the file again");
    bytes.resize(headerBytes);
    if (!readAll(file.get(), std::span(bytes).subspan(kNpyPrefixBytes)))
      return damaged(path, name, zip_file_strerror(file.get()));
    size -= headerBytes;
    return parseNpyHeader(bytes, name, header);
  }

  Status readData(RawArray &array) {
    if (array.byteCount() != size)
      return makeError(NpzError::NpyLength,
                       fmt::format("member '{}' holds {} bytes of data, and {} {} needs {}", name,
                                   size, npyName(array.kind), extentsText(array.extents),
                                   array.byteCount()),
                       "header and data must agree", "write the file again");
    array.bytes = allocateBytes(size);
    if (!array.bytes)
      return makeError(NpzError::OutOfMemory, fmt::format("no memory for member '{}'", name),
                       fmt::format("{} bytes are needed", size),
                       "use a smaller file, or a machine with more memory");
    // The read past the end is where the checksum is compared.
    std::byte beyond;
    if (!readAll(file.get(), {array.bytes.get(), size}) || zip_fread(file.get(), &beyond, 1) != 0)
      return damaged(path, name, zip_file_strerror(file.get()));
    return {};
  }

  zip_t *archive;
  std::string_view path;
  uint64_t packedBudget; ///< Bytes of the file that no member has claimed yet.
  std::set<std::string> names;
  std::string name;
  File file;
  uint64_t size = 0; ///< Bytes of the member that are still unread.
};

} // namespace

Status readNpz(const std::string &path, Npz &out) {
  std::error_code code;
  const uint64_t fileBytes = std::filesystem::file_size(path, code);
  int problem = 0;
  Archive archive(code ? nullptr : zip_open(path.c_str(), ZIP_RDONLY, &problem));
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, problem);
    const std::string why = code ? code.message() : zip_error_strerror(&error);
    zip_error_fini(&error);
    return makeError(NpzError::NpzUnreadable, fmt::format("'{}' cannot be read as .npz", path), why,
                     "give the path of a file written by numpy.savez or by braid");
  }
  Npz npz;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  MemberReader reader(archive.get(), path, fileBytes);
  for (zip_int64_t index = 0; index < count; ++index) {
    NpzMember member;
    if (Status status = reader.read(static_cast<uint64_t>(index), member); !status.ok())
      return status;
    npz.members.push_back(std::move(member));
  }
  out = std::move(npz);
  return {};
}

} // namespace braid
