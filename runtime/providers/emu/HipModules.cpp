// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's calls about modules and launches. A module's image is HIP text, ended by a zero byte; a
// launch has finished when it returns.

#include "runtime/providers/emu/EmuState.h"
#include "runtime/providers/emu/Grid.h"
#include "runtime/providers/emu/HostKernels.h"

#include <cstring>
#include <fmt/format.h>
#include <memory>

using namespace braid;
using namespace braid::emu;

struct ihipModuleSymbol_t {
  KernelEntry entry = nullptr;
  unsigned waveSize = 0;
  bool serial = false;
};

struct ihipModule_t {
  std::map<std::string, ihipModuleSymbol_t, std::less<>> kernels;
};

namespace {

Registry<ihipModule_t> &modules() {
  static auto *const registry = new Registry<ihipModule_t>;
  return *registry;
}

} // namespace

BRAID_EXPORT hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  if (!module || !image)
    return fail(hipErrorInvalidValue, "no place for the module, or no image");
  const auto *text = static_cast<const char *>(image);
  if (std::strncmp(text,
                   "\x7f"
                   "ELF",
                   4) == 0)
    return fail(hipErrorNoBinaryForGpu,
                "the image is a code object; the emulator loads HIP text, ended by a zero byte");
  const HostModuleCode *code = nullptr;
  if (Status status = loadHostCode(text, code); !status.ok())
    return fail(hipErrorInvalidImage, status.what);
  auto loaded = std::make_unique<ihipModule_t>();
  for (const auto &[name, entry] : code->kernels)
    loaded->kernels[name] = {entry, targetOf(currentDevice())->waveSize, code->serial};
  modules().add(loaded.get());
  *module = loaded.release();
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipModuleUnload(hipModule_t module) {
  if (!modules().remove(module))
    return fail(hipErrorInvalidHandle, "hipModuleUnload of no module");
  delete module;
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                             const char *name) {
  if (!function || !name)
    return fail(hipErrorInvalidValue, "no place for the function, or no name");
  if (!modules().has(module))
    return fail(hipErrorInvalidHandle, "hipModuleGetFunction of no module");
  const auto found = module->kernels.find(std::string_view(name));
  if (found == module->kernels.end()) {
    std::string known;
    for (const auto &[kernel, entry] : module->kernels)
      known += (known.empty() ? "" : ", ") + kernel;
    return fail(hipErrorNotFound,
                fmt::format("the text defines no kernel `{}`; it has: {}", name, known));
  }
  *function = &found->second;
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX,
                                              unsigned gridY, unsigned gridZ, unsigned blockX,
                                              unsigned blockY, unsigned blockZ,
                                              unsigned sharedBytes, hipStream_t stream,
                                              void **kernelParams, void **extra) {
  if (!function || !isStream(stream))
    return fail(hipErrorInvalidHandle, "launch of no function or on no stream");
  if (extra)
    return fail(hipErrorNotSupported, "the emulator takes kernelParams, not extra");
  if (gridX == 0 || gridY != 1 || gridZ != 1 || blockX == 0 || blockX > kMostLanes || blockY != 1 ||
      blockZ != 1 || sharedBytes != 0 || uint64_t(gridX) * blockX >= uint64_t(1) << 32)
    return fail(hipErrorInvalidConfiguration,
                fmt::format("grid {} x {} x {}, workgroup {} x {} x {}, {} bytes of dynamic LDS: "
                            "the emulator runs grids "
                            "of one dimension with workgroups of 1 to {} threads, fewer than 2^32 "
                            "threads in all, and "
                            "static LDS only",
                            gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, kMostLanes));
  const Launch launch{function->entry, kernelParams, gridX, blockX, function->waveSize};
  std::string message;
  if (!runGrid(launch, function->serial, message))
    return fail(hipErrorLaunchFailure, std::move(message));
  return hipSuccess;
}
