// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a row as a lane holds them, and the addresses of rows.

#include "codegen/emit/Emitter.h"

#include "codegen/emit/ProgramLocation.h"
#include "codegen/emit/Signature.h"

using namespace mlir;

namespace braid {

Emitter::Emitter(OpBuilder &builder, SectionOp section, const RowAnalysis &rows,
                 const KernelArguments &arguments, const Target &target)
    : b(builder), section(section), rows(rows), args(arguments), targetInfo(target),
      plan(*section.getSchedule()), location(section.getLoc()) {}

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
  bool usedAfterLoop = loop && llvm::any_of(result.getUsers(),
                                            [&](Operation *user) { return dealt.contains(user); });
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
  return call("loadRow", {rowsName(value), std::to_string(pointerAlignment(value))},
              {pointer(value), lane(value)}, fragType(value, heldDtype(value)),
              nameOf(value, "gathered_row"));
}

Value Emitter::getNumber(Value value) {
  Value emitted = get(value);
  return isRow(value) || heldDtype(value).isF32() ? emitted : call("toFloat", {}, {emitted}, "f32");
}

Value Emitter::getStored(Value value, Type dtype) {
  Value emitted = get(value);
  if (isRow(value) && isa<Float8E8M0FNUType>(dtype)) {
    require("quantize_groups.h");
    return call("biasedExponents", {}, {emitted}, fragType(value, dtype));
  }
  if (!isRow(value) || !dtype.isF32() || heldDtype(value).isF32())
    return emitted;
  require("row.h");
  return call("roundTo", {cType(dtype)}, {emitted}, fragType(value, dtype));
}

void Emitter::bindPointer(Value result, Value pointer, Type dtype, unsigned align) {
  pointers[result] = pointer;
  alignments[result] = align;
  held[result] = dtype;
}

Value Emitter::pointer(Value value) { return pointers.lookup(value); }

// --- indices and addresses --------------------------------------------------------------------

SmallVector<Value> Emitter::indices(ArrayRef<AxisAttr> axes) {
  // FormSections has seen to it that there is one way to match.
  bool ambiguous = false;
  SmallVector<unsigned> places = *matchAxes(axes, section.getLeadingAxes(), ambiguous);
  return llvm::map_to_vector(places, [&](unsigned place) { return axisIndex[place]; });
}

Value Emitter::capacity(Value cache) {
  const int64_t size = cast<CacheType>(cache.getType()).getLayout().getPageSize();
  return binary('*', args.pages.lookup(cache), literal(std::to_string(size), "u64"), "u64");
}

// `pointer + u64(index) * stride`; no stride: the elements are contiguous.
Value Emitter::strided(Value pointer, Value index, Value stride, int64_t perByte) {
  Value offset = cast("u64", index);
  if (stride && perByte > 1)
    stride = binary('/', stride, smallNumber(perByte), "u32");
  if (stride)
    offset = binary('*', offset, stride, "u64");
  return emitc::AddOp::create(b, location, pointer.getType(), pointer, offset);
}

std::vector<std::string> Emitter::rowArguments(Value row, Value operand,
                                               std::optional<int64_t> begin) const {
  std::vector<std::string> arguments = {rowsName(row)};
  auto tensor = cast<TensorType>(operand.getType());
  if (begin)
    arguments.push_back(std::to_string(rowAlignment(tensor, bits(row), *begin)));
  return arguments;
}

Value Emitter::address(Value operand, bool isRow, int64_t begin) {
  Value first = addressOfRow(operand, isRow);
  return begin == 0 ? first
                    : emitc::AddOp::create(b, location, first.getType(), first, smallNumber(begin));
}

Value Emitter::addressOfRow(Value operand, bool isRow) {
  auto tensor = cast<TensorType>(operand.getType());
  ArrayRef<AxisAttr> axes = tensor.getAxes().drop_back(isRow ? 1 : 0);
  // What is a row in one section may be scalars in another: then its last axis has no stride.
  SmallVector<Value> strides = args.strides.find(operand)->second;
  strides.resize(axes.size());
  // The host has seen to it that rows of elements smaller than a byte begin on whole ones.
  const int64_t perByte = 8 / dtypeBits(*dtypeOf(tensor.getDtype()));
  // Rows in flight lie a constant number of rows apart: one address for the lane, then a stride
  // that is the same for all lanes.
  bool countsRows = axes.size() == 2 && section.getLeadingAxes().size() == 2 &&
                    axes.back().matches(section.getLeadingAxes().back());
  if (inFlightIndex && countsRows && !rowLive) {
    Value &first = firstAddresses[operand];
    if (!first) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop);
      first = strided(strided(args.pointer.lookup(operand), tokenIndex, strides[0], perByte),
                      rowFirst, strides[1], perByte);
      named(first, (operand.getDefiningOp<OperandOp>().getName() + "_first").str());
    }
    Value apart = binary('*', inFlightIndex, smallNumber(plan.getRowGroups()), "u32");
    return strided(first, apart, strides[1], perByte);
  }
  Value address = args.pointer.lookup(operand);
  for (auto [i, index] : llvm::enumerate(indices(axes)))
    // Where the last axis is a row for another op, its elements are neighbours.
    address = i < strides.size()
                  ? strided(address, index, strides[i], perByte)
                  : emitc::AddOp::create(b, location, address.getType(), address, index);
  return address;
}

RowBits Emitter::bits(Value row) const {
  return plan.bits(cast<ValueType>(row.getType()).getAxes().back().getExtent());
}

std::string Emitter::rowsName(Value row) const {
  return plan.getSides().empty() ? "Rows" : "Rows" + std::to_string(bits(row).length);
}

Value Emitter::lane(Value row) {
  int64_t lanes = bits(row).lanes();
  return lanes == plan.getLanes() ? laneNumber : sideLanes.lookup(lanes);
}

Value Emitter::holdsRow(Value row) {
  int64_t lanes = bits(row).lanes();
  return lanes == plan.getLanes() ? Value() : compareLess(laneNumber, smallNumber(lanes));
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

Value Emitter::onceAnIndex(Value index) {
  auto isZero = [&](Value number) {
    return emitc::CmpOp::create(b, location, b.getI1Type(), emitc::CmpPredicate::eq, number,
                                smallNumber(0));
  };
  Value once = oneLane();
  if (!isPerRow(index))
    return rowFirst ? logicalAnd(once, isZero(rowFirst)) : once;
  bool ambiguous = false;
  SmallVector<unsigned> places =
      *matchAxes(cast<ValueType>(index.getType()).getAxes(), section.getLeadingAxes(), ambiguous);
  for (unsigned place = 1; place < axisIndex.size(); ++place)
    if (!llvm::is_contained(places, place))
      once = logicalAnd(once, isZero(axisIndex[place]));
  return once;
}

} // namespace braid
