// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ expressions as emitc ops.

#include "codegen/emit/Emitter.h"

#include "codegen/ops/OpRegistration.h"

#include <fmt/format.h>

using namespace mlir;

namespace braid {

Type Emitter::type(StringRef cType) {
  if (cType.ends_with("*"))
    return emitc::PointerType::get(type(cType.drop_back()));
  if (cType == "bool")
    return b.getI1Type();
  return emitc::OpaqueType::get(b.getContext(), cType);
}

std::string Emitter::cType(Type dtype) {
  return std::string(dtypeName(*dtypeOf(dtype))); // the templates use the language's names
}

std::string Emitter::fragType(Value row, Type dtype) const {
  return fmt::format("Frag<{}, {}>", cType(dtype), bits(row).perLane());
}

Location Emitter::locNamed(StringRef name) const {
  return name.empty() ? location : NameLoc::get(b.getStringAttr(name), location);
}

Value Emitter::literal(StringRef text, StringRef cType) {
  return emitc::LiteralOp::create(b, location, type(cType), text);
}

Value Emitter::number(double value) { return literal(f32Literal(value), "f32"); }

static emitc::CallOpaqueOp createCall(OpBuilder &b, Location loc, StringRef callee,
                                      ArrayRef<std::string> templateArguments, ValueRange arguments,
                                      TypeRange results) {
  SmallVector<Attribute> attributes;
  for (const std::string &argument : templateArguments)
    attributes.push_back(emitc::OpaqueAttr::get(b.getContext(), argument));
  return emitc::CallOpaqueOp::create(b, loc, results, callee, arguments, ArrayAttr(),
                                     attributes.empty() ? ArrayAttr() : b.getArrayAttr(attributes));
}

Value Emitter::call(StringRef callee, ArrayRef<std::string> templateArguments, ValueRange arguments,
                    StringRef cType, StringRef name) {
  SmallVector<Type> results;
  if (!cType.empty())
    results.push_back(type(cType));
  auto op = createCall(b, locNamed(name), callee, templateArguments, arguments, results);
  return results.empty() ? Value() : op.getResult(0);
}

Value Emitter::structCall(StringRef callee, ArrayRef<std::string> templateArguments,
                          ValueRange arguments, StringRef cType, StringRef name) {
  Type resultType = type(cType);
  Value result = createCall(b, location, callee, templateArguments, arguments, resultType).getResult(0);
  Value variable = emitc::VariableOp::create(b, locNamed(name), emitc::LValueType::get(resultType),
                                             emitc::OpaqueAttr::get(b.getContext(), ""));
  emitc::AssignOp::create(b, location, variable, result);
  return variable;
}

Value Emitter::member(Value structVariable, StringRef field, StringRef cType) {
  Value place = emitc::MemberOp::create(b, location, emitc::LValueType::get(type(cType)), field,
                                        structVariable);
  return emitc::LoadOp::create(b, location, type(cType), place);
}

Value Emitter::binary(char op, Value lhs, Value rhs, StringRef cType, StringRef name) {
  Location loc = locNamed(name);
  Type result = type(cType);
  switch (op) {
  case '+': return emitc::AddOp::create(b, loc, result, lhs, rhs);
  case '-': return emitc::SubOp::create(b, loc, result, lhs, rhs);
  case '*': return emitc::MulOp::create(b, loc, result, lhs, rhs);
  case '/': return emitc::DivOp::create(b, loc, result, lhs, rhs);
  default: return emitc::RemOp::create(b, loc, result, lhs, rhs);
  }
}

Value Emitter::negate(Value value, StringRef cType) {
  return emitc::UnaryMinusOp::create(b, location, type(cType), value);
}

Value Emitter::cast(StringRef cType, Value value) {
  return value.getType() == type(cType) ? value
                                        : emitc::CastOp::create(b, location, type(cType), value);
}

Value Emitter::compareLess(Value lhs, Value rhs) {
  return emitc::CmpOp::create(b, location, b.getI1Type(), emitc::CmpPredicate::lt, lhs, rhs);
}

Value Emitter::logicalAnd(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return emitc::LogicalAndOp::create(b, location, b.getI1Type(), lhs, rhs);
}

Value Emitter::named(Value value, StringRef name) {
  value.getDefiningOp()->setLoc(locNamed(name));
  return value;
}

void Emitter::comment(StringRef text) {
  emitc::VerbatimOp::create(b, location, ("// " + text).str());
}

void Emitter::finishReads() {
  if (readsFinished)
    return;
  readsFinished = true;
  OpBuilder::InsertionGuard guard(b);
  if (loop) // plain loads stand before the loop that stores
    b.setInsertionPoint(loop);
  call("barrier", {}, {}, "");
}

void Emitter::ifThen(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto ifOp = emitc::IfOp::create(b, location, condition, /*addThenBlock=*/true, /*addElseBlock=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&ifOp.getThenRegion().front());
  body();
  emitc::YieldOp::create(b, location);
}

} // namespace braid
