// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/emit/HipPrinter.h"

#include "codegen/emit/NameTable.h"
#include "codegen/emit/ProgramLocation.h"

#include "llvm/ADT/TypeSwitch.h"

#include <fmt/format.h>

using namespace mlir;

namespace braid {

namespace {

// How tightly an expression binds, as in C++; smaller is tighter.
enum Precedence { kPrimary = 1, kUnary = 3, kMultiply = 5, kAdd = 6, kCompare = 9, kAnd = 14, kChoose = 16 };

struct Expression {
  std::string text;
  int precedence = kPrimary;

  std::string in(int outer) const { return precedence > outer ? "(" + text + ")" : text; }
};

class Printer {
public:
  FailureOr<PrintedKernel> print(emitc::FuncOp function) {
    names.reserveUsedBy(function);
    for (BlockArgument argument : function.getArguments())
      variables[argument] = names.unique(cast<NameLoc>(argument.getLoc()).getName().getValue());
    std::string head;
    ArrayAttr specifiers = *function.getSpecifiers();
    for (Attribute specifier : specifiers)
      head += cast<StringAttr>(specifier).str() + " ";
    line(head + "void " + function.getName().str() + "(");
    for (BlockArgument argument : function.getArguments()) {
      bool last = argument.getArgNumber() + 1 == function.getNumArguments();
      bool pointer = isa<emitc::PointerType>(argument.getType());
      // The grid of a section by itself is exact: its count is the host's alone.
      std::string unused = argument.use_empty() ? "[[maybe_unused]] " : "";
      line("    " + unused + typeName(argument.getType()) + (pointer ? " __restrict__ " : " ") +
           variables[argument] + (last ? ") {" : ","));
    }
    indent = 1;
    if (failed(printBlock(function.getBody().front())))
      return failure();
    indent = 0;
    line("}");
    return std::move(printed);
  }

private:
  // --- lines ----------------------------------------------------------------------------------
  void line(const std::string &text) {
    printed.text += std::string(2 * indent, ' ') + text + "\n";
    ++lineNumber;
  }

  void statement(Operation *op, const std::string &text) {
    line(text);
    std::string place = programPlace(op->getLoc());
    if (!place.empty())
      printed.lineMap.push_back({lineNumber, place});
  }

  static std::string typeName(Type type) {
    if (auto pointer = dyn_cast<emitc::PointerType>(type))
      return typeName(pointer.getPointee()) + "*";
    if (auto place = dyn_cast<emitc::LValueType>(type))
      return typeName(place.getValueType());
    if (auto opaque = dyn_cast<emitc::OpaqueType>(type))
      return opaque.getValue().str();
    return "bool"; // i1, the only other type that LowerToEmitC uses
  }

  // `const T name`; a pointer itself is const too, so that nothing in the text changes twice.
  static std::string declaration(Type type, const std::string &name) {
    std::string c = typeName(type);
    return isa<emitc::PointerType>(type) ? c + " const " + name : "const " + c + " " + name;
  }

  // --- expressions ----------------------------------------------------------------------------
  // True for what is written at each use: constants, and reads of variables that never change.
  static bool alwaysInline(Operation *op) { return isa<emitc::LiteralOp, emitc::LoadOp>(op); }

  static bool hasName(Operation *op) { return isa<NameLoc>(op->getLoc()); }

  // An unnamed value moves to its only user, if that stands in the same block: a call may exchange
  // data between lanes and must not move under a condition.
  static bool isInlined(Value value) {
    Operation *op = value.getDefiningOp();
    if (alwaysInline(op))
      return true;
    return !hasName(op) && value.hasOneUse() && value.getUsers().begin()->getBlock() == op->getBlock();
  }

  Expression expression(Value value) {
    auto variable = variables.find(value);
    return variable != variables.end() ? Expression{variable->second} : expand(value.getDefiningOp());
  }

  std::string list(ValueRange values) {
    std::string text;
    for (Value value : values)
      text += (text.empty() ? "" : ", ") + expression(value).text;
    return text;
  }

  Expression infix(Operation *op, const char *symbol, int precedence) {
    // Operators are left-associative: an equal precedence on the right needs parentheses.
    return {expression(op->getOperand(0)).in(precedence) + " " + symbol + " " +
                expression(op->getOperand(1)).in(precedence - 1),
            precedence};
  }

  Expression callExpression(emitc::CallOpaqueOp call) {
    std::string text = call.getCallee().str();
    if (std::optional<ArrayAttr> arguments = call.getTemplateArgs()) {
      std::string inside;
      for (Attribute argument : *arguments)
        inside += (inside.empty() ? "" : ", ") + cast<emitc::OpaqueAttr>(argument).getValue().str();
      text += "<" + inside + ">";
    }
    return {text + "(" + list(call.getOperands()) + ")"};
  }

  Expression castExpression(emitc::CastOp cast) {
    std::string type = typeName(cast.getType());
    Expression source = expression(cast.getSource());
    if (isa<emitc::PointerType>(cast.getType()))
      return {"reinterpret_cast<" + type + ">(" + source.text + ")"};
    return {type + "(" + source.text + ")"};
  }

  Expression expand(Operation *op) {
    return llvm::TypeSwitch<Operation *, Expression>(op)
        .Case([](emitc::LiteralOp literal) { return Expression{literal.getValue().str()}; })
        .Case([&](emitc::LoadOp load) { return place(load.getOperand()); })
        .Case([&](emitc::CallOpaqueOp call) { return callExpression(call); })
        .Case([&](emitc::CastOp cast) { return castExpression(cast); })
        .Case([&](emitc::AddOp) { return infix(op, "+", kAdd); })
        .Case([&](emitc::SubOp) { return infix(op, "-", kAdd); })
        .Case([&](emitc::MulOp) { return infix(op, "*", kMultiply); })
        .Case([&](emitc::DivOp) { return infix(op, "/", kMultiply); })
        .Case([&](emitc::RemOp) { return infix(op, "%", kMultiply); })
        .Case([&](emitc::CmpOp cmp) {
          return infix(op, cmp.getPredicate() == emitc::CmpPredicate::lt ? "<" : "==", kCompare);
        })
        .Case([&](emitc::LogicalAndOp) { return infix(op, "&&", kAnd); })
        .Case([&](emitc::UnaryMinusOp minus) {
          return Expression{"-" + expression(minus.getOperand()).in(kPrimary), kUnary};
        })
        .Case([&](emitc::ConditionalOp choose) {
          return Expression{expression(choose.getCondition()).in(kAnd) + " ? " +
                                expression(choose.getTrueValue()).in(kAnd) + " : " +
                                expression(choose.getFalseValue()).in(kAnd),
                            kChoose};
        })
        .Default([&](Operation *) {
          unknown = op;
          return Expression{};
        });
  }

  // `array[i]`, `variable.member`
  Expression place(Value value) {
    if (auto subscript = value.getDefiningOp<emitc::SubscriptOp>())
      return {expression(subscript.getValue()).text + "[" + list(subscript.getIndices()) + "]"};
    if (auto member = value.getDefiningOp<emitc::MemberOp>())
      return {place(member.getOperand()).text + "." + member.getMember().str()};
    return expression(value);
  }

  // --- statements -----------------------------------------------------------------------------
  void declare(Value value, const std::string &fallback) {
    Location loc = value.getDefiningOp()->getLoc();
    auto name = dyn_cast<NameLoc>(loc);
    variables[value] = names.unique(name ? name.getName().getValue() : StringRef(fallback));
  }

  void printVariable(emitc::VariableOp variable) {
    declare(variable.getResult(), "variable");
    if (auto array = dyn_cast<emitc::ArrayType>(variable.getType()))
      statement(variable, fmt::format("{} {}[{}];", typeName(array.getElementType()),
                                      variables[variable.getResult()], array.getShape().front()));
    // Other variables are declared by their only assignment.
  }

  void printAssign(emitc::AssignOp assign) {
    std::string value = expression(assign.getValue()).text;
    if (assign.getVar().getDefiningOp<emitc::VariableOp>())
      statement(assign, declaration(assign.getVar().getType(), variables[assign.getVar()]) + " = " +
                            value + ";");
    else
      statement(assign, place(assign.getVar()).text + " = " + value + ";");
  }

  LogicalResult printNested(Region &region) {
    ++indent;
    LogicalResult result = printBlock(region.front());
    --indent;
    return result;
  }

  LogicalResult printFor(emitc::ForOp loop) {
    Value iv = loop.getRegion().front().getArgument(0);
    auto name = dyn_cast<NameLoc>(loop.getLoc());
    std::string i = variables[iv] = names.unique(name ? name.getName().getValue() : StringRef("i"));
    statement(loop, fmt::format("for ({0} {1} = {2}; {1} < {3}; {1} += {4}) {{", typeName(iv.getType()),
                                i, expression(loop.getLowerBound()).text,
                                expression(loop.getUpperBound()).text, expression(loop.getStep()).text));
    if (failed(printNested(loop.getRegion())))
      return failure();
    line("}");
    names.release(i);
    return success();
  }

  LogicalResult printIf(emitc::IfOp branch) {
    statement(branch, "if (" + expression(branch.getCondition()).text + ") {");
    if (failed(printNested(branch.getThenRegion())))
      return failure();
    if (!branch.getElseRegion().empty()) {
      line("} else {");
      if (failed(printNested(branch.getElseRegion())))
        return failure();
    }
    line("}");
    return success();
  }

  LogicalResult printOp(Operation *op) {
    if (isa<emitc::SubscriptOp, emitc::MemberOp, emitc::YieldOp, emitc::ReturnOp>(op))
      return success();
    if (auto verbatim = dyn_cast<emitc::VerbatimOp>(op))
      return statement(op, verbatim.getValue().str()), success();
    if (auto variable = dyn_cast<emitc::VariableOp>(op))
      return printVariable(variable), success();
    if (auto assign = dyn_cast<emitc::AssignOp>(op))
      return printAssign(assign), success();
    if (auto loop = dyn_cast<emitc::ForOp>(op))
      return printFor(loop);
    if (auto branch = dyn_cast<emitc::IfOp>(op))
      return printIf(branch);
    if (op->getNumResults() == 0)
      return statement(op, expand(op).text + ";"), success();
    Value value = op->getResult(0);
    if (isInlined(value) || value.use_empty())
      return success();
    std::string text = expand(op).text;
    declare(value, "value");
    statement(op, declaration(value.getType(), variables[value]) + " = " + text + ";");
    return success();
  }

  LogicalResult printBlock(Block &block) {
    std::vector<std::string> outer = names.enterScope();
    for (Operation &op : block) {
      if (failed(printOp(&op)))
        return failure();
      if (unknown)
        return unknown->emitError("the printer does not know this op");
    }
    names.leaveScope(std::move(outer));
    return success();
  }

  PrintedKernel printed;
  NameTable names;
  llvm::DenseMap<Value, std::string> variables;
  Operation *unknown = nullptr;
  unsigned indent = 0, lineNumber = 0;
};

} // namespace

FailureOr<PrintedKernel> printKernel(emitc::FuncOp function) {
  Printer printer;
  return printer.print(function);
}

} // namespace braid
