// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page as text: rows of bytes, a letter for each field. Stateless.

#pragma once

#include "codegen/dialect/Braid.h"

#include <string>
#include <vector>

namespace braid::tool {

/// The letters of the layout's fields: the first of a name that is free, else any that is.
std::string fieldLetters(LayoutAttr layout);

/// One page of a buffer in at most 16 lines of 64 letters: `.` for bytes that no field has, `+` for
/// cells in which several fields meet. A line begins with the number of its first byte.
std::vector<std::string> pagePicture(LayoutAttr layout, int64_t buffer);

/// Bytes of one letter in that picture.
int64_t pictureScale(LayoutAttr layout, int64_t buffer);

} // namespace braid::tool
