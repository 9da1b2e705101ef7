// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op sees while it is lowered to emitc: the values of its row as this lane holds them,
// addresses of rows, and a few ways to make C++ expressions. One Emitter serves one section; it
// decides where things stand (before or inside the loops over rows in flight), ops do not.

#pragma once

#include "codegen/dialect/Braid.h"
#include "codegen/grouping/Schedule.h"

#include "llvm/ADT/StringMap.h"

#include <set>
#include <string>

namespace braid {

struct Target;

/// Names and C types of the kernel's arguments, by operand.
struct KernelArguments {
  llvm::DenseMap<mlir::Value, mlir::Value> pointer;                    // operand -> argument
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> strides; // null where there is none
  llvm::DenseMap<mlir::Value, mlir::Value> tableRows, pages;
  struct Buffer {
    mlir::Value pointer, pageStride;
  };
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Buffer>> buffers; // of a cache, in order
  llvm::StringMap<mlir::Value> counts;                            // run-time axis -> argument
  mlir::Value faults;                                             // checked builds
};

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, SectionOp section, const RowAnalysis &rows,
          const KernelArguments &arguments, const Target &target);

  // --- values of the program ------------------------------------------------------------------
  /// The emitted form of `value` at this place: a `Frag<T, N>` for a row, an f32 (or integer) for a
  /// scalar of the row. A gathered row that was bound as a pointer is loaded.
  mlir::Value get(mlir::Value value);
  /// A scalar of the row as an f32 expression, whatever dtype holds it.
  mlir::Value getNumber(mlir::Value value);
  /// The emitted form as memory of that dtype takes it: a loaded row keeps its tensor's dtype until
  /// then, and is widened where f32 is stored; a row of scales becomes exponents where e8m0 is.
  mlir::Value getStored(mlir::Value value, mlir::Type dtype);
  /// Emitted form of a result. The name shown in the text comes from the program, or is `hint`.
  void bind(mlir::Value result, mlir::Value emitted);
  /// Binds a row that its users load as they need it: the address of its first element.
  void bindPointer(mlir::Value result, mlir::Value pointer, mlir::Type dtype, unsigned align);
  /// The address bound by bindPointer.
  mlir::Value pointer(mlir::Value value);
  /// Bytes to which it is aligned.
  unsigned pointerAlignment(mlir::Value value) const { return alignments.lookup(value); }
  bool isRow(mlir::Value value) const { return rows.isRow(value); }
  /// True if `value` differs between the rows of one token.
  bool isPerRow(mlir::Value value) const { return rows.isPerRow(value); }
  /// What an op's emitInvariant has left for its emit; null if nothing.
  void setInvariant(mlir::Operation *op, mlir::Value emitted) { invariants[op] = emitted; }
  mlir::Value invariant(mlir::Operation *op) const { return invariants.lookup(op); }

  // --- this row -------------------------------------------------------------------------------
  ScheduleAttr schedule() const { return plan; }
  const Target &target() const { return targetInfo; }
  /// How the rows of `row`'s length lie, the RowMap of that length in the text, and the lane's
  /// number among those that hold such a row (lanes beyond them hold copies).
  RowBits bits(mlir::Value row) const;
  std::string rowsName(mlir::Value row) const;
  mlir::Value lane(mlir::Value row);
  /// Condition under which this lane stores its part of `row`: null where every lane does.
  mlir::Value holdsRow(mlir::Value row);
  /// Address of the row (or scalar) of `operand` that belongs to this row's leading indices.
  mlir::Value address(mlir::Value operand, bool isRow, int64_t begin = 0);
  /// Template arguments of an access to a row of `operand`, or to a part of one that begins at
  /// `begin`: how it lies, and to how many bytes its address is aligned where that is not 16.
  std::vector<std::string> rowArguments(mlir::Value row, mlir::Value operand,
                                        std::optional<int64_t> begin) const;
  /// This row's index along each of `axes`, which are a subsequence of the section's leading axes.
  llvm::SmallVector<mlir::Value> indices(llvm::ArrayRef<AxisAttr> axes);
  /// The slots of a cache, u64: its pages times the page size.
  mlir::Value capacity(mlir::Value cache);
  const KernelArguments &arguments() const { return args; }
  /// Conditions under which this lane may store: null where every lane may.
  mlir::Value live();
  /// Condition under which this lane stores scalars of the row: one lane does, for its group or for
  /// the row that was dealt to it; null where every lane does.
  mlir::Value oneLane();
  /// Condition under which this lane works for an index of its own, of all that the section's other
  /// axes repeat; live() is a condition of its own.
  mlir::Value onceAnIndex(mlir::Value index);

  // --- making text ----------------------------------------------------------------------------
  mlir::OpBuilder &builder() { return b; }
  mlir::Location loc() const { return location; }
  mlir::Type type(llvm::StringRef cType);
  mlir::Value literal(llvm::StringRef text, llvm::StringRef cType);
  mlir::Value number(double value); ///< f32 literal, shortest form that reads back
  /// `callee<templateArgs>(arguments)`; `cType` empty: a statement. `name`: a variable of that
  /// name; without one the call is written where its only user stands.
  mlir::Value call(llvm::StringRef callee, llvm::ArrayRef<std::string> templateArguments,
                   mlir::ValueRange arguments, llvm::StringRef cType, llvm::StringRef name = "");
  mlir::Value binary(char op, mlir::Value lhs, mlir::Value rhs, llvm::StringRef cType,
                     llvm::StringRef name = "");
  /// A call that returns a struct: the variable that holds it, for `member`.
  mlir::Value structCall(llvm::StringRef callee, llvm::ArrayRef<std::string> templateArguments,
                         mlir::ValueRange arguments, llvm::StringRef cType, llvm::StringRef name);
  mlir::Value member(mlir::Value structVariable, llvm::StringRef field, llvm::StringRef cType);
  mlir::Value negate(mlir::Value value, llvm::StringRef cType);
  mlir::Value cast(llvm::StringRef cType, mlir::Value value);
  /// Gives an expression a variable of its own.
  mlir::Value named(mlir::Value value, llvm::StringRef name);
  mlir::Value compareLess(mlir::Value lhs, mlir::Value rhs);
  mlir::Value logicalAnd(mlir::Value lhs, mlir::Value rhs); ///< either may be null
  void comment(llvm::StringRef text);
  /// Before the first store to an operand that the section reads too: all its loads are done then, in
  /// every lane of the workgroup.
  void finishReads();
  /// Runs `body` under `if (condition)`, or plainly where the condition is null.
  void ifThen(mlir::Value condition, llvm::function_ref<void()> body);
  /// The program's name of a result, or `hint`.
  std::string nameOf(mlir::Value value, llvm::StringRef hint) const;
  /// The headers of templates/braid that the emitted calls need.
  void require(llvm::StringRef header) { headers.insert(header.str()); }

  /// C type of a lane's part of `row`, held in `dtype`: `Frag<bf16, 16>`.
  std::string fragType(mlir::Value row, mlir::Type dtype) const;
  static std::string cType(mlir::Type dtype);
  /// Dtype in which the emitted form of `value` is held (a loaded bf16 row stays bf16).
  mlir::Type heldDtype(mlir::Value value) const;
  void setHeldDtype(mlir::Value value, mlir::Type dtype) { held[value] = dtype; }

  /// Emits the section at the builder's insertion point.
  mlir::LogicalResult emitSection(mlir::Value workgroup, mlir::Value thread);

  std::set<std::string> headers;

private:
  // Where an op of the section stands. With rows in flight: their plain loads in a first loop, what
  // touches rows in a second one; scalars of a row that no row needs are dealt over the lanes of
  // the group, lane l working for row l, before and after the loops.
  struct Plan {
    llvm::SmallVector<mlir::Operation *> once, rowLoads, rowOps, dealtLoads, dealtOps;
  };
  Plan planOps();
  bool perRow(mlir::Operation *op) const;
  bool touchesRow(mlir::Operation *op) const;

  mlir::LogicalResult emitOps(llvm::ArrayRef<mlir::Operation *> ops);
  mlir::LogicalResult emitInvariants(llvm::ArrayRef<mlir::Operation *> ops);
  mlir::LogicalResult emitLoop(llvm::ArrayRef<mlir::Operation *> ops);
  void emitIndices(mlir::Value workgroup, mlir::Value thread);
  /// Indices and liveness of row number `step` of those that the lane group works on.
  void emitRowIndex(mlir::Value step);
  mlir::Value smallNumber(int64_t value) { return literal(std::to_string(value), "u32"); }
  mlir::Value addressOfRow(mlir::Value operand, bool isRow);
  /// `perByte`: elements that share a byte.
  mlir::Value strided(mlir::Value pointer, mlir::Value index, mlir::Value stride, int64_t perByte);
  void keepForRows(mlir::Value result, mlir::Value emitted);
  mlir::Location locNamed(llvm::StringRef name) const;

  mlir::OpBuilder &b;
  SectionOp section;
  const RowAnalysis &rows;
  const KernelArguments &args;
  const Target &targetInfo;
  ScheduleAttr plan;
  mlir::Location location;

  mlir::Value laneNumber, tokenIndex, tokenLive, rowFirst, rowLive; // lives: null where always true
  llvm::SmallVector<mlir::Value> axisIndex; // by leading axis, for the current row
  mlir::Value inFlightIndex;       // induction variable of the current loop over rows, or null
  mlir::Operation *loop = nullptr; // the current loop: arrays and first addresses go before it
  bool loadingRows = false;        // in the loop that loads the rows in flight
  bool readsFinished = false;      // the barrier behind all loads stands already
  bool dealing = false;            // each lane works for the row that was dealt to it
  llvm::SmallPtrSet<mlir::Operation *, 8> dealt;
  llvm::DenseMap<int64_t, mlir::Value> sideLanes; // by number of lanes
  llvm::DenseMap<mlir::Value, mlir::Value> bound, pointers, arrays, firstAddresses;
  llvm::DenseMap<mlir::Operation *, mlir::Value> invariants;
  llvm::DenseMap<mlir::Value, mlir::Type> held;
  llvm::DenseMap<mlir::Value, unsigned> alignments;
  std::string lastStatement;
};

} // namespace braid
