// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public C++ builder: makes a module with one braid.kernel. The text parser is one of its users
// and there is no other way from a program to IR. Ops are called by name through the OpTable, so a
// new op needs no change here. Errors never throw or abort: they are collected, the value becomes
// null, and null values pass through silently, so that one run reports several errors.
//
// A Builder borrows the context and must outlive every Expr made from it. One thread at a time.

#pragma once

#include "dsl/Expr.h"
#include "dsl/MlirDiagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <source_location>

namespace braid::dsl {

using LayoutArgs = std::map<std::string, std::variant<int64_t, mlir::Type>>;

/// A program as IR, or the reasons why there is none. The module is null iff there are errors.
struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Diagnostic> diagnostics;
};

class Builder {
public:
  using Where = std::source_location;

  Builder(mlir::MLIRContext &context, std::string kernel, Where where = Where::current());
  ~Builder();

  // --- parameters ---
  /// Records a bound parameter by its canonical text.
  void setParameter(const std::string &name, std::string canonical);
  IntParam intParameter(const std::string &name, int64_t value);
  double f32Parameter(const std::string &name, double value);
  std::string wordParameter(const std::string &name, std::string word);
  /// The dtype called `name`, `fp8` included; null after an error.
  mlir::Type dtype(std::string_view name, Where where = Where::current());
  mlir::Type dtypeParameter(const std::string &name, std::string_view dtypeName,
                            Where where = Where::current());
  /// The page layout, checked exhaustively; null after an error.
  LayoutAttr layoutParameter(const std::string &name, const std::string &layout,
                             const LayoutArgs &args, Where where = Where::current());

  /// `padding = skip_all(slot)`: no store of a token whose slot lies outside a cache that `slot`
  /// indexes. It may name an input that is declared later.
  void skipAll(const std::string &slot, Where where = Where::current());

  // --- declarations, in signature order ---
  void axis(const std::string &name, Where where = Where::current());
  Expr input(const std::string &name, mlir::Type dtype, std::vector<Extent> axes,
             Where where = Where::current());
  Expr output(const std::string &name, mlir::Type dtype, std::vector<Extent> axes,
              Where where = Where::current());
  /// Read at its value at entry wherever it stands on the right, and stored once.
  Expr inout(const std::string &name, mlir::Type dtype, std::vector<Extent> axes,
             Where where = Where::current());
  Expr cache(const std::string &name, LayoutAttr layout, Where where = Where::current());

  // --- values ---
  /// Calls the op `op`; as many values as it has results, or none after an error.
  std::vector<Expr> call(const std::string &op, std::vector<Arg> args,
                         Where where = Where::current());
  /// The same for an op with one result.
  Expr callOne(const std::string &op, std::vector<Arg> args, Where where = Where::current());
  Expr gather(const Expr &table, const Expr &position, Where where = Where::current());

  // --- statements ---
  /// Names a value; the name of an output stores it.
  Expr assign(const std::string &name, const Expr &value, Where where = Where::current());
  /// Names the results of an op, in order. Empty `values`: after an error, the names become null.
  void assign(const std::vector<std::string> &names, const std::vector<Expr> &values,
              Where where = Where::current());
  /// `cache[slot] = field: value, ...`
  void storeEntry(const Expr &cache, const Expr &slot, std::vector<EntryField> fields,
                  Where where = Where::current());

  /// Checks that every output and cache is stored, verifies, and hands the module over. Once.
  Program finish();

  // --- for front ends ---
  /// Operands, values and assigned names; `found` tells a null value from an unknown name.
  Expr lookup(const std::string &name, bool &found);
  /// All names that a value may have, for suggestions.
  std::vector<std::string> valueNames() const;
  /// Everything up to the next pin is placed at `loc` (which carries the statement), instead of at
  /// the caller's source location.
  void pin(mlir::Location loc) { pinned = loc; }
  /// Pins the place of the kernel's own name.
  void pinKernel(mlir::Location loc);
  /// The IR value of a handle, loading operands; null for numbers and after errors.
  mlir::Value valueAt(const Expr &expr, mlir::Location loc) { return valueOf(expr, loc); }
  /// Places of this source's file are shown with their line.
  void addSource(const Source *source) { sources.push_back(source); }
  DiagnosticList &diagnostics() { return list; }
  mlir::MLIRContext *context() { return &ctx; }

  /// Adds a diagnostic at an MLIR location.
  template <typename... Args>
  void report(DiagId id, mlir::Location loc, const Args &...args) {
    Diagnostic diagnostic = makeDiagnostic(id, args...);
    placeAtLocation(diagnostic, loc, sources);
    list.add(std::move(diagnostic));
  }
  /// Runs `action` with its MLIR diagnostics turned into ours.
  void captured(llvm::function_ref<void()> action);

private:
  enum class NameKind { Parameter, Axis, Input, Output, InOut, Cache, Local };
  struct Entry {
    NameKind kind;
    mlir::Value handle = {}; ///< operand, or the value of a local
    mlir::Value value = {};  ///< of an assigned output
    bool assigned = false;
    std::optional<mlir::Location> loc = {};
  };

  mlir::Location place(Where where);
  bool declare(const std::string &name, NameKind kind, mlir::Location loc);
  Expr declareOperand(const std::string &name, OperandRole role, mlir::Type type,
                      mlir::Location loc);
  Expr declareTensor(const std::string &name, OperandRole role, mlir::Type dtype,
                     std::vector<Extent> axes, mlir::Location loc);
  std::optional<AxisAttr> resolveExtent(const std::string &tensor, const Extent &extent,
                                        bool leading, mlir::Location loc);
  /// The IR value of a handle, loading operands; null for numbers and after errors.
  mlir::Value valueOf(const Expr &expr, mlir::Location loc);
  mlir::Value load(mlir::Value tensor, mlir::Location loc);
  mlir::Value constant(Number number, mlir::Location loc);
  mlir::Value expectValue(const Expr &expr, mlir::Location loc);
  bool prepareName(const std::string &name, mlir::Location loc);
  void bindName(const std::string &name, const Expr &expr, mlir::Location loc);
  void store(Entry &entry, mlir::Value value, mlir::Location loc);
  bool verifyOrErase(mlir::Operation *op);
  void checkTableUse(const std::string &name, const Entry &entry);

  // Padding.cpp
  void maskStores();

  // CallBinder.cpp
  std::optional<Call> bindCall(const OpSpec &spec, std::vector<Arg> args, mlir::Location loc);
  bool bindArgument(const OpSpec &spec, const ParamSpec &param, Arg arg, mlir::Location loc,
                    Call &call);

  mlir::MLIRContext &ctx;
  mlir::OpBuilder ir;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  KernelOp kernel;
  std::optional<mlir::Location> pinned, latest;
  llvm::StringMap<Entry> names;
  std::vector<std::string> axes, operands;
  std::map<std::string, std::string> parameters;
  std::string paddingSlot; ///< of skip_all; empty: skip_store
  std::optional<mlir::Location> paddingPlace;
  llvm::DenseMap<mlir::Value, mlir::Value> loads;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> gathers;
  ArgumentPlaces argumentPlaces; ///< of the call that is being built
  std::vector<const Source *> sources;
  DiagnosticList list;

  friend class Expr;
  friend Expr combine(char op, const Expr &left, const Expr &right);
  friend Expr negate(const Expr &value);
};

} // namespace braid::dsl
