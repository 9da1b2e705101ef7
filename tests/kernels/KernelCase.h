// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel under test: a program's text with bound parameters, on one target, run on the emulated
// wave and on the reference with operands that the test sets.

#pragma once

#include "dsl/Parser.h"
#include "runtime/tools/braid/Verification.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace braid::test {

/// The program of examples/dsa_indexer.braid.
const std::string &dsaIndexer();

struct KernelCase {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  GeneratedProgram generated;
  CompileRequest request;
  std::string grouping; ///< set before prepare
  const runtime::HipApi *api = nullptr;
  std::unique_ptr<runtime::Program> kernel;
  std::map<std::string, HostArray> operands;
  tool::RequestedCounts counts;
  bool checked = false;      ///< for prepare()
  std::vector<Fault> faults; ///< of the last run()

  /// Parses, generates and prepares; records a test failure and returns false if that fails.
  bool prepare(const std::string &text, const std::string &preset,
               const std::vector<std::string> &sets, const std::string &target,
               const std::vector<std::string> &outputs = {});

  /// A contiguous operand with that bits pattern; floats are rounded to the operand's dtype.
  HostArray &array(const std::string &name, std::vector<int64_t> extents);
  void setFloats(const std::string &name, std::vector<int64_t> extents,
                 const std::vector<float> &values);
  void setInts(const std::string &name, std::vector<int64_t> extents,
               const std::vector<int64_t> &values);
  void fill(const std::string &name, std::vector<int64_t> extents, uint8_t byte);

  /// Runs on the emulated wave, after a copy of the operands went through the reference, and
  /// expects the two to be equal. Results are those of the emulated wave.
  void run();
  Status launchStatus();

  const OperandMeta &meta(const std::string &name) const;
  std::vector<uint64_t> bits(const std::string &name) const;
  std::vector<float> floats(const std::string &name) const;
  /// The elements' bytes in order, whatever the strides.
  std::vector<uint8_t> bytes(const std::string &name) const;

  /// One element.
  void put(const std::string &name, std::vector<int64_t> index, float value);
  void putInt(const std::string &name, std::vector<int64_t> index, int64_t value);
  uint64_t bitsAt(const std::string &name, std::vector<int64_t> index) const;
  float floatAt(const std::string &name, std::vector<int64_t> index) const;

  /// Moves an operand to storage with 4 KiB of A5 before and behind it.
  void guard(const std::string &name);
  void expectGuardsIntact() const;

private:
  tool::OperandSet operandSet() const;

  /// Memory for what this launch passes from kernel to kernel; grows and is never given back.
  Status reserve(const tool::OperandSet &set);

  std::map<std::string, uint64_t> guarded; // bytes between the guards
  runtime::Workspace workspace;
};

} // namespace braid::test
