// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device headers as text, in inlining order: a header follows everything that it includes.
// Constant data.
#pragma once
#include <span>
#include <string_view>

namespace braid {

struct EmbeddedTemplate {
  std::string_view name; // as in #include: "braid/row.h"
  std::string_view text;
  std::string_view sha256; // of the text, in hex
};

std::span<const EmbeddedTemplate> embeddedTemplates();

} // namespace braid
