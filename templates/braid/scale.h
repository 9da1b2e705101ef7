// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales that an earlier kernel has stored as e8m0.

#pragma once

#include "braid/convert.h"

namespace braid {

// The power of two that storeScalar has stored.
BRAID_DEVICE f32 loadScalar(const e8m0 *from) {
  return floatOf(static_cast<u32>(from->bits) << 23);
}

} // namespace braid
