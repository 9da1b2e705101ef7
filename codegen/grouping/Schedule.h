// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values are rows, and how the bits of a row's element index are spread over registers and
// lanes. Ops state wishes; the assignment is made here, for any op.

#pragma once

#include "codegen/dialect/Braid.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <optional>

namespace braid {

struct Target;

/// What the ops of a section want of the assignment for rows of one length.
struct RowWishes {
  /// Index bits that should be register bits, so that elements whose indices differ in such a bit
  /// sit in one lane.
  uint64_t registerBits = 0;
  /// Bytes of an element that are loaded for each row, and once for all rows of a token.
  int64_t rowBytes = 0, sharedBytes = 0;
};

/// By length of the rows, in increasing order. A section of scalars has none.
struct ScheduleWishes {
  std::map<int64_t, RowWishes> rows;
  /// True if rows are to pass through LDS, also where each lies inside one wave.
  bool needsLds = false;

  RowWishes &of(mlir::Value row) {
    return rows[mlir::cast<ValueType>(row.getType()).getAxes().back().getExtent()];
  }
};

/// Lengths of what is a row also where no op says so: a single element counts as a scalar.
bool isRowLength(int64_t length);

/// The values of a block whose last axis is a row. Values reached by element-wise ops only are rows
/// where they meet a row; those that an op takes as it gets them are rows unless another op makes
/// them scalars of rows; where no op of the block makes a row, the last constant axis of an
/// element-wise value is one if its length is a row's, and counts scalars otherwise.
class RowAnalysis {
public:
  explicit RowAnalysis(mlir::Block &block);
  /// Of the ops of a section that counts `counted` axes, before it is made.
  RowAnalysis(llvm::ArrayRef<mlir::Operation *> section, size_t counted);

  bool isRow(mlir::Value value) const { return rows.contains(value); }
  /// The rows that the ops of `block` compute on; a row that is only loaded for an op to read as it
  /// likes is not one of them.
  llvm::SmallVector<mlir::Value> computedRows(mlir::Block &block) const;
  /// True if `value` differs between the rows of one index of the run-time axis.
  bool isPerRow(mlir::Value value) const;
  /// The axes that count rows: all axes, less the last of a row.
  llvm::ArrayRef<AxisAttr> leadingAxes(mlir::Value value) const;

private:
  void analyse(llvm::ArrayRef<mlir::Operation *> ops, std::optional<size_t> counted);
  void propagate(llvm::ArrayRef<mlir::Operation *> ops, llvm::DenseSet<mlir::Value> &values) const;
  llvm::DenseSet<mlir::Value> findScalars(llvm::ArrayRef<mlir::Operation *> ops) const;

  llvm::DenseSet<mlir::Value> rows;
};

/// True for a load that needs nothing but an address.
bool isPlainLoad(mlir::Operation *op);

/// Assignments of index bits that are given: by length of the rows, letters as in RowBits.
using GivenBits = std::map<int64_t, std::string>;

/// How the rows of each length lie, the longest first.
llvm::SmallVector<SideRowAttr> assignRows(mlir::MLIRContext *context, const ScheduleWishes &wishes,
                                          const GivenBits &given, const Target &target);

/// The fewest threads of a workgroup that hold such rows.
int64_t leastWorkgroup(llvm::ArrayRef<SideRowAttr> rows);

/// The schedule of a section whose rows lie so and come `rowsPerToken` to an index of the run-time
/// axis, in workgroups of `workgroup` threads.
ScheduleAttr fillWorkgroup(mlir::MLIRContext *context, int64_t rowsPerToken,
                           const ScheduleWishes &wishes, llvm::ArrayRef<SideRowAttr> rows,
                           int64_t workgroup);

/// Every assignment of bits to rows of `length` elements that a kernel may have where a lane holds
/// at most `mostPerLane` elements: what results must not depend on.
std::vector<std::string> legalBits(int64_t length, unsigned waveSize, int64_t mostPerLane);

} // namespace braid
