// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of one sanitised launch, in a private folder that the parent makes and removes. In:
// the text, its metadata, the operands, the counts. Out: the report, and the operands after the
// launch where nothing was found.

#pragma once

#include "runtime/Fault.h"

#include <nlohmann/json.hpp>

namespace braid {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Fault, index, chosenFrom, count, token, value, limit)
} // namespace braid

namespace braid::sanitizer {

inline constexpr const char *kTextFile = "kernel.hip";
inline constexpr const char *kMetadataFile = "kernel.json";
inline constexpr const char *kOperandsFile = "operands.npz";
inline constexpr const char *kCountsFile = "counts.json";
inline constexpr const char *kReportFile = "report.json";
inline constexpr const char *kResultsFile = "results.npz";

// Keys of the report: `finding` with what, operand, place, lines; or `error` as the command prints
// errors, with code; or `faults`, those that a checked build has counted.

} // namespace braid::sanitizer
