// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a misspelt name was meant to be: the one helper of every look-up by name. (LLVM's
// edit_distance needs LLVM's library, which the runtime and the head of a program do without, and
// counts `f23` as far from `f32` as from `fp8`.)
// Stateless.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace braid {

/// The candidate nearest to `name` by edit distance; empty if none is near enough to be meant, or
/// is `name` itself. A name of one letter is not guessed.
std::string nearestName(std::string_view name, std::span<const std::string> candidates);

/// "did you mean `x`?" for the nearest candidate, else `otherwise`.
std::string suggest(std::string_view name, std::span<const std::string> candidates,
                    std::string otherwise);

/// "a, b, c", or "none".
std::string joinNames(std::span<const std::string> names);

} // namespace braid
