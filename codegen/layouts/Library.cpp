// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's page layouts. Facts: semantics.md section 5 and the consumers named there; a page
// holds the codes of all its tokens, then one scale for each.

#include "codegen/layouts/LayoutBuilder.h"

using namespace mlir;

namespace braid {

static const std::vector<LayoutParam> kIndexParams = {
    {"page_size"}, {"dim"}, {"value", true, "fp8"}, {"scale", true, "f32"}};

// Codes row by row: `value` at t * dim + d.
static LogicalResult buildLinear(LayoutBuilder &b) {
  int64_t size = b.integer("page_size"), dim = b.integer("dim");
  int64_t value = b.bytes("value"), scale = b.bytes("scale");
  b.page(size, size * (dim * value + scale));
  b.field("value", b.dtype("value"), {dim}, (b.dim(0) * dim + b.dim(1)) * value);
  b.field("scale", b.dtype("scale"), {}, b.dim(0) * scale + size * dim * value);
  return success();
}

// Codes in tiles of 16 tokens by 16 bytes, the order of a 16x16 matrix instruction.
static LogicalResult buildTiled16(LayoutBuilder &b) {
  int64_t size = b.integer("page_size"), dim = b.integer("dim"), scale = b.bytes("scale");
  if (failed(b.require(size % 16 == 0, "page_size % 16 == 0", "page_size is " + std::to_string(size),
                       "use a page size of 16, 32, 48, ..., or the layout linear")) ||
      failed(b.require(dim % 16 == 0, "dim % 16 == 0", "dim is " + std::to_string(dim),
                       "use rows of a multiple of 16 elements, or the layout linear")) ||
      failed(b.require(b.bytes("value") == 1, "bytes(value) == 1",
                       "value has " + std::to_string(b.bytes("value")) + " bytes",
                       "use an 8-bit dtype, or the layout linear")))
    return failure();
  AffineExpr t = b.dim(0), d = b.dim(1);
  b.page(size, size * (dim + scale));
  b.field("value", b.dtype("value"), {dim},
          t.floorDiv(16) * (16 * dim) + d.floorDiv(16) * 256 + (t % 16) * 16 + d % 16);
  b.field("scale", b.dtype("scale"), {}, t * scale + size * dim);
  return success();
}

ArrayRef<LayoutSpec> layoutLibrary() {
  static const std::vector<LayoutSpec> library = {
      {"linear", "codes row by row, then one scale for each token", kIndexParams, buildLinear},
      {"tiled16", "codes in tiles of 16 tokens x 16 bytes, then one scale for each token",
       kIndexParams, buildTiled16},
  };
  return library;
}

} // namespace braid
