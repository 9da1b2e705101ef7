// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/targets/Targets.h"

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
                   "use one of " + targetNames());
}

} // namespace braid
