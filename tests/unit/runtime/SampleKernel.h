// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's metadata and operands that are right in every respect, for tests to break one thing at
// a time. It scales the rows of x by gain, looks up `table`, writes y and a cache.

#pragma once

#include "runtime/KernelMeta.h"
#include "runtime/Operand.h"

#include <vector>

namespace braid {

inline KernelMeta sampleMeta() {
  KernelMeta meta;
  meta.kernel = "sample";
  meta.symbol = "sample";
  meta.target = "gfx942";
  meta.waveSize = 64;
  meta.parameters = {{"heads", "4"}, {"dim", "16"}};
  meta.axes = {"token", "key"};
  const AxisMeta token{"token", {}}, heads{"heads", 4}, dim{"dim", 16};
  const auto dense = [](const char *name, OperandKind kind, DType dtype, std::vector<AxisMeta> axes,
                        bool row, unsigned align) {
    OperandMeta operand;
    operand.name = name;
    operand.kind = kind;
    operand.dtype = dtype;
    operand.axes = std::move(axes);
    operand.row = row;
    operand.align = align;
    return operand;
  };
  meta.operands = {
      dense("x", OperandKind::Input, DType::F32, {token, heads, dim}, true, 16),
      dense("gain", OperandKind::Input, DType::F32, {token, heads}, false, 4),
      dense("table", OperandKind::Input, DType::F32, {{"position", {}}, dim}, true, 16),
      dense("k", OperandKind::Input, DType::F32, {{"key", {}}, dim}, true, 16),
      dense("y", OperandKind::Output, DType::F32, {token, heads, dim}, true, 16)};
  meta.operands[2].tableAxis = true;
  OperandMeta cache;
  cache.name = "pages";
  cache.kind = OperandKind::Cache;
  cache.cache = "pages";
  meta.operands.push_back(cache);
  const auto argument = [](const char *name, ArgumentKind kind, const char *operand,
                           unsigned axis = 0) {
    return ArgumentMeta{name, kind, operand, axis, ""};
  };
  meta.arguments = {argument("x", ArgumentKind::Pointer, "x"),
                    argument("x_stride_token", ArgumentKind::Stride, "x", 0),
                    argument("x_stride_heads", ArgumentKind::Stride, "x", 1),
                    argument("gain", ArgumentKind::Pointer, "gain"),
                    argument("gain_stride_token", ArgumentKind::Stride, "gain", 0),
                    argument("gain_stride_heads", ArgumentKind::Stride, "gain", 1),
                    argument("table", ArgumentKind::Pointer, "table"),
                    argument("table_stride_position", ArgumentKind::Stride, "table", 0),
                    argument("table_rows", ArgumentKind::Extent, "table", 0),
                    argument("k", ArgumentKind::Pointer, "k"),
                    argument("k_stride_key", ArgumentKind::Stride, "k", 0),
                    argument("y", ArgumentKind::Pointer, "y"),
                    argument("y_stride_token", ArgumentKind::Stride, "y", 0),
                    argument("y_stride_heads", ArgumentKind::Stride, "y", 1),
                    argument("pages", ArgumentKind::Pointer, "pages"),
                    argument("pages_pages", ArgumentKind::Pages, "pages"),
                    argument("pages_page_stride", ArgumentKind::PageStride, "pages"),
                    {"token_count", ArgumentKind::Count, "", 0, "token"},
                    {"key_count", ArgumentKind::Count, "", 0, "key"}};
  meta.workgroup = 64;
  meta.sections = {{"key", 8, 1}, {"token", 1, 2}};
  meta.constants = {{"eps", "f32", "1e-06"}};
  meta.layouts = {{"linear",
                   4,
                   {80},
                   {16},
                   {{"value", DType::F32, {4}, 0, "(t, d) -> (t * 16 + d * 4)"}},
                   "abc"}};
  meta.lineMap = {{812, "27:3"}};
  return meta;
}

/// Operands over memory of their own: 3 tokens, 5 keys, 7 table rows, 2 pages.
struct SampleOperands {
  struct Tensor {
    std::vector<int64_t> extents, strides;
    void *data;
    std::optional<DType> dtype;
  };

  SampleOperands() {
    uint64_t offset = 0;
    const auto add = [&](std::vector<int64_t> extents, std::optional<DType> dtype) {
      std::vector<int64_t> strides(extents.size(), 1);
      for (size_t i = extents.size() - 1; i > 0; --i)
        strides[i - 1] = strides[i] * extents[i];
      tensors.push_back({extents, strides, memory + offset, dtype});
      offset += static_cast<uint64_t>(strides[0] * extents[0]) * (dtype ? 4 : 1);
      offset = (offset + 15) / 16 * 16;
    };
    add({3, 4, 16}, DType::F32);
    add({3, 4}, DType::F32);
    add({7, 16}, DType::F32);
    add({5, 16}, DType::F32);
    add({3, 4, 16}, DType::F32);
    add({2, 80}, std::nullopt);
  }

  std::vector<runtime::Operand> operands() const {
    std::vector<runtime::Operand> list;
    for (const Tensor &tensor : tensors)
      list.push_back({tensor.data, tensor.dtype, tensor.extents, tensor.strides});
    return list;
  }

  Tensor &x() { return tensors[0]; }
  Tensor &gain() { return tensors[1]; }
  Tensor &table() { return tensors[2]; }
  Tensor &k() { return tensors[3]; }
  Tensor &y() { return tensors[4]; }
  Tensor &pages() { return tensors[5]; }

  alignas(64) char memory[16384];
  std::vector<Tensor> tensors;
};

} // namespace braid
