// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/providers/emu/LdsStorage.h"

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
    std::memcpy(variable.memory.get(), control.initial, control.size);
  else
    std::memset(variable.memory.get(), 0xff, control.size);
}

void *LdsStorage::address(void *control) {
  for (const Variable &variable : variables)
    if (variable.control == control)
      return variable.memory.get();
  const auto &wanted = *static_cast<const Control *>(control);
  Variable &variable = variables.emplace_back();
  variable.control = control;
  const auto alignment = std::align_val_t(wanted.align);
  variable.memory = {static_cast<char *>(::operator new(wanted.size, alignment)), Free{alignment}};
  fill(variable);
  return variable.memory.get();
}

void LdsStorage::poison() {
  for (const Variable &variable : variables)
    fill(variable);
}

} // namespace braid::emu
