// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of HIP's C interface that braid speaks, declared by us: numbers and layouts are facts of
// the ABI of HIP 6 and 7 (checked against the vendor's published interface), so no HIP header is
// needed to build and one runtime binary serves the vendor's library and the emulator alike. A
// provider exports these functions by their real names.

#pragma once

#include <cstddef>
#include <cstdint>

// NOLINTBEGIN(readability-identifier-naming,modernize-use-using): the names are HIP's.
extern "C" {

// Codes that a provider may also give as other numbers; the runtime prints those through
// hipGetErrorName.
enum hipError_t : int {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorNotInitialized = 3,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200,
  hipErrorNoBinaryForGpu = 209,
  hipErrorInvalidHandle = 400,
  hipErrorNotFound = 500,
  hipErrorLaunchFailure = 719,
  hipErrorNotSupported = 801,
  hipErrorUnknown = 999,
};

// Position in HIP's enumeration since HIP 5.
enum hipDeviceAttribute_t : int {
  hipDeviceAttributeMaxBlockDimX = 26,
  hipDeviceAttributeMaxGridDimX = 29,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeWarpSize = 87,
};

enum hipMemcpyKind : int {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4,
};

// The fields that braid reads, at the places that the struct of hipGetDevicePropertiesR0600 has
// them. The real struct has 1472 bytes; the tail is room for longer ones.
struct hipDeviceProp_tR0600 {
  char name[256];
  char unused0[52];
  int warpSize;
  char unused1[848];
  char gcnArchName[256];
  char unused2[2680];
};
static_assert(offsetof(hipDeviceProp_tR0600, warpSize) == 308);
static_assert(offsetof(hipDeviceProp_tR0600, gcnArchName) == 1160);
static_assert(sizeof(hipDeviceProp_tR0600) == 4096);

typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipStream_t *hipStream_t;

} // extern "C"
// NOLINTEND(readability-identifier-naming,modernize-use-using)
