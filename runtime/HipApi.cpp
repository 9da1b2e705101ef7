// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/HipApi.h"

#include "codegen/targets/Targets.h"
#include "runtime/Env.h"
#include "runtime/NearestName.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace braid::runtime {
namespace {

const std::vector<std::string> kProviders = {"amd", "emu"};
constexpr std::string_view kEmulator = "libbraid_emu.so";

std::string folderOfThisLibrary() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&folderOfThisLibrary), &info) || !info.dli_fname)
    return ".";
  const std::string_view path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(path.substr(0, slash));
}

std::vector<std::string> librariesOf(std::string_view provider) {
  if (provider == "amd")
    return {"libamdhip64.so.7", "libamdhip64.so.6"};
  if (provider != "emu")
    return {std::string(provider)};
  if (auto path = envValue(Env::EmuLibrary))
    return {*path};
  // The second place serves executables that have the runtime inside.
  const std::string folder = folderOfThisLibrary();
  return {fmt::format("{}/{}", folder, kEmulator), fmt::format("{}/../lib/{}", folder, kEmulator)};
}

Status bind(void *library, HipApi &api) {
  std::string missing;
  const auto find = [&](const char *name) {
    void *address = dlsym(library, name);
    if (!address)
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
    return address;
  };
// NOLINTBEGIN(bugprone-macro-parentheses): parameters come in their own
#define BRAID_HIP_ENTRY(Result, Name, Parameters)                                                  \
  api.Name = reinterpret_cast<Result(*) Parameters>(find(#Name));
#include "runtime/HipEntryPoints.def"
  // NOLINTEND(bugprone-macro-parentheses)
  api.braidEmuLastError =
      reinterpret_cast<const char *(*)(void)>(dlsym(library, "braidEmuLastError"));
  if (missing.empty())
    return {};
  return makeError(Error::ProviderIncomplete, fmt::format("`{}` lacks {}", api.path, missing),
                   "the runtime binds HIP's entry points by name when it opens a provider",
                   "use HIP 6 or 7, or the emulator that belongs to this braid");
}

Status openLibrary(std::string_view provider, HipApi &api) {
  std::string tried;
  for (const std::string &path : librariesOf(provider)) {
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      api.provider = provider;
      api.path = path;
      return bind(library, api);
    }
    const char *why = dlerror();
    tried += fmt::format("{}{}", tried.empty() ? "" : "; ", why ? why : path.c_str());
  }
  return makeError(
      Error::ProviderMissing, fmt::format("the provider `{}` cannot be opened", provider), tried,
      provider == "emu"
          ? fmt::format("install libbraid_emu beside the runtime, or set {} to its path",
                        envName(Env::EmuLibrary))
          : suggest(provider, kProviders,
                    "install the driver's libraries, or run on the emulator (`emu`)"));
}

} // namespace

Status HipApi::open(std::string_view provider, const HipApi *&api) {
  static auto *const mutex = new std::mutex;
  static auto *const opened = new std::map<std::string, std::unique_ptr<HipApi>, std::less<>>;
  const std::lock_guard lock(*mutex);
  if (auto found = opened->find(provider); found != opened->end()) {
    api = found->second.get();
    return {};
  }
  auto fresh = std::make_unique<HipApi>();
  if (Status status = openLibrary(provider, *fresh); !status.ok())
    return status;
  if (Status status = fresh->check(fresh->hipInit(0), "hipInit"); !status.ok())
    return status;
  api = opened->emplace(std::string(provider), std::move(fresh)).first->second.get();
  return {};
}

Status HipApi::check(hipError_t result, std::string_view call) const {
  if (result == hipSuccess)
    return {};
  std::string why = fmt::format("{} ({})", hipGetErrorString(result), static_cast<int>(result));
  if (braidEmuLastError && *braidEmuLastError())
    why = braidEmuLastError();
  return makeError(Error::DeviceCallFailed,
                   fmt::format("{} failed: {}", call, hipGetErrorName(result)), std::move(why),
                   "see the provider's log; an earlier kernel may have failed");
}

Status HipApi::deviceCount(int &count) const {
  count = 0;
  const hipError_t result = hipGetDeviceCount(&count);
  return result == hipErrorNoDevice ? Status() : check(result, "hipGetDeviceCount");
}

Status HipApi::deviceTarget(int device, std::string &targetId) const {
  const auto properties = std::make_unique<hipDeviceProp_tR0600>();
  Status status =
      check(hipGetDevicePropertiesR0600(properties.get(), device), "hipGetDeviceProperties");
  if (status.ok())
    targetId = properties->gcnArchName;
  return status;
}

Status HipApi::findDevice(std::string_view target, int &device) const {
  int count = 0;
  if (Status status = deviceCount(count); !status.ok())
    return status;
  std::string known;
  for (device = 0; device < count; ++device) {
    std::string id;
    if (Status status = deviceTarget(device, id); !status.ok())
      return status;
    if (targetChip(id) == targetChip(target))
      return {};
    known += fmt::format("{}{}", known.empty() ? "" : ", ", id);
  }
  return makeError(Error::DeviceMissing,
                   fmt::format("`{}` has no device of target {}", provider, target),
                   fmt::format("it has: {}", known.empty() ? "none" : known),
                   "compile for a target that is there, or run on the emulator (`emu`)");
}

} // namespace braid::runtime
