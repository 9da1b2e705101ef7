// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's HIP calls: devices, memory, modules, what a launch refuses; and how providers are
// opened.

#include "tests/emu/EmuFixture.h"

#include "codegen/targets/Targets.h"

#include <cstdlib>
#include <cstring>

namespace braid {
namespace {

TEST_F(EmuTest, DevicesAreTheRowsOfTheTargetTable) {
  int count = 0;
  ASSERT_TRUE(api->deviceCount(count).ok());
  ASSERT_EQ(count, static_cast<int>(allTargets().size()));
  for (int device = 0; device < count; ++device) {
    std::string id;
    ASSERT_TRUE(api->deviceTarget(device, id).ok());
    EXPECT_EQ(id, std::string(allTargets()[device].name) + "@emu");
    EXPECT_EQ(deviceOf(allTargets()[device].name), device);
    int value = 0;
    EXPECT_EQ(api->hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, device), hipSuccess);
    EXPECT_EQ(value, static_cast<int>(allTargets()[device].waveSize));
    EXPECT_EQ(api->hipSetDevice(device), hipSuccess);
    EXPECT_EQ(api->hipGetDevice(&value), hipSuccess);
    EXPECT_EQ(value, device);
  }
  EXPECT_EQ(api->hipSetDevice(count), hipErrorInvalidDevice);
  int device = 0;
  EXPECT_EQ(api->findDevice("gfx1100", device).id, errorId(Error::DeviceMissing));
}

TEST_F(EmuTest, MemoryIsAllocatedCopiedSetAndFreed) {
  void *memory = nullptr;
  ASSERT_EQ(api->hipMalloc(&memory, 1000), hipSuccess);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
  char host[1000] = "braid", back[1000];
  EXPECT_EQ(api->hipMemset(memory, 7, 1000), hipSuccess);
  EXPECT_EQ(api->hipMemcpy(memory, host, 6, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(api->hipMemcpy(back, memory, 1000, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_STREQ(back, "braid");
  EXPECT_EQ(back[999], 7);
  EXPECT_EQ(api->hipMemcpy(nullptr, memory, 1, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT_EQ(api->hipFree(memory), hipSuccess);
  EXPECT_EQ(api->hipFree(memory), hipErrorInvalidValue);
  EXPECT_EQ(api->hipFree(nullptr), hipSuccess);
  EXPECT_EQ(api->hipMalloc(&memory, 0), hipSuccess);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(api->hipMalloc(&memory, SIZE_MAX), hipErrorOutOfMemory);
}

TEST_F(EmuTest, StreamsAreHandles) {
  hipStream_t stream = nullptr;
  ASSERT_EQ(api->hipStreamCreate(&stream), hipSuccess);
  EXPECT_EQ(api->hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(api->hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(api->hipStreamSynchronize(stream), hipErrorInvalidHandle);
  EXPECT_EQ(api->hipStreamSynchronize(nullptr), hipSuccess);
  EXPECT_EQ(api->hipDeviceSynchronize(), hipSuccess);
}

TEST_F(EmuTest, ATextThatDoesNotCompileIsRefusedWithItsLines) {
  hipModule_t module = nullptr;
  EXPECT_EQ(api->hipModuleLoadData(
                &module, "extern \"C\" void k(float *x) {\n  *x = q;\n}\nint f() { return z; }\n"),
            hipErrorInvalidImage);
  EXPECT_TRUE(lastErrorHas("kernel.hip:2:8: error: use of undeclared identifier 'q'"))
      << lastError();
  EXPECT_TRUE(lastErrorHas("kernel.hip:4:18")) << lastError();
}

TEST_F(EmuTest, AMissingFunctionIsNamed) {
  hipModule_t module = nullptr;
  EXPECT_EQ(api->hipModuleLoadData(&module,
                                   "extern \"C\" float elsewhere(float);\n"
                                   "extern \"C\" void k(float *x) { *x = elsewhere(*x); }\n"),
            hipErrorInvalidImage);
  EXPECT_TRUE(lastErrorHas("elsewhere")) << lastError();
  EXPECT_EQ(api->hipModuleLoadData(
                &module,
                "extern \"C\" int system(const char *);\n" // not what the process happens to hold
                "extern \"C\" void k(int *x) { *x = system(\"true\"); }\n"),
            hipErrorInvalidImage);
  EXPECT_TRUE(lastErrorHas("system")) << lastError();
}

TEST_F(EmuTest, ACodeObjectIsRefused) {
  hipModule_t module = nullptr;
  EXPECT_EQ(api->hipModuleLoadData(&module, "\x7f"
                                            "ELF\2\1\1"),
            hipErrorNoBinaryForGpu);
  EXPECT_TRUE(lastErrorHas("HIP text")) << lastError();
}

TEST_F(EmuTest, AnUnknownKernelListsTheKnownOnes) {
  hipModule_t module = nullptr;
  ASSERT_EQ(api->hipModuleLoadData(
                &module, "extern \"C\" void first(int *) {}\nextern \"C\" void second(int *) {}\n"),
            hipSuccess);
  hipFunction_t function = nullptr;
  EXPECT_EQ(api->hipModuleGetFunction(&function, module, "third"), hipErrorNotFound);
  EXPECT_TRUE(lastErrorHas("first, second")) << lastError();
  EXPECT_EQ(api->hipModuleUnload(module), hipSuccess);
  EXPECT_EQ(api->hipModuleUnload(module), hipErrorInvalidHandle);
  EXPECT_EQ(api->hipModuleGetFunction(&function, module, "first"), hipErrorInvalidHandle);
}

TEST_F(EmuTest, LaunchesThatItDoesNotEmulateAreRefused) {
  hipFunction_t nothing = load("extern \"C\" void k() {}\n");
  const auto tryLaunch = [&](unsigned gx, unsigned gy, unsigned bx, unsigned by, unsigned lds,
                             void **extra = nullptr) {
    return api->hipModuleLaunchKernel(nothing, gx, gy, 1, bx, by, 1, lds, nullptr, nullptr, extra);
  };
  EXPECT_EQ(tryLaunch(1, 1, 64, 1, 0), hipSuccess);
  EXPECT_EQ(tryLaunch(0, 1, 64, 1, 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(tryLaunch(1, 2, 64, 1, 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(tryLaunch(1, 1, 64, 2, 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(tryLaunch(1, 1, 1025, 1, 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(tryLaunch(1, 1, 64, 1, 16), hipErrorInvalidConfiguration);
  EXPECT_EQ(tryLaunch(1u << 26, 1, 64, 1, 0), hipErrorInvalidConfiguration);
  void *extra = nullptr;
  EXPECT_EQ(tryLaunch(1, 1, 64, 1, 0, &extra), hipErrorNotSupported);
  EXPECT_EQ(api->hipModuleLaunchKernel(nullptr, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr),
            hipErrorInvalidHandle);
}

TEST_F(EmuTest, TheSameTextIsCompiledOnce) {
  // 2000 loads: at 5 ms a compilation they would take 10 s.
  hipFunction_t first = load("extern \"C\" void k(int *x) { *x = 1; }\n");
  ASSERT_NE(first, nullptr);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 2000; ++i) {
    hipModule_t module = nullptr;
    ASSERT_EQ(
        api->hipModuleLoadData(
            &module,
            (std::string(kLaneFunctions) + "extern \"C\" void k(int *x) { *x = 1; }\n").c_str()),
        hipSuccess);
    ASSERT_EQ(api->hipModuleUnload(module), hipSuccess);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(HipApi, AMissingProviderNamesEveryPlace) {
  const runtime::HipApi *api = nullptr;
  const Status status = runtime::HipApi::open("/nowhere/libnone.so", api);
  EXPECT_EQ(status.id, errorId(Error::ProviderMissing));
  EXPECT_EQ(status.code, StatusCode::EnvironmentWrong);
  EXPECT_NE(status.why.find("/nowhere/libnone.so"), std::string::npos) << status.text();
}

TEST(HipApi, AnIncompleteProviderNamesEveryEntryPoint) {
  const runtime::HipApi *api = nullptr;
  const Status status = runtime::HipApi::open("libm.so.6", api);
  EXPECT_EQ(status.id, errorId(Error::ProviderIncomplete));
  EXPECT_NE(status.what.find("hipInit"), std::string::npos) << status.text();
  EXPECT_NE(status.what.find("hipModuleLaunchKernel"), std::string::npos);
}

} // namespace
} // namespace braid
