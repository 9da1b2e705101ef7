// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sanitised kernels. A process that has AddressSanitizer's runtime (braid-emu-asan) calls
// braidEmuSanitize before it loads a text; texts loaded after that tell each access, and each
// operation that C++ leaves undefined, to the functions given. They run one workgroup at a time.

#pragma once

#include <cstddef>
#include <vector>

/// What a kernel did. `lines` are those of the text, innermost first: the access itself, then the
/// calls that were inlined around it. All pointers stay valid.
struct BraidEmuAccess {
  const char *what = nullptr;    // "reads", "writes"; else the undefined operation, and no address
  const void *address = nullptr; // found(): of the first byte that may not be touched
  size_t bytes = 0;
  const unsigned *lines = nullptr;
  size_t lineCount = 0;
};

struct BraidEmuSanitizer {
  /// The first byte of the range that may not be touched, or null: __asan_region_is_poisoned.
  void *(*firstPoisoned)(void *address, size_t bytes) = nullptr;
  /// Must not return. Called on the stack of a lane.
  void (*found)(const BraidEmuAccess &access) = nullptr;
};

extern "C" {
using BraidEmuSanitizeFunction = void(const BraidEmuSanitizer *);
/// The access that was told last, whether it was right or not: what a fault is about.
using BraidEmuLastAccessFunction = void(BraidEmuAccess *);
}

namespace llvm {
class Module;
}

namespace braid::emu {

struct LaneSymbol;

bool isSanitizing();
/// What instrumented texts call.
const std::vector<LaneSymbol> &sanitizerSymbols();
/// Rewrites accesses into calls of what sanitizerSymbols() names, and drops debug information. To
/// be run last of all passes, as the places of inlined code are taken then.
void instrument(llvm::Module &module);

} // namespace braid::emu
