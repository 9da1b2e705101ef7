// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated code on the emulated wave against the reference interpreter, on random operands, bit
// for bit. Used by `braid verify` and by the tests that walk over many shapes.

#pragma once

#include "runtime/tools/braid/DeviceRun.h"
#include "runtime/tools/braid/SanitizedRun.h"

namespace braid::tool {

struct VerifyOptions {
  int64_t tokens = 7;
  RequestedCounts requested = {}; ///< smaller counts than the operands have
  uint64_t seed = 1;
  bool nonfinite = false;
  bool sanitize = false; ///< on the sanitised emulated wave, in a process of its own
};

struct VerifyResult {
  Status status; ///< of running at all
  int64_t compared = 0, differing = 0;
  std::string differences;  ///< text of the first ones, by operand
  SanitizerFinding finding; ///< where status is SanitizerFinding

  bool equal() const { return status.ok() && differing == 0; }
};

/// A kernel ready for many verifications with different operands.
class Verifier {
public:
  /// Generates and prepares on the emulator. Failures of the program are MLIR diagnostics.
  mlir::LogicalResult prepare(mlir::ModuleOp program, const CompileRequest &request,
                              Status &status);

  VerifyResult verify(const VerifyOptions &options);

  const GeneratedProgram &generated() const { return texts; }

private:
  Status randomOperands(const VerifyOptions &options, OperandSet &set);
  void compare(const OperandSet &found, const OperandSet &expected, VerifyResult &result);

  mlir::ModuleOp program;
  mlir::OwningOpRef<mlir::ModuleOp> resolved;
  CompileRequest request;
  GeneratedProgram texts;
  const runtime::HipApi *api = nullptr;
  std::unique_ptr<runtime::Program> prepared;
};

} // namespace braid::tool
