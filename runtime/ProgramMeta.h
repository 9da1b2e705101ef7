// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host must know of a program in one grouping: its kernels in the order of their launch,
// the workspaces between them, and the signature of the whole launch. Owns all that it holds; const
// use from any thread.

#pragma once

#include "runtime/KernelMeta.h"

namespace braid {

inline constexpr unsigned kProgramMetaVersion = 1;
inline constexpr std::string_view kFusedGrouping = "fused";

/// A local between kernels: a dense tensor, row-major, over the counts of the launch.
struct WorkspaceMeta {
  std::string name;
  DType dtype = DType::F32;
  std::vector<AxisMeta> axes;
};

struct ProgramMeta {
  std::string kernel;                // the program's kernel
  std::string grouping;              // canonical text
  std::vector<std::string> operands; // of the whole launch, in the program's order
  std::vector<CheckMeta> checks;     // so too; each is in one kernel
  std::vector<KernelMeta> kernels;   // in launch order

  // Made from the above by completeProgram.
  std::vector<WorkspaceMeta> workspaces; // in the order of their first use
  KernelMeta signature; // of one kernel its metadata; of several without arguments and sections
};

/// Derives workspaces and signature. Errors: MetadataInconsistent where the kernels contradict one
/// another or read a workspace before it is written, and those of validate.
Status completeProgram(ProgramMeta &meta);

/// The list of a program of several kernels: JSON with keys in a fixed order. `files` names the
/// files of each kernel without their extensions, in launch order.
std::string toJson(const ProgramMeta &meta, const std::vector<std::string> &files);

} // namespace braid
