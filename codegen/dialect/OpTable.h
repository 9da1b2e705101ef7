// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language's view of the ops: names, parameters and how a call becomes IR. Each file of
// codegen/ops registers its own; the text parser and the C++ Builder call ops through this table
// alone, so adding an op touches neither. Immutable after the first use; safe to share.

#ifndef BRAID_CODEGEN_DIALECT_OPTABLE_H
#define BRAID_CODEGEN_DIALECT_OPTABLE_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace braid {

struct Argument;

/// A constant expression: ints are exact up to 2^53, `integer` tells how it was written.
struct Number {
  double value = 0;
  bool integer = false;
};

/// Half-open range `a..b`.
struct IntRange {
  int64_t begin = 0, end = 0;
};

/// A bare word (`neox`, `joined`) or a word with arguments (`given(s)`).
struct Word {
  std::string name;
  std::vector<Argument> arguments;
};

/// One argument of an op call, as the text or the C++ Builder gives it. `keyword` is empty for a
/// positional argument; `loc` is the place of the argument itself.
struct Argument {
  std::string keyword;
  std::variant<mlir::Value, Number, IntRange, Word, mlir::Type> payload;
  mlir::Location loc;
};

enum class ParamKind { Value, Number, Integer, Range, Word, WordOrInteger, Dtype };

/// One parameter of an op. `words` are the legal words of a Word (or WordOrInteger) parameter; an absent optional
/// parameter is simply not in the Call.
struct ParamSpec {
  std::string name;
  ParamKind kind;
  bool required = true;
  std::string doc;
  std::vector<std::string> words = {};
};

/// Arguments of one call, bound to the parameters of its OpSpec and checked for kind. Numbers given
/// for Value parameters have become constants.
class Call {
public:
  llvm::StringMap<Argument> bound;

  bool has(llvm::StringRef name) const { return bound.contains(name); }
  /// True if the argument is there and is a word.
  bool isWord(llvm::StringRef name) const {
    return has(name) && std::holds_alternative<Word>(get(name));
  }
  mlir::Value value(llvm::StringRef name) const { return std::get<mlir::Value>(get(name)); }
  double number(llvm::StringRef name) const { return std::get<Number>(get(name)).value; }
  int64_t integer(llvm::StringRef name) const {
    return static_cast<int64_t>(std::get<Number>(get(name)).value);
  }
  IntRange range(llvm::StringRef name) const { return std::get<IntRange>(get(name)); }
  const Word &word(llvm::StringRef name) const { return std::get<Word>(get(name)); }
  mlir::Type dtype(llvm::StringRef name) const { return std::get<mlir::Type>(get(name)); }

private:
  const decltype(Argument::payload) &get(llvm::StringRef name) const {
    return bound.find(name)->second.payload;
  }
};

/// An op of the language. `build` makes the op (already checked: it runs the op's verifier through
/// `checkedCreate`) and returns its results in the order a program names them, or failure after it
/// has emitted a diagnostic.
struct OpSpec {
  std::string name;
  std::string summary;
  std::string signature; ///< one line for `braid ops`
  std::vector<ParamSpec> params;
  std::function<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::OpBuilder &, mlir::Location,
                                                                const Call &)>
      build;
};

/// All ops, by name, in registration order.
class OpTable {
public:
  static const OpTable &get();

  const OpSpec *find(llvm::StringRef name) const;
  llvm::ArrayRef<OpSpec> specs() const { return ops; }

  /// Called by the registration functions of codegen/ops.
  void add(OpSpec spec);

private:
  OpTable();
  std::vector<OpSpec> ops;
};

} // namespace braid

#endif // BRAID_CODEGEN_DIALECT_OPTABLE_H
