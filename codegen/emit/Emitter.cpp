// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/emit/Emitter.h"

#include "codegen/emit/ProgramLocation.h"
#include "codegen/ops/OpRegistration.h"
#include "codegen/targets/Targets.h"

#include <fmt/format.h>

using namespace mlir;

namespace braid {

Emitter::Emitter(OpBuilder &builder, SectionOp section, const RowAnalysis &rows,
                 const KernelArguments &arguments, const Target &target)
    : b(builder), section(section), rows(rows), args(arguments), targetInfo(target),
      plan(*section.getSchedule()), location(section.getLoc()) {}

// --- types and plain expressions --------------------------------------------------------------

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

std::string Emitter::fragType(Type dtype) const {
  return fmt::format("Frag<{}, {}>", cType(dtype), plan.getPerLane());
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

void Emitter::ifThen(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto ifOp = emitc::IfOp::create(b, location, condition, /*addThenBlock=*/true, /*addElseBlock=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&ifOp.getThenRegion().front());
  body();
  emitc::YieldOp::create(b, location);
}

// --- values of the program --------------------------------------------------------------------

std::string Emitter::nameOf(Value value, StringRef hint) const {
  std::string name = programName(value);
  return name.empty() ? hint.str() : name;
}

Type Emitter::heldDtype(Value value) const {
  Type dtype = held.lookup(value);
  return dtype ? dtype : cast_or_null<ValueType>(value.getType()).getDtype();
}

void Emitter::bind(Value result, Value emitted) {
  std::string name = programName(result);
  Operation *op = emitted.getDefiningOp();
  // A value that the program names is a variable of that name; members are written as they are.
  if (!name.empty() && !isa<NameLoc>(op->getLoc()) && !isa<emitc::LoadOp, emitc::LiteralOp>(op))
    named(emitted, name);
  if (!loadingRows) {
    bound[result] = emitted;
    return;
  }
  // Rows in flight outlive the loop that loads them: they live in an array, one element a row.
  std::string arrayName = isa<NameLoc>(op->getLoc()) ? cast<NameLoc>(op->getLoc()).getName().str()
                                                     : nameOf(result, "row");
  op->setLoc(location);
  auto arrayType = emitc::ArrayType::get({plan.getInFlight()}, emitted.getType());
  Value array;
  {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(beforeLoops);
    array = emitc::VariableOp::create(b, locNamed(arrayName), arrayType,
                                      emitc::OpaqueAttr::get(b.getContext(), ""));
  }
  Value place = emitc::SubscriptOp::create(b, location, cast<TypedValue<emitc::ArrayType>>(array),
                                           inFlightIndex);
  emitc::AssignOp::create(b, location, place, emitted);
  arrays[result] = array;
}

Value Emitter::get(Value value) {
  if (Value emitted = bound.lookup(value))
    return emitted;
  if (Value array = arrays.lookup(value)) {
    auto typed = cast<TypedValue<emitc::ArrayType>>(array);
    Value place = emitc::SubscriptOp::create(b, location, typed, inFlightIndex);
    return emitc::LoadOp::create(b, location, typed.getType().getElementType(), place);
  }
  // A gathered row that is used as an ordinary row.
  return call("loadRow", {"Rows", std::to_string(pointerAlignment(value))}, {pointer(value), lane()}, fragType(heldDtype(value)),
              nameOf(value, "gathered_row"));
}

Value Emitter::getNumber(Value value) {
  Value emitted = get(value);
  return isRow(value) || heldDtype(value).isF32() ? emitted : call("toFloat", {}, {emitted}, "f32");
}

void Emitter::bindPointer(Value result, Value pointer, Type dtype, unsigned align) {
  pointers[result] = pointer;
  alignments[result] = align;
  held[result] = dtype;
}

Value Emitter::pointer(Value value) { return pointers.lookup(value); }

bool Emitter::isPerRow(Value value) const {
  return llvm::any_of(rows.leadingAxes(value), [](AxisAttr axis) { return !axis.isRuntime(); });
}

bool Emitter::perRow(Operation *op) const {
  auto test = [&](Value value) { return isa<ValueType>(value.getType()) && isPerRow(value); };
  return llvm::any_of(op->getResults(), test) || llvm::any_of(op->getOperands(), test);
}

// --- indices and addresses --------------------------------------------------------------------

Value Emitter::index(AxisAttr axis) {
  for (auto [candidate, index] : llvm::zip(section.getLeadingAxes(), axisIndex))
    if (candidate.matches(axis))
      return index;
  return {};
}

Value Emitter::address(Value operand, bool isRow) {
  auto tensor = cast<TensorType>(operand.getType());
  Value address = args.pointer.lookup(operand);
  ArrayRef<AxisAttr> axes = tensor.getAxes().drop_back(isRow ? 1 : 0);
  const SmallVector<Value> &strides = args.strides.find(operand)->second;
  for (auto [axis, stride] : llvm::zip(axes, strides)) {
    Value offset = binary('*', cast("u64", index(axis)), stride, "u64");
    address = emitc::AddOp::create(b, location, address.getType(), address, offset);
  }
  return address;
}

Value Emitter::live() { return logicalAnd(tokenLive, rowLive); }

Value Emitter::firstLane() {
  if (plan.getLanes() == 1)
    return {};
  return emitc::CmpOp::create(b, location, b.getI1Type(), emitc::CmpPredicate::eq, laneNumber,
                              literal("0", "u32"));
}

// `index < limit ? index : last`: idle lane groups repeat the last row, so that every lane takes
// part in exchanges and no load needs a mask.
static Value clampIdle(Emitter &e, Value index, Value live, Value last, StringRef name) {
  return e.named(emitc::ConditionalOp::create(e.builder(), e.loc(), index.getType(), live, index, last),
                 name);
}

void Emitter::emitIndices(Value workgroup, Value thread) {
  auto number = [&](int64_t n) { return literal(std::to_string(n), "u32"); };
  auto scaled = [&](char op, Value value, int64_t n, StringRef name = "") {
    return n == 1 ? value : binary(op, value, number(n), "u32", name);
  };
  int64_t lanes = plan.getLanes(), rowGroups = plan.getRowGroups(), tokenGroups = plan.getTokenGroups();
  int64_t rowsPerToken = section.getRowsPerToken(), perWorkgroup = plan.getRowsPerWorkgroup();
  int64_t steps = llvm::divideCeil(rowsPerToken, perWorkgroup);

  laneNumber = lanes == 1 ? number(0) : binary('%', thread, number(lanes), "u32", "lane");
  Value group = scaled('/', thread, lanes, "group");

  AxisAttr tokenAxis = section.getLeadingAxes().front();
  std::string axisName = tokenAxis.getName().str();
  Value base = scaled('/', workgroup, steps);
  if (tokenGroups == 1) {
    tokenIndex = steps == 1 ? workgroup : named(base, axisName);
  } else {
    Value count = args.counts.lookup(axisName);
    Value raw = binary('+', scaled('*', base, tokenGroups), scaled('/', group, rowGroups), "u32",
                       axisName + "_raw");
    tokenLive = named(compareLess(raw, count), axisName + "_live");
    tokenIndex = clampIdle(*this, raw, tokenLive, binary('-', count, number(1), "u32"), axisName);
  }
  if (rowsPerToken == 1)
    return;
  Value inGroup = tokenGroups == 1 ? group : binary('%', group, number(rowGroups), "u32");
  rowFirst = steps == 1 ? inGroup
                        : binary('+', scaled('*', binary('%', workgroup, number(steps), "u32"),
                                             perWorkgroup),
                                 inGroup, "u32", "first_row");
}

void Emitter::emitRowIndex(Value inFlight) {
  int64_t rowsPerToken = section.getRowsPerToken(), perWorkgroup = plan.getRowsPerWorkgroup();
  auto number = [&](int64_t n) { return literal(std::to_string(n), "u32"); };
  SmallVector<AxisAttr> axes = section.getLeadingAxes();
  axisIndex.assign(axes.size(), Value());
  axisIndex.front() = tokenIndex;
  rowLive = {};
  if (axes.size() == 1)
    return;
  Value row = rowsPerToken == 1 ? number(0) : rowFirst;
  if (inFlight)
    row = binary('+', row, binary('*', inFlight, number(plan.getRowGroups()), "u32"), "u32");
  bool single = axes.size() == 2;
  std::string name = single && axes[1].isNamed() ? axes[1].getName().str() + "_index" : "row_index";
  if (rowsPerToken % perWorkgroup != 0) {
    row = named(row, name + "_raw");
    rowLive = named(compareLess(row, number(rowsPerToken)), name + "_live");
    row = clampIdle(*this, row, rowLive, number(rowsPerToken - 1), name);
  } else if (rowsPerToken > 1 && !isa<BlockArgument>(row) && row != rowFirst) {
    row = named(row, name);
  }
  int64_t inner = rowsPerToken;
  for (size_t i = 1; i < axes.size(); ++i) {
    inner /= axes[i].getExtent();
    Value index = row;
    if (inner > 1)
      index = binary('/', index, number(inner), "u32");
    if (i > 1)
      index = binary('%', index, number(axes[i].getExtent()), "u32");
    axisIndex[i] = index;
  }
}

// --- the section ------------------------------------------------------------------------------

LogicalResult Emitter::emitOps(ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    location = op->getLoc();
    std::string statement = programStatement(op->getLoc());
    // Loads and constants stand where they are hidden best, not where the program uses them.
    bool computes = op->getNumOperands() > 0 && !hasSingleEffect<MemoryEffects::Read>(op);
    if (!statement.empty() && statement != lastStatement && computes) {
      comment(statement);
      lastStatement = statement;
    }
    location = stripName(op->getLoc());
    if (failed(cast<RowOpInterface>(op).emit(*this)))
      return failure();
  }
  return success();
}

// True for a load that needs nothing but an address.
static bool isPlainLoad(Operation *op) {
  return hasSingleEffect<MemoryEffects::Read>(op) &&
         llvm::all_of(op->getOperands(), [](Value operand) { return !isa<ValueType>(operand.getType()); });
}

LogicalResult Emitter::emitSection(Value workgroup, Value thread) {
  emitc::VerbatimOp::create(b, location, fmt::format("using Rows = RowMap<{}, {:#x}>;", plan.getRow(),
                                                     plan.getLaneMask()));
  require("row.h");
  emitIndices(workgroup, thread);
  axisIndex.assign(section.getLeadingAxes().size(), Value());
  axisIndex.front() = tokenIndex;

  SmallVector<Operation *> once, loads, perRowOps;
  for (Operation &op : section.getBody().front()) {
    if (!perRow(&op))
      once.push_back(&op);
    else if (plan.getInFlight() > 1 && isPlainLoad(&op))
      loads.push_back(&op);
    else
      perRowOps.push_back(&op);
  }
  if (failed(emitOps(once)))
    return failure();
  for (Operation *op : perRowOps) {
    location = stripName(op->getLoc());
    if (failed(cast<RowOpInterface>(op).emitInvariant(*this)))
      return failure();
  }
  location = section.getLoc();
  if (plan.getInFlight() == 1) {
    emitRowIndex({});
    return emitOps(perRowOps);
  }

  auto overRows = [&](ArrayRef<Operation *> ops) -> LogicalResult {
    location = section.getLoc();
    Operation *pragma = emitc::VerbatimOp::create(b, location, "#pragma unroll");
    if (loadingRows)
      beforeLoops = OpBuilder::InsertPoint(b.getInsertionBlock(), pragma->getIterator());
    auto number = [&](int64_t n) { return literal(std::to_string(n), "u32"); };
    auto loop = emitc::ForOp::create(b, locNamed("i"), number(0), number(plan.getInFlight()), number(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&loop.getRegion().front());
    inFlightIndex = loop.getRegion().front().getArgument(0);
    emitRowIndex(inFlightIndex);
    return emitOps(ops);
  };
  loadingRows = true;
  if (failed(overRows(loads)))
    return failure();
  loadingRows = false;
  return overRows(perRowOps);
}

} // namespace braid
