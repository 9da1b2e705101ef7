// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/emit/Emitter.h"
#include "codegen/emit/Signature.h"
#include "codegen/passes/Passes.h"
#include "codegen/passes/TargetAttribute.h"

#include <fmt/format.h>
#include <set>

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_LOWERTOEMITC
#include "codegen/passes/Passes.h.inc"

// --- the function -----------------------------------------------------------------------------

static Type opaque(MLIRContext *context, StringRef name) {
  return emitc::OpaqueType::get(context, name);
}

// C type of one argument; only pointers depend on the operand.
static Type argumentType(MLIRContext *context, const ArgumentMeta &argument,
                         const KernelMeta &meta) {
  switch (argument.kind) {
  case ArgumentKind::Pages:
  case ArgumentKind::PageStride:
    return opaque(context, "u64");
  case ArgumentKind::Stride:
  case ArgumentKind::Extent:
  case ArgumentKind::Count:
    return opaque(context, "u32");
  case ArgumentKind::Faults:
    return emitc::PointerType::get(opaque(context, "u64"));
  case ArgumentKind::Pointer:
    break;
  }
  for (const OperandMeta &operand : meta.operands)
    if (operand.name == argument.operand) {
      std::string element =
          operand.kind == OperandKind::Cache ? "u8" : std::string(dtypeName(operand.dtype));
      return emitc::PointerType::get(
          opaque(context, (operand.written() ? "" : "const ") + element));
    }
  llvm_unreachable("every argument belongs to an operand of its own metadata");
}

static emitc::FuncOp createFunction(OpBuilder &b, KernelOp kernel, const KernelMeta &meta) {
  SmallVector<Type> types;
  for (const ArgumentMeta &argument : meta.arguments)
    types.push_back(argumentType(b.getContext(), argument, meta));
  auto function =
      emitc::FuncOp::create(b, kernel.getLoc(), meta.symbol, b.getFunctionType(types, {}));
  function.setSpecifiersAttr(b.getStrArrayAttr(
      {"extern \"C\"", "__global__", fmt::format("__launch_bounds__({})", meta.workgroup)}));
  Block *entry = function.addEntryBlock();
  for (auto [argument, value] : llvm::zip(meta.arguments, entry->getArguments()))
    value.setLoc(NameLoc::get(b.getStringAttr(argument.name), kernel.getLoc()));
  return function;
}

static KernelArguments bindArguments(KernelOp kernel, const KernelMeta &meta,
                                     emitc::FuncOp function) {
  llvm::StringMap<Value> handles;
  for (OperandOp operand : kernel.getBody().getOps<OperandOp>())
    handles[operand.getName()] = operand.getHandle();
  for (const OperandMeta &operand : meta.operands)
    if (operand.kind == OperandKind::Cache) // a buffer of it
      handles[operand.name] = handles.lookup(operand.cache);
  KernelArguments arguments;
  for (auto [argument, value] : llvm::zip(meta.arguments, function.getArguments())) {
    Value handle = handles.lookup(argument.operand);
    switch (argument.kind) {
    case ArgumentKind::Pointer:
      if (isa<CacheType>(handle.getType()))
        arguments.buffers[handle].push_back({value, {}});
      arguments.pointer[handle] = value;
      arguments.strides[handle]; // an operand without strides has an empty list
      break;
    case ArgumentKind::Stride:
      arguments.strides[handle].push_back(value);
      break;
    case ArgumentKind::Extent:
      arguments.tableRows[handle] = value;
      break;
    case ArgumentKind::Pages:
      arguments.pages[handle] = value;
      break;
    case ArgumentKind::PageStride:
      arguments.buffers[handle].back().pageStride = value;
      break;
    case ArgumentKind::Count:
      arguments.counts[argument.axisName] = value;
      break;
    case ArgumentKind::Faults:
      arguments.faults = value;
      break;
    }
  }
  return arguments;
}

// --- sections one after another in the grid ---------------------------------------------------

namespace {
class SectionWriter {
public:
  SectionWriter(OpBuilder &b, const KernelMeta &meta, const KernelArguments &arguments,
                const Target &target)
      : b(b), meta(meta), arguments(arguments), target(target) {}

  std::set<std::string> headers;

  // Workgroups of section `number` come first; the rest of the grid goes to the next sections.
  LogicalResult write(MutableArrayRef<SectionOp> sections, size_t number, Value workgroup,
                      Value thread) {
    if (number + 1 == sections.size())
      return writeBody(sections[number], workgroup, thread);
    Value count = workgroupsOf(sections[number], number);
    Location loc = sections[number].getLoc();
    Value mine =
        emitc::CmpOp::create(b, loc, b.getI1Type(), emitc::CmpPredicate::lt, workgroup, count);
    auto branch = emitc::IfOp::create(b, loc, mine, /*addThenBlock=*/true, /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    if (failed(writeBody(sections[number], workgroup, thread)))
      return failure();
    emitc::YieldOp::create(b, loc);
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    Value rest = emitc::SubOp::create(b, named("section_workgroup", loc), workgroup.getType(),
                                      workgroup, count);
    if (failed(write(sections, number + 1, rest, thread)))
      return failure();
    emitc::YieldOp::create(b, loc);
    return success();
  }

private:
  Location named(StringRef name, Location loc) { return NameLoc::get(b.getStringAttr(name), loc); }

  Value number(uint64_t value, Location loc) {
    return emitc::LiteralOp::create(b, loc, opaque(b.getContext(), "u32"), std::to_string(value));
  }

  // The first output or cache that the section writes: what a reader knows it by.
  static std::string writtenName(SectionOp section) {
    for (Operation &op : section.getBody().front()) {
      if (!hasEffect<MemoryEffects::Write>(&op))
        continue;
      for (Value operand : op.getOperands())
        if (auto declared = operand.getDefiningOp<OperandOp>())
          if (declared.getRole() != OperandRole::input)
            return declared.getName().str();
    }
    return "section";
  }

  // ceil(count / rows) * steps, as the host computes the grid.
  Value workgroupsOf(SectionOp section, size_t index) {
    const SectionMeta &sectionMeta = meta.sections[index];
    Location loc = section.getLoc();
    Value count = arguments.counts.lookup(sectionMeta.axis);
    Type u32 = count.getType();
    // The count may be 0 while another axis has rows. The sum stays below 2^32: a workgroup has a
    // thread or more for each of its rows, and the host bounds the threads of a launch.
    Value groups = count;
    if (sectionMeta.rowsPerWorkgroup != 1) {
      Value most =
          emitc::AddOp::create(b, loc, u32, count, number(sectionMeta.rowsPerWorkgroup - 1, loc));
      groups = emitc::DivOp::create(b, loc, u32, most, number(sectionMeta.rowsPerWorkgroup, loc));
    }
    if (sectionMeta.workgroupsPerStep != 1)
      groups =
          emitc::MulOp::create(b, loc, u32, groups, number(sectionMeta.workgroupsPerStep, loc));
    if (Operation *op = groups.getDefiningOp()) // else the count itself
      op->setLoc(named(writtenName(section) + "_workgroups", loc));
    return groups;
  }

  LogicalResult writeBody(SectionOp section, Value workgroup, Value thread) {
    ScheduleAttr schedule = *section.getSchedule();
    emitc::VerbatimOp::create(
        b, section.getLoc(),
        fmt::format("// Rows over {}: {} lanes a row, {} x {} rows at once, {} in flight",
                    axesStr(section.getLeadingAxes()), schedule.getLanes(),
                    schedule.getTokenGroups(), schedule.getRowGroups(), schedule.getInFlight()));
    RowAnalysis rows(section.getBody().front());
    Emitter emitter(b, section, rows, arguments, target);
    if (failed(emitter.emitSection(workgroup, thread)))
      return failure();
    headers.insert(emitter.headers.begin(), emitter.headers.end());
    return success();
  }

  OpBuilder &b;
  const KernelMeta &meta;
  const KernelArguments &arguments;
  const Target &target;
};

// A schedule is made for waves of one size; another pass, or a person, may have written this one.
static bool fitsWaves(ScheduleAttr schedule, const Target &target) {
  return llvm::all_of(schedule.allBits(), [&](RowBits bits) {
    int64_t inWave = int64_t(1) << bits.letters.count('l');
    return bits.spansWaves() ? inWave == target.waveSize : inWave <= target.waveSize;
  });
}

struct LowerToEmitCPass : impl::LowerToEmitCBase<LowerToEmitCPass> {
  LogicalResult lower(KernelOp kernel, const Target &target) {
    KernelMeta meta = kernelMeta(kernel, target);
    OpBuilder b(kernel);
    emitc::FuncOp function = createFunction(b, kernel, meta);
    KernelArguments arguments = bindArguments(kernel, meta, function);
    b.setInsertionPointToStart(&function.getBody().front());
    auto call = [&](StringRef callee, StringRef name) -> Value {
      return emitc::CallOpaqueOp::create(b, NameLoc::get(b.getStringAttr(name), kernel.getLoc()),
                                         opaque(b.getContext(), "u32"), callee, ValueRange())
          .getResult(0);
    };
    Value workgroup = call("workgroupId", "workgroup"), thread = call("threadId", "thread");
    SectionWriter writer(b, meta, arguments, target);
    SmallVector<SectionOp> sections(kernel.getBody().getOps<SectionOp>());
    if (failed(writer.write(sections, 0, workgroup, thread)))
      return failure();
    emitc::ReturnOp::create(b, kernel.getLoc(), Value());
    SmallVector<StringRef> headers(writer.headers.begin(), writer.headers.end());
    function->setAttr("braid.headers", b.getStrArrayAttr(headers));
    kernel.erase();
    return success();
  }

  void runOnOperation() override {
    const Target *target = getTarget(getOperation());
    if (!target) {
      getOperation().emitError("run --braid-resolve-target first: the text depends on the target");
      return signalPassFailure();
    }
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      auto sections = kernel.getBody().getOps<SectionOp>();
      if (sections.empty() ||
          llvm::any_of(sections, [](SectionOp s) { return !s.getSchedule(); })) {
        kernel.emitError("run --braid-form-sections and --braid-assign-schedule first");
        return signalPassFailure();
      }
      for (SectionOp section : sections)
        if (!fitsWaves(*section.getSchedule(), *target)) {
          section.emitError("the schedule's lanes and waves do not fit waves of ")
              << target->waveSize << " lanes";
          return signalPassFailure();
        }
      if (failed(lower(kernel, *target)))
        return signalPassFailure();
    }
  }
};
} // namespace

} // namespace braid
