// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's calls about memory and streams. Memory is the process's own, so device pointers are
// ordinary addresses; a stream is a handle only, since every call has finished when it returns.

#include "runtime/providers/emu/EmuState.h"

#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

using namespace braid::emu;

struct ihipStream_t {};

namespace {

constexpr size_t kAlignment = 256; // what the vendor's allocator gives

Registry<void> &allocations() {
  static auto *const registry = new Registry<void>;
  return *registry;
}
Registry<ihipStream_t> &streams() {
  static auto *const registry = new Registry<ihipStream_t>;
  return *registry;
}

} // namespace

bool braid::emu::isStream(hipStream_t stream) { return !stream || streams().has(stream); }

BRAID_EXPORT hipError_t hipMalloc(void **pointer, size_t bytes) {
  if (!pointer)
    return fail(hipErrorInvalidValue, "no place for the pointer");
  *pointer = nullptr;
  if (bytes == 0)
    return hipSuccess;
  if (bytes > SIZE_MAX - kAlignment)
    return fail(hipErrorOutOfMemory, fmt::format("{} bytes are too many", bytes));
  void *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (!memory)
    return fail(hipErrorOutOfMemory, fmt::format("no memory for {} bytes", bytes));
  allocations().add(memory);
  *pointer = memory;
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipFree(void *pointer) {
  if (pointer && !allocations().remove(pointer))
    return fail(hipErrorInvalidValue,
                "hipFree of an address that hipMalloc did not give, or twice");
  std::free(pointer);
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault)
    return fail(hipErrorInvalidMemcpyDirection,
                fmt::format("copy kind {}", static_cast<int>(kind)));
  if (bytes && (!to || !from))
    return fail(hipErrorInvalidValue, "hipMemcpy with a null address");
  if (bytes)
    std::memmove(to, from, bytes);
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipMemset(void *to, int value, size_t bytes) {
  if (bytes && !to)
    return fail(hipErrorInvalidValue, "hipMemset with a null address");
  if (bytes)
    std::memset(to, value, bytes);
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream) {
  if (!isStream(stream))
    return fail(hipErrorInvalidHandle, "hipMemsetAsync on no stream");
  return hipMemset(to, value, bytes);
}

BRAID_EXPORT hipError_t hipStreamCreate(hipStream_t *stream) {
  if (!stream)
    return fail(hipErrorInvalidValue, "no place for the stream");
  *stream = new ihipStream_t;
  streams().add(*stream);
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipStreamDestroy(hipStream_t stream) {
  if (!streams().remove(stream))
    return fail(hipErrorInvalidHandle, "hipStreamDestroy of no stream");
  delete stream;
  return hipSuccess;
}

BRAID_EXPORT hipError_t hipStreamSynchronize(hipStream_t stream) {
  if (!isStream(stream))
    return fail(hipErrorInvalidHandle, "hipStreamSynchronize of no stream");
  return hipSuccess;
}
