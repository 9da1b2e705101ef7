// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole .npz files: a zip archive of .npy members, stored or deflated. Reading takes files from
// anywhere: sizes are checked against the archive before memory is asked for, checksums are
// verified, and whatever is wrong comes back as a Status that names the member. Functions without
// state; the arrays own their bytes.

#pragma once

#include "runtime/RawArray.h"
#include "runtime/Status.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// Without the ".npy" that the archive appends.
struct NpzMember {
  std::string name;
  RawArray array;
};

struct Npz {
  std::vector<NpzMember> members; ///< In the order of the archive; names are unique.

  /// Null where there is no such member.
  const RawArray *find(std::string_view name) const;
  /// The member as a tensor of that type (nothing: plain bytes), or the error that names it and
  /// lists what the file has.
  Status tensor(std::string_view name, std::optional<DType> dtype, HostArray &out) const;
  /// Adds or replaces a member.
  Status set(std::string_view name, const HostArray &array);
};

enum class NpzCompression : uint8_t { Stored, Deflated };

/// Reads all members. Errors: the file cannot be opened, is damaged, holds something that is not
/// .npy, or a member that Braid does not carry. `out` is unchanged on failure.
Status readNpz(const std::string &path, Npz &out);

/// Writes the members in order, with fixed time stamps so that equal arrays give equal bytes. An
/// existing file is replaced only once all is written.
Status writeNpz(const std::string &path, const Npz &npz,
                NpzCompression compression = NpzCompression::Stored);

} // namespace braid
