// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One section: which rows this lane works on, and which op stands before, inside or after the loops
// over rows in flight.

#include "codegen/emit/Emitter.h"

#include "codegen/emit/ProgramLocation.h"

#include "codegen/targets/Targets.h"

#include <fmt/format.h>

using namespace mlir;

namespace braid {

// `index < limit ? index : last`: idle lane groups repeat the last row, so that every lane takes
// part in exchanges and no load needs a mask.
static Value clampIdle(Emitter &e, Value index, Value live, Value last, StringRef name) {
  return e.named(
      emitc::ConditionalOp::create(e.builder(), e.loc(), index.getType(), live, index, last), name);
}

void Emitter::emitIndices(Value workgroup, Value thread) {
  auto scaled = [&](char op, Value value, int64_t n, StringRef name = "") {
    return n == 1 ? value : binary(op, value, smallNumber(n), "u32", name);
  };
  int64_t lanes = plan.getLanes(), rowGroups = plan.getRowGroups(),
          tokenGroups = plan.getTokenGroups();
  int64_t rowsPerToken = section.getRowsPerToken(), perWorkgroup = plan.getRowsPerWorkgroup();
  int64_t steps = llvm::divideCeil(rowsPerToken, perWorkgroup);

  laneNumber = lanes == 1 ? smallNumber(0) : binary('%', thread, smallNumber(lanes), "u32", "lane");
  for (RowBits side : plan.allBits()) {
    int64_t few = side.lanes();
    if (few < lanes && !sideLanes.contains(few))
      sideLanes[few] = few == 1 ? smallNumber(0)
                                : binary('%', laneNumber, smallNumber(few), "u32",
                                         "lane_of_" + std::to_string(few));
  }
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
    tokenIndex =
        clampIdle(*this, raw, tokenLive, binary('-', count, smallNumber(1), "u32"), axisName);
  }
  if (rowsPerToken == 1)
    return;
  Value inGroup = tokenGroups == 1 ? group : binary('%', group, smallNumber(rowGroups), "u32");
  rowFirst =
      steps == 1
          ? inGroup
          : binary('+',
                   scaled('*', binary('%', workgroup, smallNumber(steps), "u32"), perWorkgroup),
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
  auto forOp = emitc::ForOp::create(b, locNamed("i"), smallNumber(0),
                                    smallNumber(plan.getInFlight()), smallNumber(1));
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
  require("row.h");
  if (plan.getLds() > 0)
    emitc::VerbatimOp::create(b, location,
                              fmt::format("using Group = Workgroup<{}, {}, {}>;",
                                          targetInfo.waveSize, plan.getWorkgroup(),
                                          plan.getLds() / 4 / plan.getWorkgroup()));
  for (RowBits bits : plan.allBits()) {
    std::string name = plan.getSides().empty() ? "Rows" : fmt::format("Rows{}", bits.length);
    emitc::VerbatimOp::create(b, location,
                              fmt::format("using {} = RowMap<{}, {:#x}{}>;", name, bits.length,
                                          bits.laneMask(), plan.getLds() > 0 ? ", Group" : ""));
  }
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
