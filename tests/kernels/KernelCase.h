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
  GeneratedKernel generated;
  CompileRequest request;
  const runtime::HipApi *api = nullptr;
  std::unique_ptr<runtime::Kernel> kernel;
  std::map<std::string, HostArray> operands;
  tool::RequestedCounts counts;

  /// Parses, generates and prepares; records a test failure and returns false if that fails.
  bool prepare(const std::string &text, const std::string &preset,
               const std::vector<std::string> &sets, const std::string &target,
               const std::vector<std::string> &outputs = {});

  /// A contiguous operand with that bits pattern; floats are rounded to the operand's dtype.
  HostArray &array(const std::string &name, std::vector<int64_t> extents);
  void setFloats(const std::string &name, std::vector<int64_t> extents, const std::vector<float> &values);
  void setInts(const std::string &name, std::vector<int64_t> extents, const std::vector<int64_t> &values);
  void fill(const std::string &name, std::vector<int64_t> extents, uint8_t byte);

  /// Runs on the emulated wave, after a copy of the operands went through the reference, and expects
  /// the two to be equal. Results are those of the emulated wave.
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

  std::map<std::string, uint64_t> guarded; // bytes between the guards
};

/// dsa_indexer. Set the fields, build(), then plain() or random(), then change operands.
struct IndexerCase : KernelCase {
  explicit IndexerCase(std::string target) : target(std::move(target)) {}

  std::string target, style = "neox", eps = "1e-6", layout = "linear", io = "bf16", ids = "i64";
  int64_t heads = 32, headDim = 128, ropeDim = 64, pageSize = 64;
  std::vector<std::string> kept; ///< outputs; empty: all

  bool build();
  /// q, k and gate 0, gamma 1, beta 0, cos 1, sin 0, token i at position i and slot i; outputs and
  /// cache hold `prefill`.
  void plain(int64_t tokens, int64_t pages, uint8_t prefill = 0xA5);
  /// The operands of `braid verify`; what is written holds `prefill`. An operand has the same values
  /// in every case of that seed and those extents.
  void random(int64_t tokens, int64_t pages, uint64_t seed, uint8_t prefill = 0xA5);

  int64_t pageBytes() const { return pageSize * (headDim + 4); }
  /// Extents of an operand that depend on nothing else.
  std::vector<int64_t> extentsOf(const OperandMeta &operand, int64_t tokens, int64_t pages) const;
  /// The f32 at a byte of the packed cache.
  float cacheFloat(int64_t byte) const;

  static constexpr int64_t kTableRows = 16;
};

/// The two AMD targets: gfx942 with fp8 = f8e4m3fnuz, gfx950 with f8e4m3fn.
class OnTargets : public testing::TestWithParam<std::string> {
protected:
  const std::string &target() const { return GetParam(); }
  template <typename T>
  T pick(T fn, T fnuz) const {
    return target() == "gfx942" ? fnuz : fn;
  }
  DType fp() const { return pick(DType::F8E4M3FN, DType::F8E4M3FNUZ); }
  float largest() const { return pick(448.f, 240.f); }
};

#define BRAID_ON_TARGETS(Fixture)                                                                  \
  INSTANTIATE_TEST_SUITE_P(Targets, Fixture, testing::Values("gfx942", "gfx950"),                  \
                           [](const auto &info) { return std::string(info.param); })

/// The least power of two s with max * s >= max(amax, floor), by trying.
float leastScale(float amax, float floor, float max);

} // namespace braid::test
