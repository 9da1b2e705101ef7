// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/emit/Signature.h"

#include "codegen/layouts/PageLayout.h"
#include "codegen/passes/TargetAttribute.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;

namespace braid {

// Widest access of one lane.
constexpr uint64_t kAccessBytes = 16;

std::string kernelSymbol(KernelOp kernel) { return "braid_" + kernel.getSymName().str(); }

std::string countArgument(StringRef axis) { return axis.str() + "_count"; }

static uint64_t elementBytes(TensorType tensor) { return dtypeBytes(*dtypeOf(tensor.getDtype())); }

unsigned rowAlignment(TensorType tensor, RowBits bits, int64_t begin) {
  const DType dtype = *dtypeOf(tensor.getDtype());
  const uint64_t access = std::min(kAccessBytes, dtypeBytes(dtype, bits.chunk()));
  // Rows one behind the other need no gaps.
  const uint64_t offset = dtypeBytes(dtype, begin | tensor.getAxes().back().getExtent());
  return std::min(access, offset & -offset);
}

unsigned tableAlignment(TensorType table) {
  uint64_t rowBytes = table.getAxes().back().getExtent() * elementBytes(table);
  return rowBytes ? std::min<uint64_t>(kAccessBytes, rowBytes & -rowBytes) : 1;
}

static AxisMeta axisMeta(AxisAttr axis) {
  AxisMeta meta;
  meta.name = axis.getName().str();
  if (!axis.isRuntime())
    meta.extent = axis.getExtent();
  return meta;
}

// How one operand is used by the sections.
struct OperandUse {
  bool row = false, table = false;
  unsigned align = 1;
};

static OperandUse operandUse(OperandOp operand) {
  OperandUse use;
  auto tensor = cast<TensorType>(operand.getHandle().getType());
  use.align = elementBytes(tensor);
  for (Operation *user : operand->getUsers()) {
    auto section = user->getParentOfType<SectionOp>();
    RowAnalysis rows(section.getBody().front());
    // The value that stands for the tensor: what was loaded, or what is stored. A tensor that is
    // read at an index is a table.
    auto isValue = [](Value value) { return isa<ValueType>(value.getType()); };
    bool reads = user->getNumResults() > 0;
    Value tensorValue = reads ? user->getResult(0) : *llvm::find_if(user->getOperands(), isValue);
    if (reads && llvm::any_of(user->getOperands(), isValue)) {
      use.row = use.table = true;
      use.align = std::max(use.align, tableAlignment(tensor));
    } else if (rows.isRow(tensorValue)) {
      use.row = true;
      RowBits bits = section.getSchedule()->bits(
          cast<ValueType>(tensorValue.getType()).getAxes().back().getExtent());
      int64_t begin = cast<RowOpInterface>(user).getRowBegin().value_or(0);
      use.align = std::max(use.align, rowAlignment(tensor, bits, begin));
    }
  }
  return use;
}

LayoutMeta layoutMeta(LayoutAttr layout) {
  LayoutMeta meta;
  meta.name = layout.getName().str();
  meta.pageSize = layout.getPageSize();
  meta.pageBytes.assign(layout.getPageBytes().begin(), layout.getPageBytes().end());
  meta.align.assign(layout.getAlignment().begin(), layout.getAlignment().end());
  for (FieldAttr field : layout.getFields()) {
    LayoutFieldMeta fieldMeta;
    fieldMeta.name = field.getName().str();
    fieldMeta.dtype = *dtypeOf(field.getDtype());
    fieldMeta.extents.assign(field.getExtents().asArrayRef().begin(),
                             field.getExtents().asArrayRef().end());
    fieldMeta.buffer = field.getBuffer();
    llvm::raw_string_ostream(fieldMeta.map) << field.getMap();
    meta.fields.push_back(std::move(fieldMeta));
  }
  std::string text;
  llvm::raw_string_ostream(text) << layout;
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  meta.hash = llvm::toHex(digest, /*LowerCase=*/true);
  return meta;
}

static void addArguments(KernelMeta &meta, const OperandMeta &operand) {
  auto add = [&](std::string name, ArgumentKind kind, unsigned axis = 0) {
    ArgumentMeta argument;
    argument.name = std::move(name);
    argument.kind = kind;
    argument.operand = operand.name;
    argument.axis = axis;
    meta.arguments.push_back(std::move(argument));
  };
  if (!operand.pagesOnly)
    add(operand.name, ArgumentKind::Pointer);
  if (operand.kind == OperandKind::Cache) {
    if (operand.buffer == 0) // the least number over the buffers
      add(operand.cache + "_pages", ArgumentKind::Pages);
    if (!operand.pagesOnly)
      add(operand.name + "_page_stride", ArgumentKind::PageStride);
    return;
  }
  size_t strided = operand.axes.size() - (operand.row ? 1 : 0);
  for (size_t i = 0; i < strided; ++i) {
    const std::string &axis = operand.axes[i].name;
    add(operand.name + "_stride_" + (axis.empty() ? std::to_string(i) : axis), ArgumentKind::Stride,
        i);
  }
  if (operand.tableAxis)
    add(operand.name + "_rows", ArgumentKind::Extent, 0);
}

// One operand a buffer.
static void addCache(KernelMeta &meta, OperandOp operand, LayoutAttr layout) {
  for (size_t buffer = 0; buffer < layout.getBuffers(); ++buffer) {
    OperandMeta operandMeta;
    operandMeta.name = bufferName(operand.getName(), buffer, layout.getBuffers());
    operandMeta.kind = OperandKind::Cache;
    operandMeta.pagesOnly = llvm::none_of(
        operand->getUsers(), [](Operation *user) { return hasEffect<MemoryEffects::Write>(user); });
    operandMeta.layout = meta.layouts.size();
    operandMeta.cache = operand.getName().str();
    operandMeta.buffer = buffer;
    addArguments(meta, operandMeta);
    meta.operands.push_back(std::move(operandMeta));
  }
  meta.layouts.push_back(layoutMeta(layout));
}

static void addOperand(KernelMeta &meta, OperandOp operand) {
  if (auto cache = dyn_cast<CacheType>(operand.getHandle().getType()))
    return addCache(meta, operand, cache.getLayout());
  OperandMeta operandMeta;
  operandMeta.name = operand.getName().str();
  auto tensor = cast<TensorType>(operand.getHandle().getType());
  OperandUse use = operandUse(operand);
  bool written = llvm::any_of(
      operand->getUsers(), [](Operation *user) { return hasEffect<MemoryEffects::Write>(user); });
  operandMeta.kind = operand.getRole() == OperandRole::inout ? OperandKind::InOut
                     : written                               ? OperandKind::Output
                                                             : OperandKind::Input;
  operandMeta.workspace = operand.getRole() == OperandRole::workspace;
  operandMeta.dtype = *dtypeOf(tensor.getDtype());
  for (AxisAttr axis : tensor.getAxes())
    operandMeta.axes.push_back(axisMeta(axis));
  operandMeta.row = use.row;
  operandMeta.tableAxis = use.table;
  operandMeta.align = use.align;
  addArguments(meta, operandMeta);
  meta.operands.push_back(std::move(operandMeta));
}

// What the text has folded in: the extents that have names, and which lane holds what.
static void addConstants(KernelMeta &meta, KernelOp kernel) {
  auto add = [&](std::string name, std::string type, std::string value) {
    for (const ConstantMeta &known : meta.constants)
      if (known.name == name)
        return;
    meta.constants.push_back({std::move(name), std::move(type), std::move(value)});
  };
  for (const OperandMeta &operand : meta.operands)
    for (const AxisMeta &axis : operand.axes)
      if (axis.extent && !axis.name.empty())
        add(axis.name, "int", std::to_string(*axis.extent));
  for (SectionOp section : kernel.getBody().getOps<SectionOp>())
    add("schedule over " + axesStr(section.getLeadingAxes()), "bits",
        section.getSchedule()->getBits().str());
}

std::vector<CheckMeta> checkMetas(ArrayAttr checks) {
  std::vector<CheckMeta> metas;
  for (Attribute check : checks) {
    auto names = cast<ArrayAttr>(check);
    metas.push_back({cast<StringAttr>(names[0]).str(), cast<StringAttr>(names[1]).str()});
  }
  return metas;
}

static void addChecks(KernelMeta &meta, KernelOp kernel) {
  std::optional<ArrayAttr> checks = kernel.getChecks();
  meta.checked = checks.has_value();
  if (checks)
    meta.checks = checkMetas(*checks);
  if (meta.checks.empty())
    return;
  ArgumentMeta faults;
  faults.name = "faults";
  faults.kind = ArgumentKind::Faults;
  meta.arguments.push_back(std::move(faults));
}

KernelMeta kernelMeta(KernelOp kernel, const Target &target) {
  KernelMeta meta;
  meta.kernel = kernel.getSymName().str();
  meta.symbol = kernelSymbol(kernel);
  meta.target = target.name;
  meta.waveSize = target.waveSize;
  for (NamedAttribute parameter : kernel.getParameters())
    meta.parameters[parameter.getName().str()] = cast<StringAttr>(parameter.getValue()).str();
  for (OperandOp operand : kernel.getBody().getOps<OperandOp>())
    addOperand(meta, operand);
  for (SectionOp section : kernel.getBody().getOps<SectionOp>()) {
    ScheduleAttr schedule = *section.getSchedule();
    SectionMeta sectionMeta;
    sectionMeta.axis = section.getLeadingAxes().front().getName().str();
    sectionMeta.rowsPerWorkgroup = schedule.getTokenGroups();
    sectionMeta.workgroupsPerStep =
        llvm::divideCeil(section.getRowsPerToken(), schedule.getRowsPerWorkgroup());
    meta.sections.push_back(sectionMeta);
    meta.workgroup = schedule.getWorkgroup();
    if (!llvm::is_contained(meta.axes, sectionMeta.axis))
      meta.axes.push_back(sectionMeta.axis);
  }
  addConstants(meta, kernel);
  for (const std::string &axis : meta.axes) {
    ArgumentMeta count;
    count.name = countArgument(axis);
    count.kind = ArgumentKind::Count;
    count.axisName = axis;
    meta.arguments.push_back(std::move(count));
  }
  addChecks(meta, kernel);
  return meta;
}

} // namespace braid
