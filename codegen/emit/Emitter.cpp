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
  bool usedAfterLoop = loop && llvm::any_of(result.getUsers(), [&](Operation *user) {
    return dealt.contains(user);
  });
  if (!loadingRows)
    bound[result] = emitted;
  if (loadingRows || usedAfterLoop)
    keepForRows(result, emitted);
}

// What outlives the loop over rows in flight lives in an array, one element a row.
void Emitter::keepForRows(Value result, Value emitted) {
  Operation *op = emitted.getDefiningOp();
  std::string arrayName = nameOf(result, "row") + "_rows";
  if (loadingRows && isa<NameLoc>(op->getLoc())) {
    arrayName = cast<NameLoc>(op->getLoc()).getName().str() + "s";
    op->setLoc(location); // the array has the name, not the value that goes into it
  }
  auto arrayType = emitc::ArrayType::get({plan.getInFlight()}, emitted.getType());
  Value array;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop);
    array = emitc::VariableOp::create(b, locNamed(arrayName), arrayType,
                                      emitc::OpaqueAttr::get(b.getContext(), ""));
  }
  Value place = emitc::SubscriptOp::create(b, location, cast<TypedValue<emitc::ArrayType>>(array),
                                           inFlightIndex);
  emitc::AssignOp::create(b, location, place, emitted);
  arrays[result] = array;
}

Value Emitter::get(Value value) {
  if (Value array = arrays.lookup(value); array && (dealing || !bound.contains(value))) {
    auto typed = cast<TypedValue<emitc::ArrayType>>(array);
    if (dealing) // this lane's row
      return emitc::CallOpaqueOp::create(b, location, typed.getType().getElementType(), "dealt",
                                         ValueRange{array, laneNumber})
          .getResult(0);
    Value place = emitc::SubscriptOp::create(b, location, typed, inFlightIndex);
    return emitc::LoadOp::create(b, location, typed.getType().getElementType(), place);
  }
  if (Value emitted = bound.lookup(value))
    return emitted;
  // A gathered row that is used as an ordinary row.
  return call("loadRow", {"Rows", std::to_string(pointerAlignment(value))}, {pointer(value), lane()},
              fragType(heldDtype(value)), nameOf(value, "gathered_row"));
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

// --- indices and addresses --------------------------------------------------------------------

Value Emitter::index(AxisAttr axis) {
  for (auto [candidate, index] : llvm::zip(section.getLeadingAxes(), axisIndex))
    if (candidate.matches(axis))
      return index;
  return {};
}

// `pointer + u64(index) * stride`
Value Emitter::strided(Value pointer, Value index, Value stride) {
  Value offset = binary('*', cast("u64", index), stride, "u64");
  return emitc::AddOp::create(b, location, pointer.getType(), pointer, offset);
}

Value Emitter::address(Value operand, bool isRow) {
  auto tensor = cast<TensorType>(operand.getType());
  ArrayRef<AxisAttr> axes = tensor.getAxes().drop_back(isRow ? 1 : 0);
  const SmallVector<Value> &strides = args.strides.find(operand)->second;
  // Rows in flight lie a constant number of rows apart: one address for the lane, then a stride that
  // is the same for all lanes.
  bool countsRows = axes.size() == 2 && section.getLeadingAxes().size() == 2 &&
                    axes.back().matches(section.getLeadingAxes().back());
  if (inFlightIndex && countsRows && !rowLive) {
    Value &first = firstAddresses[operand];
    if (!first) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop);
      first = strided(strided(args.pointer.lookup(operand), index(axes[0]), strides[0]), rowFirst,
                      strides[1]);
      named(first, (operand.getDefiningOp<OperandOp>().getName() + "_first").str());
    }
    Value apart = binary('*', inFlightIndex, smallNumber(plan.getRowGroups()), "u32");
    return strided(first, apart, strides[1]);
  }
  Value address = args.pointer.lookup(operand);
  for (auto [axis, stride] : llvm::zip(axes, strides))
    address = strided(address, index(axis), stride);
  return address;
}

Value Emitter::live() { return logicalAnd(tokenLive, rowLive); }

Value Emitter::oneLane() {
  if (plan.getLanes() == 1)
    return {};
  if (dealing)
    return plan.getInFlight() == plan.getLanes()
               ? Value()
               : compareLess(laneNumber, smallNumber(plan.getInFlight()));
  return emitc::CmpOp::create(b, location, b.getI1Type(), emitc::CmpPredicate::eq, laneNumber,
                              smallNumber(0));
}

// `index < limit ? index : last`: idle lane groups repeat the last row, so that every lane takes
// part in exchanges and no load needs a mask.
static Value clampIdle(Emitter &e, Value index, Value live, Value last, StringRef name) {
  return e.named(emitc::ConditionalOp::create(e.builder(), e.loc(), index.getType(), live, index, last),
                 name);
}

void Emitter::emitIndices(Value workgroup, Value thread) {
  auto scaled = [&](char op, Value value, int64_t n, StringRef name = "") {
    return n == 1 ? value : binary(op, value, smallNumber(n), "u32", name);
  };
  int64_t lanes = plan.getLanes(), rowGroups = plan.getRowGroups(), tokenGroups = plan.getTokenGroups();
  int64_t rowsPerToken = section.getRowsPerToken(), perWorkgroup = plan.getRowsPerWorkgroup();
  int64_t steps = llvm::divideCeil(rowsPerToken, perWorkgroup);

  laneNumber = lanes == 1 ? smallNumber(0) : binary('%', thread, smallNumber(lanes), "u32", "lane");
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
    tokenIndex = clampIdle(*this, raw, tokenLive, binary('-', count, smallNumber(1), "u32"), axisName);
  }
  if (rowsPerToken == 1)
    return;
  Value inGroup = tokenGroups == 1 ? group : binary('%', group, smallNumber(rowGroups), "u32");
  rowFirst = steps == 1 ? inGroup
                        : binary('+', scaled('*', binary('%', workgroup, smallNumber(steps), "u32"),
                                             perWorkgroup),
                                 inGroup, "u32", "first_row");
}

void Emitter::emitRowIndex(Value step) {
  int64_t rowsPerToken = section.getRowsPerToken(), perWorkgroup = plan.getRowsPerWorkgroup();
  SmallVector<AxisAttr> axes = section.getLeadingAxes();
  axisIndex.assign(axes.size(), Value());
  axisIndex.front() = tokenIndex;
  rowLive = {};
  if (axes.size() == 1)
    return;
  Value row = rowsPerToken == 1 ? smallNumber(0) : rowFirst;
  if (step)
    row = binary('+', row, binary('*', step, smallNumber(plan.getRowGroups()), "u32"), "u32");
  std::string name = axes.size() == 2 && axes[1].isNamed() ? axes[1].getName().str() : "row";
  name += dealing ? "_dealt" : "_index";
  if (rowsPerToken % perWorkgroup != 0) {
    row = named(row, name + "_raw");
    rowLive = named(compareLess(row, smallNumber(rowsPerToken)), name + "_live");
    row = clampIdle(*this, row, rowLive, smallNumber(rowsPerToken - 1), name);
  } else if (step) {
    row = named(row, name);
  }
  int64_t inner = rowsPerToken;
  for (size_t i = 1; i < axes.size(); ++i) {
    inner /= axes[i].getExtent();
    Value index = row;
    if (inner > 1)
      index = binary('/', index, smallNumber(inner), "u32");
    if (i > 1)
      index = binary('%', index, smallNumber(axes[i].getExtent()), "u32");
    axisIndex[i] = index;
  }
}

// --- where ops stand --------------------------------------------------------------------------

bool Emitter::perRow(Operation *op) const {
  auto test = [&](Value value) { return isa<ValueType>(value.getType()) && isPerRow(value); };
  return llvm::any_of(op->getResults(), test) || llvm::any_of(op->getOperands(), test);
}

bool Emitter::touchesRow(Operation *op) const {
  auto test = [&](Value value) { return isRow(value); };
  return llvm::any_of(op->getResults(), test) || llvm::any_of(op->getOperands(), test);
}

Emitter::Plan Emitter::planOps() {
  Plan ops;
  bool inFlight = plan.getInFlight() > 1;
  // Backwards, so that an op's users are known: a scalar that some row needs cannot be dealt.
  for (Operation &op : llvm::reverse(section.getBody().front()))
    if (inFlight && plan.getInFlight() <= plan.getLanes() && perRow(&op) && !touchesRow(&op) &&
        llvm::all_of(op.getUsers(), [&](Operation *user) { return dealt.contains(user); }))
      dealt.insert(&op);
  for (Operation &op : section.getBody().front()) {
    if (!perRow(&op))
      ops.once.push_back(&op);
    else if (dealt.contains(&op))
      (isPlainLoad(&op) ? ops.dealtLoads : ops.dealtOps).push_back(&op);
    else
      (inFlight && isPlainLoad(&op) ? ops.rowLoads : ops.rowOps).push_back(&op);
  }
  return ops;
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
  location = section.getLoc();
  return success();
}

LogicalResult Emitter::emitInvariants(ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    location = stripName(op->getLoc());
    if (failed(cast<RowOpInterface>(op).emitInvariant(*this)))
      return failure();
  }
  location = section.getLoc();
  return success();
}

LogicalResult Emitter::emitLoop(ArrayRef<Operation *> ops) {
  loop = emitc::VerbatimOp::create(b, location, "#pragma unroll");
  auto forOp = emitc::ForOp::create(b, locNamed("i"), smallNumber(0), smallNumber(plan.getInFlight()),
                                    smallNumber(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&forOp.getRegion().front());
  inFlightIndex = forOp.getRegion().front().getArgument(0);
  emitRowIndex(inFlightIndex);
  LogicalResult result = emitOps(ops);
  inFlightIndex = {};
  loop = nullptr;
  return result;
}

LogicalResult Emitter::emitSection(Value workgroup, Value thread) {
  emitc::VerbatimOp::create(b, location, fmt::format("using Rows = RowMap<{}, {:#x}>;", plan.getRow(),
                                                     plan.getLaneMask()));
  require("row.h");
  emitIndices(workgroup, thread);
  axisIndex.assign(section.getLeadingAxes().size(), Value());
  axisIndex.front() = tokenIndex;

  Plan ops = planOps();
  if (failed(emitOps(ops.once)))
    return failure();
  if (plan.getInFlight() == 1) {
    emitRowIndex({});
    return failure(failed(emitInvariants(ops.rowOps)) || failed(emitOps(ops.rowOps)));
  }

  SmallVector<Value> dealtIndex;
  Value dealtLive;
  auto deal = [&](ArrayRef<Operation *> dealtOps) {
    dealing = true;
    if (dealtIndex.empty() && !dealt.empty()) {
      emitRowIndex(plan.getInFlight() == plan.getLanes()
                       ? laneNumber
                       : binary('%', laneNumber, smallNumber(plan.getInFlight()), "u32"));
      dealtIndex = axisIndex;
      dealtLive = rowLive;
    }
    axisIndex = dealtIndex;
    rowLive = dealtLive;
    LogicalResult result = emitOps(dealtOps);
    dealing = false;
    return result;
  };
  if (failed(deal(ops.dealtLoads)))
    return failure();
  loadingRows = true;
  LogicalResult loaded = emitLoop(ops.rowLoads);
  loadingRows = false;
  // What waits for a gathered row comes after the loads that do not.
  if (failed(loaded) || failed(emitInvariants(ops.rowOps)) || failed(emitLoop(ops.rowOps)))
    return failure();
  return deal(ops.dealtOps);
}

} // namespace braid
