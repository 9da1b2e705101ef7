// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LDS of the workgroup that runs on one OS thread. Kernels declare LDS as thread-local variables;
// they are compiled with emulated thread-local storage, whose accessor leads here, so lanes of one
// workgroup share a variable and workgroups on other threads have their own. Contents are poisoned
// at each workgroup: LDS starts undefined.

#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace braid::emu {

class LdsStorage {
public:
  /// The address of the variable that the compiler describes by `control` (see LdsStorage.cpp).
  void *address(void *control);

  /// Fills every variable with bytes FF (NaN as f32, bf16 and f16), or with its initial value if it
  /// has one.
  void poison();

  /// Forgets the variables: another kernel comes.
  void clear() { variables.clear(); }

private:
  struct Free {
    std::align_val_t alignment;
    void operator()(char *memory) const { ::operator delete(memory, alignment); }
  };
  struct Variable {
    void *control = nullptr;
    // Of exactly the size, so that a sanitizer sees an access past it.
    std::unique_ptr<char[], Free> memory;
  };
  static void fill(const Variable &variable);
  std::vector<Variable> variables; // few: searched in order
};

} // namespace braid::emu
