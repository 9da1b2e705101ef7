// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/providers/emu/LdsStorage.h"

#include <cstdint>
#include <cstring>

namespace braid::emu {
namespace {

// What LLVM emits for a variable under -femulated-tls.
struct Control {
  size_t size;
  size_t align;
  void *object; // left alone: the variable is found by the control's address
  const void *initial;
};

} // namespace

void LdsStorage::fill(const Variable &variable) {
  const auto &control = *static_cast<const Control *>(variable.control);
  if (control.initial)
    std::memcpy(variable.aligned, control.initial, control.size);
  else
    std::memset(variable.aligned, 0xff, control.size);
}

void *LdsStorage::address(void *control) {
  for (const Variable &variable : variables)
    if (variable.control == control)
      return variable.aligned;
  const auto &wanted = *static_cast<const Control *>(control);
  Variable &variable = variables.emplace_back();
  variable.control = control;
  variable.memory = std::make_unique<char[]>(wanted.size + wanted.align);
  const auto address = reinterpret_cast<uintptr_t>(variable.memory.get());
  variable.aligned = variable.memory.get() + (-address & (wanted.align - 1));
  fill(variable);
  return variable.aligned;
}

void LdsStorage::poison() {
  for (const Variable &variable : variables)
    fill(variable);
}

} // namespace braid::emu
