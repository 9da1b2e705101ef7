// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// prepare and launch on the emulator, from metadata and text to the bytes of the outputs.

#include "runtime/Kernel.h"

#include "tests/emu/EmuFixture.h"
#include "tests/unit/runtime/SampleKernel.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<unsigned long> allocations = 0;
}

// Counted for the whole test program, the libraries that it links included. A sanitizer brings its
// own.
#if !__has_feature(address_sanitizer)
void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  std::abort();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

namespace braid {
namespace {

using runtime::Kernel;
using runtime::RowCount;

// y = x * gain + table[last row]; page 1 takes the keys' rows.
constexpr const char *kSampleText = R"(
using u32 = unsigned; using u64 = unsigned long long; using u8 = unsigned char;
extern "C" void sample(const float *x, u32 x_stride_token, u32 x_stride_heads, const float *gain, u32 gain_stride_token,
                       u32 gain_stride_heads, const float *table, u32 table_stride_position, u32 table_rows, const float *k,
                       u32 k_stride_key, float *y, u32 y_stride_token, u32 y_stride_heads, u8 *pages, u64 pages_pages,
                       u64 pages_page_stride, u32 token_count, u32 key_count) {
  const u32 workgroup = braid_emu_workgroup(), thread = braid_emu_thread();
  const u32 key_workgroups = (key_count + 7) / 8;
  if (workgroup < key_workgroups) {
    const u32 key = workgroup * 8 + thread / 8;
    if (key < key_count && key < 4 && pages_pages > 1 && thread % 8 == 0)
      *(float *)(pages + pages_page_stride + 16 * key) = k[(u64)key * k_stride_key];
    return;
  }
  const u32 token = (workgroup - key_workgroups) / 2, half = (workgroup - key_workgroups) % 2;
  const u32 head = half * 2 + thread / 32, d = thread % 32;
  const float partner = 0 * braid_emu_exchange(thread, thread ^ 1);
  if (d < 16)
    y[(u64)token * y_stride_token + (u64)head * y_stride_heads + d] =
        x[(u64)token * x_stride_token + (u64)head * x_stride_heads + d] * gain[token * gain_stride_token + head * gain_stride_heads] +
        table[(u64)(table_rows - 1) * table_stride_position + d] + partner;
}
)";

class KernelTest : public EmuTest {
protected:
  std::unique_ptr<Kernel> prepare(KernelMeta meta = sampleMeta(), std::string text = kSampleText) {
    std::unique_ptr<Kernel> kernel;
    const Status status =
        Kernel::prepare(*api, std::move(meta), kLaneFunctions + text, deviceOf("gfx942"), kernel);
    EXPECT_TRUE(status.ok()) << status.text();
    return kernel;
  }
  Status prepareFails(KernelMeta meta, const std::string &text, int device) {
    std::unique_ptr<Kernel> kernel;
    Status status = Kernel::prepare(*api, std::move(meta), kLaneFunctions + text, device, kernel);
    EXPECT_EQ(kernel, nullptr);
    return status;
  }
  void fill() {
    auto *words = reinterpret_cast<float *>(sample.memory);
    for (size_t i = 0; i < sizeof(sample.memory) / 4; ++i)
      words[i] = static_cast<float>(i % 97);
  }
  float *at(SampleOperands::Tensor &tensor) { return static_cast<float *>(tensor.data); }

  SampleOperands sample;
};

TEST_F(KernelTest, LaunchComputesWhatTheTextSays) {
  auto kernel = prepare();
  ASSERT_NE(kernel, nullptr);
  fill();
  const Status status = kernel->launch(sample.operands());
  ASSERT_TRUE(status.ok()) << status.text();
  for (int token = 0; token < 3; ++token)
    for (int head = 0; head < 4; ++head)
      for (int d = 0; d < 16; ++d)
        EXPECT_EQ(at(sample.y())[token * 64 + head * 16 + d],
                  at(sample.x())[token * 64 + head * 16 + d] * at(sample.gain())[token * 4 + head] +
                      at(sample.table())[6 * 16 + d]);
  for (int key = 0; key < 4; ++key)
    EXPECT_EQ(at(sample.pages())[20 + 4 * key], at(sample.k())[16 * key]);
}

// S-STORE-1.
TEST_F(KernelTest, RowsPastTheCountAreUntouched) {
  auto kernel = prepare();
  fill();
  const float before = at(sample.y())[64];
  const RowCount counts[] = {{"token", 1}};
  ASSERT_TRUE(kernel->launch(sample.operands(), counts).ok());
  EXPECT_EQ(at(sample.y())[64], before);
}

TEST_F(KernelTest, ZeroRowsLaunchNothing) {
  auto kernel = prepare();
  fill();
  const std::string before(sample.memory, sizeof(sample.memory));
  const RowCount counts[] = {{"token", 0}, {"key", 0}};
  EXPECT_TRUE(kernel->launch(sample.operands(), counts).ok());
  EXPECT_EQ(std::string(sample.memory, sizeof(sample.memory)), before);
}

// S-LAUNCH-3.
TEST_F(KernelTest, ARefusedLaunchWritesNothing) {
  auto kernel = prepare();
  fill();
  sample.x().strides[2] = 2;
  const std::string before(sample.memory, sizeof(sample.memory));
  EXPECT_EQ(kernel->launch(sample.operands()).id, errorId(Error::RowNotContiguous));
  EXPECT_EQ(std::string(sample.memory, sizeof(sample.memory)), before);
}

TEST_F(KernelTest, AStreamMayBeGiven) {
  auto kernel = prepare();
  hipStream_t stream = nullptr;
  ASSERT_EQ(api->hipStreamCreate(&stream), hipSuccess);
  EXPECT_TRUE(kernel->launch(sample.operands(), {}, stream).ok());
  EXPECT_EQ(api->hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(kernel->launch(sample.operands(), {}, stream).id, errorId(Error::DeviceCallFailed));
}

TEST_F(KernelTest, TheCallersDeviceStaysCurrent) {
  ASSERT_EQ(api->hipSetDevice(deviceOf("sm_90")), hipSuccess);
  auto kernel = prepare();
  ASSERT_TRUE(kernel->launch(sample.operands()).ok());
  int device = -1;
  EXPECT_EQ(api->hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, deviceOf("sm_90"));
}

// The emulator's own work is left out by a provider whose launch does nothing.
TEST_F(KernelTest, LaunchAllocatesNothing) {
  runtime::HipApi quiet = *api;
  quiet.hipModuleLaunchKernel = [](hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                   unsigned, unsigned, hipStream_t, void **,
                                   void **) { return hipSuccess; };
  std::unique_ptr<Kernel> kernel;
  ASSERT_TRUE(Kernel::prepare(quiet, sampleMeta(), std::string(kLaneFunctions) + kSampleText,
                              deviceOf("gfx942"), kernel)
                  .ok());
  const std::vector<runtime::Operand> operands = sample.operands();
  const RowCount counts[] = {{"token", 2}};
  const unsigned long before = allocations;
  const Status status = kernel->launch(operands, counts);
  const unsigned long after = allocations;
  EXPECT_TRUE(status.ok()) << status.text();
  EXPECT_EQ(after, before);
}

TEST_F(KernelTest, AFaultOfTheKernelIsReported) {
  auto kernel =
      prepare(sampleMeta(), std::string("#define braid_emu_exchange(v, s) (braid_emu_thread() == 3 "
                                        "? 0 : braid_emu_exchange(v, s))\n") +
                                kSampleText);
  const Status status = kernel->launch(sample.operands());
  EXPECT_EQ(status.id, errorId(Error::KernelFault));
  EXPECT_NE(status.why.find("diverged"), std::string::npos) << status.text();
}

TEST_F(KernelTest, AnotherTargetsDeviceIsRefused) {
  const Status status = prepareFails(sampleMeta(), kSampleText, deviceOf("gfx950"));
  EXPECT_EQ(status.id, errorId(Error::DeviceMismatch));
  EXPECT_NE(status.what.find("gfx950@emu"), std::string::npos) << status.text();
  KernelMeta meta = sampleMeta();
  meta.waveSize = 32;
  EXPECT_EQ(prepareFails(meta, kSampleText, deviceOf("gfx942")).id, errorId(Error::DeviceMismatch));
}

TEST_F(KernelTest, ADeviceThatIsNotThereIsRefused) {
  EXPECT_EQ(prepareFails(sampleMeta(), kSampleText, 99).id, errorId(Error::DeviceMissing));
  EXPECT_EQ(prepareFails(sampleMeta(), kSampleText, -1).id, errorId(Error::DeviceMissing));
}

TEST_F(KernelTest, AnImageThatDoesNotFitIsRefused) {
  EXPECT_EQ(prepareFails(sampleMeta(), "int f() { return q; }\n", deviceOf("gfx942")).id,
            errorId(Error::ImageRefused));
  const Status status =
      prepareFails(sampleMeta(), "extern \"C\" void other() {}\n", deviceOf("gfx942"));
  EXPECT_EQ(status.id, errorId(Error::ImageRefused));
  EXPECT_NE(status.what.find("sample"), std::string::npos) << status.text();
}

TEST_F(KernelTest, MetadataThatContradictsItselfIsRefused) {
  KernelMeta meta = sampleMeta();
  meta.sections.clear();
  EXPECT_EQ(prepareFails(meta, kSampleText, deviceOf("gfx942")).id,
            errorId(Error::MetadataInconsistent));
}

} // namespace
} // namespace braid
