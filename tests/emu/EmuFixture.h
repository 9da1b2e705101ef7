// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator as tests use it: opened as a provider, texts loaded on the device of a target,
// kernels launched on host memory. The texts declare the lane functions themselves, so these tests
// do not depend on the device headers.

#pragma once

#include "runtime/HipApi.h"

#include <gtest/gtest.h>

namespace braid {

inline constexpr const char *kLaneFunctions = R"(
extern "C" {
unsigned braid_emu_workgroup(void);
unsigned braid_emu_thread(void);
unsigned braid_emu_exchange(unsigned value, unsigned source_thread);
void braid_emu_barrier(void);
}
)";

class EmuTest : public testing::Test {
protected:
  void SetUp() override {
    const Status status = runtime::HipApi::open("emu", api);
    ASSERT_TRUE(status.ok()) << status.text();
  }

  int deviceOf(std::string_view target) {
    int device = -1;
    const Status status = api->findDevice(target, device);
    EXPECT_TRUE(status.ok()) << status.text();
    return device;
  }

  /// The kernel `k` of the text, behind the lane functions (which take 7 lines).
  hipFunction_t load(const std::string &text, std::string_view target = "gfx942") {
    EXPECT_EQ(api->hipSetDevice(deviceOf(target)), hipSuccess);
    hipModule_t module = nullptr;
    EXPECT_EQ(api->hipModuleLoadData(&module, (kLaneFunctions + text).c_str()), hipSuccess)
        << lastError();
    hipFunction_t function = nullptr;
    EXPECT_EQ(api->hipModuleGetFunction(&function, module, "k"), hipSuccess) << lastError();
    return function;
  }

  template <typename... Args>
  hipError_t launch(hipFunction_t function, unsigned workgroups, unsigned threads, Args... args) {
    void *pointers[] = {&args..., nullptr};
    return api->hipModuleLaunchKernel(function, workgroups, 1, 1, threads, 1, 1, 0, nullptr,
                                      pointers, nullptr);
  }

  std::string lastError() const { return api->braidEmuLastError(); }
  bool lastErrorHas(std::string_view words) const {
    return lastError().find(words) != std::string::npos;
  }

  const runtime::HipApi *api = nullptr;
};

} // namespace braid
