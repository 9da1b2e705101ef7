// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Npz.h"

#include "runtime/NearestName.h"
#include "runtime/NpzErrors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace braid {

const RawArray *Npz::find(std::string_view name) const {
  const auto found = std::ranges::find(members, name, &NpzMember::name);
  return found == members.end() ? nullptr : &found->array;
}

Status Npz::tensor(std::string_view name, std::optional<DType> dtype, HostArray &out) const {
  if (const RawArray *raw = find(name))
    return asDType(*raw, dtype, name, out);
  std::vector<std::string> names;
  for (const NpzMember &member : members)
    names.push_back(member.name);
  return makeError(NpzError::NpzMemberMissing, fmt::format("the file has no member '{}'", name),
                   fmt::format("it has {}", joinNames(names)),
                   suggest(name, names, fmt::format("add '{}'", name)));
}

Status Npz::set(std::string_view name, const HostArray &array) {
  RawArray raw;
  if (Status status = toRaw(array, raw); !status.ok())
    return status;
  const auto found = std::ranges::find(members, name, &NpzMember::name);
  if (found == members.end())
    members.push_back({std::string(name), std::move(raw)});
  else
    found->array = std::move(raw);
  return {};
}

} // namespace braid
