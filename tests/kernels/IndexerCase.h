// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the acceptance cases share: dsa_indexer with operands that a test then changes, and the
// targets that each case runs for.

#pragma once

#include "KernelCase.h"

namespace braid::test {

/// dsa_indexer. Set the fields, build(), then plain() or random(), then change operands.
struct IndexerCase : KernelCase {
  explicit IndexerCase(std::string target) : target(std::move(target)) {}

  std::string target, style = "neox", eps = "1e-6", layout = "linear", io = "bf16", ids = "i64";
  int64_t heads = 32, headDim = 128, ropeDim = 64, pageSize = 64;
  std::vector<std::string> kept; ///< outputs; empty: all
  std::string padding = "skip_store";

  bool build();
  /// q, k and gate 0, gamma 1, beta 0, cos 1, sin 0, token i at position i and slot i; outputs and
  /// cache hold `prefill`.
  void plain(int64_t tokens, int64_t pages, uint8_t prefill = 0xA5);
  /// The operands of `braid verify`; what is written holds `prefill`. An operand has the same
  /// values in every case of that seed and those extents.
  void random(int64_t tokens, int64_t pages, uint64_t seed, uint8_t prefill = 0xA5);

  int64_t pageBytes() const { return pageSize * (headDim + 4); }
  /// Those of an operand for a launch of so many tokens and pages.
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
