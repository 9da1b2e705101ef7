// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host must know of one device kernel: its symbol, the operands in signature order, the
// arguments in the order that the launch passes them, the shape of the grid, the page layouts and
// the line map. Written by codegen beside the text, read by the runtime; plain values without LLVM.
// A KernelMeta owns all that it holds; const use from any thread.

#pragma once

#include "runtime/DType.h"
#include "runtime/Status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

inline constexpr unsigned kKernelMetaVersion = 1;

struct AxisMeta {
  std::string name;               // empty: unnamed
  std::optional<uint64_t> extent; // nothing: known at run time
};

enum class OperandKind : uint8_t { Input, Output, InOut, Cache };

struct OperandMeta {
  std::string name;
  OperandKind kind = OperandKind::Input;
  // Dense operands only; a cache is uint8 [pages, page bytes] on the host.
  DType dtype = DType::F32;
  std::vector<AxisMeta> axes;
  bool row = false;       // the last axis is a row: its elements are contiguous
  bool tableAxis = false; // axis 0 belongs to a gathered table: its extent is an argument
  unsigned align = 1;     // bytes; holds for the base address and for every stride
  // A local on its way to another kernel: the Program gives it, not the caller.
  bool workspace = false;
  // Caches only: index into KernelMeta::layouts, and which buffer of which cache this is. A cache
  // of one buffer is an operand of its own name; several are `keys.0`, `keys.1`, ..., one behind
  // the other. pagesOnly: only the number of pages matters, for the kernel touches no byte.
  unsigned layout = 0;
  std::string cache = {};
  unsigned buffer = 0;
  bool pagesOnly = false;

  /// The name in the program: that of the cache for each of its buffers.
  const std::string &declared() const { return kind == OperandKind::Cache ? cache : name; }
  bool written() const { return kind != OperandKind::Input && !pagesOnly; }
};

/// What one kernel argument is. C types: Pointer a pointer; Stride (elements), Extent and Count
/// u32; Pages u64; PageStride u64 (bytes); Faults a pointer to kFaultWords u64 a check.
enum class ArgumentKind : uint8_t { Pointer, Stride, Extent, Pages, PageStride, Count, Faults };

struct ArgumentMeta {
  std::string name;
  ArgumentKind kind = ArgumentKind::Pointer;
  std::string operand;  // all but Count and Faults: the operand's name
  unsigned axis = 0;    // Stride, Extent
  std::string axisName; // Count
};

/// A part of the grid that walks one run-time axis: ceil(count / rowsPerWorkgroup) *
/// workgroupsPerStep workgroups.
struct SectionMeta {
  std::string axis;
  unsigned rowsPerWorkgroup = 1;
  unsigned workgroupsPerStep = 1;
};

/// A constant that was folded into the text, as its type and its canonical text.
struct ConstantMeta {
  std::string name, type, value;
};

/// A check of a checked build: the operand of the indices, and the table or cache they choose in.
struct CheckMeta {
  std::string index, chosenFrom;
};
/// Words of the fault buffer for each check; what they hold is in templates/braid/check.h.
inline constexpr size_t kFaultWords = 4;

struct LayoutFieldMeta {
  std::string name;
  DType dtype = DType::F32;
  std::vector<uint64_t> extents;
  unsigned buffer = 0;
  std::string map; // affine map of a byte address, for example "(t, d) -> (t * 128 + d)"
};

struct LayoutMeta {
  std::string name;
  uint64_t pageSize = 0;           // slots of a page
  std::vector<uint64_t> pageBytes; // by buffer: bytes used of a page; the stride may be larger
  std::vector<unsigned> align;     // by buffer: bytes; for the base address and the page stride
  std::vector<LayoutFieldMeta> fields;
  std::string hash;
};

struct LineMeta {
  unsigned line = 0;   // 1-based, of the generated text
  std::string program; // "line:column"
};

struct KernelMeta {
  std::string kernel; // the program's kernel
  std::string symbol; // the entry point in the code object
  std::string target;
  unsigned waveSize = 0;
  std::map<std::string, std::string> parameters; // canonical text
  std::vector<std::string> axes;                 // run-time axes, as declared
  std::vector<OperandMeta> operands;             // signature order
  std::vector<ArgumentMeta> arguments;           // launch order
  unsigned workgroup = 0;                        // threads
  std::vector<SectionMeta> sections;
  std::vector<ConstantMeta> constants;
  std::vector<LayoutMeta> layouts;
  bool checked = false;          // indices outside their table or cache are counted
  std::vector<CheckMeta> checks; // by their place in the fault buffer
  std::vector<LineMeta> lineMap;
};

std::string_view operandKindName(OperandKind kind);
std::string_view argumentKindName(ArgumentKind kind);

/// JSON with keys in a fixed order, so that equal metadata gives equal bytes; ends with a newline.
std::string toJson(const KernelMeta &meta);

/// One layout's part of it.
std::string toJson(const LayoutMeta &layout);

/// Reads what toJson writes. Unknown keys are skipped. Errors: MetadataVersion, MetadataMalformed
/// (names the key, such as `operands[2].dtype`), and those of validate. `meta` is unspecified on
/// failure.
Status fromJson(std::string_view text, KernelMeta &meta);

/// Whether the parts agree: arguments name operands and axes that exist, counts and sections name
/// run-time axes, and so on (MetadataInconsistent). The launch relies on it.
Status validate(const KernelMeta &meta);
/// The part of it that is about operands and layouts.
Status validateOperands(const KernelMeta &meta);

} // namespace braid
