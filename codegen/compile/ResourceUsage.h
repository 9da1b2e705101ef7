// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a code object says of its kernels: registers, spills, scratch, LDS, kernel arguments; and of
// itself: chip and ABI. Read from the ELF header and the AMDGPU metadata note. Pure functions, any
// thread.

#pragma once

#include "runtime/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

struct KernelResources {
  std::string symbol; // without ".kd"
  uint32_t vgprs = 0; // on gfx90a and later all vector registers: plain ones and AGPRs
  uint32_t agprs = 0;
  uint32_t sgprs = 0;
  uint32_t vgprSpills = 0;
  uint32_t sgprSpills = 0;
  uint32_t scratchBytes = 0; // a lane
  uint32_t ldsBytes = 0;     // a workgroup, static
  uint32_t kernargBytes = 0;
  uint32_t workgroupLimit = 0; // most threads of a workgroup
  uint32_t waveSize = 0;
};

struct CodeObjectInfo {
  std::string targetId;    // "gfx942", from the note's target
  uint32_t flags = 0;      // e_flags
  uint32_t machine = 0;    // EF_AMDGPU_MACH part of e_flags
  uint32_t abiVersion = 0; // EI_ABIVERSION: 3 is code object version 5
  std::vector<KernelResources> kernels;
};

/// Errors: CodeObjectMalformed.
Status readCodeObject(std::string_view codeObject, CodeObjectInfo &info);

} // namespace braid
