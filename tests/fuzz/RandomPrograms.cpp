// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/RandomPrograms.h"

#include "codegen/dialect/OpTable.h"
#include "codegen/layouts/PageLayout.h"
#include "tests/fuzz/RandomGroup.h"

namespace braid::fuzz {

// Elements of one token's rows of a group: bounds the time of a program.
static constexpr int kMostElements = 1024;

static std::vector<TextAxis> leadingAxes(ProgramWriter &w, const TextAxis &runTime, int row) {
  std::vector<TextAxis> axes = {runTime};
  int elements = row;
  for (int more = w.random.below(3); more > 0; --more) {
    int heads = w.random.between(1, 9);
    if (elements * heads > kMostElements)
      break;
    elements *= heads;
    axes.push_back(w.parameterAxis("heads", heads));
  }
  return axes;
}

// Mostly a power of two of one wave; now and then any, also over several waves.
static int rowLength(Randomness &random) {
  static const std::vector<int> kOthers = {3,   12,  24,   65,   96,   100,  192,
                                           320, 576, 1000, 1536, 2048, 2880, 4096};
  return random.oneIn(4) ? random.of(kOthers) : 1 << random.between(1, 10);
}

RandomProgram randomProgram(uint64_t seed) {
  ProgramWriter w(seed);
  std::vector<TextAxis> runTime = {w.runTimeAxis()};
  if (w.random.oneIn(3))
    runTime.push_back(w.runTimeAxis());
  w.count("run-time axes " + std::to_string(runTime.size()));
  // Every run-time axis has a group, so that each of them is used.
  int groups = static_cast<int>(runTime.size()) + w.random.below(2);
  for (int i = 0; i < groups; ++i) {
    TextAxis row = w.parameterAxis("dim", rowLength(w.random));
    const TextAxis &axis = runTime[static_cast<size_t>(i) % runTime.size()];
    RandomGroup(w, leadingAxes(w, axis, row.extent), row).write();
  }
  return w.finish();
}

std::vector<std::string> demandedFeatures() {
  std::vector<std::string> names = {"style neox",
                                    "style gptj",
                                    "rope of nothing",
                                    "rope of the row",
                                    "rope of a first part",
                                    "rope of an odd range",
                                    "quantize max",
                                    "feature constant",
                                    "feature gathered table",
                                    "feature broadcast",
                                    "feature infix",
                                    "feature nested",
                                    "feature scalar arithmetic",
                                    "feature scalar output",
                                    "feature cache",
                                    "feature several stores",
                                    "feature some outputs",
                                    "feature inout",
                                    "axis unnamed",
                                    "table joined",
                                    "table split",
                                    "table pairs",
                                    "parameter dtype",
                                    "parameter layout",
                                    "run-time axes 1",
                                    "run-time axes 2",
                                    "leading axes 1",
                                    "leading axes 2",
                                    "leading axes 3"};
  for (const char *dtype : {"f32", "bf16", "f16", "f8e4m3fn", "f8e4m3fnuz", "fp8", "i32", "i64"})
    names.push_back(std::string("input ") + dtype);
  for (const char *dtype : {"f32", "bf16", "f16", "f8e4m3fn", "f8e4m3fnuz", "fp8", "e8m0"})
    names.push_back(std::string("output ") + dtype);
  for (int row : {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 576, 2880})
    names.push_back("row " + std::to_string(row));
  for (int group : {32, 64, 128})
    names.push_back("quantize group " + std::to_string(group));
  for (const OpSpec &spec : OpTable::get().specs())
    names.push_back("op " + spec.name);
  for (const LayoutSpec &spec : layoutLibrary())
    names.push_back("layout " + spec.name);
  return names;
}

} // namespace braid::fuzz
