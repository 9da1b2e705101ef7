// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/targets/Targets.h"

#include "runtime/NearestName.h"

#include <vector>

namespace braid {
namespace {

constexpr Target kTargets[] = {
#define BRAID_TARGET(Name, Wave, Fp8, Fp8Max, Lds, Products, ClangCpu)                             \
  {Name, Wave, DType::Fp8, Fp8Max, Lds, Products, ClangCpu},
#include "codegen/targets/Targets.def"
};

} // namespace

std::span<const Target> allTargets() { return kTargets; }

std::string targetNames() {
  std::string names;
  for (const Target &target : kTargets) {
    if (!names.empty())
      names += ", ";
    names += target.name;
  }
  return names;
}

std::string suggestTarget(std::string_view targetId) {
  std::vector<std::string> names;
  for (const Target &target : kTargets)
    names.emplace_back(target.name);
  const std::string nearest = nearestName(targetChip(targetId), names);
  return (nearest.empty() ? "" : "did you mean `" + nearest + "`? ") + "the targets are: " +
         targetNames();
}

std::string_view targetChip(std::string_view targetId) {
  return targetId.substr(0, targetId.find_first_of(":@"));
}

const Target *lookupTarget(std::string_view targetId) {
  const std::string_view chip = targetChip(targetId);
  for (const Target &target : kTargets)
    if (target.name == chip)
      return &target;
  return nullptr;
}

Status findTarget(std::string_view targetId, const Target *&target) {
  target = lookupTarget(targetId);
  if (target)
    return {};
  return makeError(Error::UnknownTarget, "unknown target `" + std::string(targetId) + "`",
                   "the wave size, the fp8 flavour and the schedule come from the target table",
                   suggestTarget(targetId));
}

} // namespace braid
