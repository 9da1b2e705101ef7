// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Builder.h"

#include "codegen/dialect/Diag.h"
#include "codegen/emit/ProgramLocation.h"
#include "dsl/Constant.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;

namespace braid::dsl {

/// The place in the caller's file; the folder of a build machine says nothing.
static Location callerLocation(MLIRContext *context, std::source_location where) {
  llvm::StringRef file = where.file_name();
  file = file.substr(file.find_last_of('/') + 1);
  return FileLineColRange::get(StringAttr::get(context, file), where.line(), where.column());
}

static bool isTensor(Value value) { return value && isa<TensorType>(value.getType()); }
static bool isCache(Value value) { return value && isa<CacheType>(value.getType()); }
static OperandOp operandOf(Value handle) { return handle.getDefiningOp<OperandOp>(); }

Builder::Builder(MLIRContext &context, std::string name, Where where) : ctx(context), ir(&context) {
  ctx.loadDialect<BraidDialect>();
  Location loc = callerLocation(&ctx, where);
  latest = loc;
  module = ModuleOp::create(loc);
  ir.setInsertionPointToEnd(module->getBody());
  kernel = KernelOp::create(ir, loc, name, ir.getArrayAttr({}), ir.getDictionaryAttr({}),
                            /*checks=*/ArrayAttr());
  kernel->getRegion(0).emplaceBlock();
  ir.setInsertionPointToEnd(&kernel->getRegion(0).front());
}

Builder::~Builder() = default;

void Builder::pinKernel(Location loc) {
  pinned = loc;
  module.get()->setLoc(loc);
  kernel->setLoc(loc);
}

Location Builder::place(Where where) {
  if (pinned)
    return *pinned;
  latest = callerLocation(&ctx, where);
  return *latest;
}

void Builder::captured(llvm::function_ref<void()> action) {
  ScopedDiagnosticHandler handler(&ctx, [&](mlir::Diagnostic &foreign) {
    if (std::optional<Diagnostic> diagnostic = convertDiagnostic(foreign, sources, argumentPlaces))
      list.add(std::move(*diagnostic));
    return success();
  });
  action();
}

// --- values -----------------------------------------------------------------------------------

Value Builder::load(Value tensor, Location loc) {
  OperandOp operand = operandOf(tensor);
  const Entry &entry = names.find(operand.getName())->second;
  if (entry.kind == NameKind::Output) {
    if (!entry.assigned)
      report(DiagId::nameUnknown, loc, operand.getName().str(),
             "it is an output: assign to it before it is used");
    return entry.value;
  }
  ArrayRef<AxisAttr> extents = cast<TensorType>(tensor.getType()).getAxes();
  const std::string leading = extents.front().getName().str();
  if (extents.front().isRuntime() && !llvm::is_contained(axes, leading)) {
    report(DiagId::axisUnknown, loc, leading,
           suggest(leading, axes,
                   fmt::format("index the table, `{}[pos]`, or declare `axis {}`",
                               operand.getName().str(), leading)));
    return {};
  }
  Value &value = loads[tensor];
  if (!value) {
    auto op = LoadOp::create(ir, loc, tensor);
    if (verifyOrErase(op))
      value = op.getResult();
  }
  return value;
}

Value Builder::valueOf(const Expr &expr, Location loc) {
  loc = expr.place(loc);
  Value handle = expr.handle();
  if (isTensor(handle))
    return load(handle, loc);
  if (isCache(handle)) {
    report(DiagId::valueExpected, loc,
           fmt::format("the cache `{}`", operandOf(handle).getName().str()),
           "caches are only stored to: `cache[slot] = field: value`");
    return {};
  }
  return handle;
}

Value Builder::expectValue(const Expr &expr, Location loc) {
  if (const Number *number = expr.number()) {
    report(DiagId::valueExpected, expr.place(loc),
           fmt::format("the number {}", shortestText(number->value)),
           "use the name of a tensor or of an earlier statement");
    return {};
  }
  return valueOf(expr, loc);
}

Value Builder::constant(Number number, Location loc) {
  if (!std::isfinite(static_cast<float>(number.value))) {
    report(DiagId::constantRange, loc, shortestText(number.value), "it is not a finite f32");
    return {};
  }
  return ConstantOp::create(ir, loc, number.value).getResult();
}

bool Builder::verifyOrErase(Operation *op) {
  bool good = false;
  captured([&] { good = succeeded(verify(op)); });
  if (!good)
    op->erase();
  return good;
}

std::vector<Expr> Builder::call(const std::string &name, std::vector<Arg> args, Where where) {
  Location loc = place(where);
  const OpSpec *spec = OpTable::get().find(name);
  if (!spec) {
    std::vector<std::string> known;
    for (const OpSpec &op : OpTable::get().specs())
      known.push_back(op.name);
    report(DiagId::opUnknown, loc, name, suggest(name, known, "use one of: " + joinNames(known)));
    return {};
  }
  argumentPlaces.clear();
  std::optional<Call> bound = bindCall(*spec, std::move(args), loc);
  if (!bound)
    return {};
  std::vector<Expr> results;
  captured([&] {
    FailureOr<SmallVector<Value>> values = spec->build(ir, loc, *bound);
    if (succeeded(values))
      for (Value value : *values)
        results.emplace_back(this, value);
  });
  argumentPlaces.clear();
  return results;
}

Expr Builder::callOne(const std::string &name, std::vector<Arg> args, Where where) {
  Location loc = place(where);
  std::vector<Expr> results = call(name, std::move(args), where);
  if (results.size() > 1)
    report(DiagId::resultCount, loc, fmt::format("`{}`", name),
           fmt::format("{} results", results.size()), "one is used");
  return results.size() == 1 ? results.front() : Expr();
}

Expr Builder::gather(const Expr &table, const Expr &position, Where where) {
  Location loc = place(where);
  Value tensor = table.handle();
  if (!table || !position)
    return {};
  if (!isTensor(tensor) || operandOf(tensor).getRole() != OperandRole::input) {
    std::string name = tensor && operandOf(tensor) ? operandOf(tensor).getName().str()
                       : tensor                    ? programName(tensor)
                                                   : "";
    if (name.empty())
      name = "this value";
    report(DiagId::notIndexable, loc, name,
           isCache(tensor) ? "caches are only stored to: `cache[slot] = field: value`"
                           : "index an input whose leading axis is undeclared");
    return {};
  }
  const std::string leading = cast<TensorType>(tensor.getType()).getAxes().front().getName().str();
  if (llvm::is_contained(axes, leading)) {
    captured([&] { (void)emitDiag(loc, Diag::gatherTable, operandOf(tensor).getName().str()); });
    return {};
  }
  Value rows = expectValue(position, loc);
  if (!rows)
    return {};
  Value &value = gathers[{tensor, rows}];
  if (!value) {
    auto op = GatherOp::create(ir, loc, tensor, rows);
    if (verifyOrErase(op))
      value = op.getResult();
  }
  return value ? Expr(this, value) : Expr();
}

// --- statements -------------------------------------------------------------------------------

Expr Builder::assign(const std::string &name, const Expr &value, Where where) {
  assign(std::vector{name}, std::vector{value}, where);
  bool found = false;
  return lookup(name, found);
}

/// Gives the op of `values` the statement's names, unless an earlier statement named it; values of
/// an op each, one by one.
static void nameOp(ArrayRef<std::string> names, ArrayRef<Value> values) {
  Operation *op = values.front() ? values.front().getDefiningOp() : nullptr;
  if (values.size() > 1 && op && op->getNumResults() == 1) {
    for (auto [name, value] : llvm::zip(names, values))
      nameOp(name, value);
    return;
  }
  if (!op || isa<LoadOp, GatherOp>(op) || isa<NameLoc>(op->getLoc()) ||
      !llvm::equal(op->getResults(), values))
    return;
  op->setLoc(NameLoc::get(
      StringAttr::get(op->getContext(), fmt::format("{}", fmt::join(names, ","))), op->getLoc()));
}

void Builder::assign(const std::vector<std::string> &targets, const std::vector<Expr> &values,
                     Where where) {
  Location loc = place(where);
  if (!values.empty() && values.size() != targets.size()) {
    auto count = [](size_t n, const char *one, const char *many) {
      return n == 1 ? std::string(one) : fmt::format("{} {}", n, many);
    };
    report(DiagId::resultCount, loc, "the right-hand side",
           count(values.size(), "one result", "results"),
           count(targets.size(), "one name is", "names are"));
  }
  const bool match = values.size() == targets.size();
  SmallVector<Value> handles(targets.size());
  for (size_t i = 0; i < targets.size(); ++i)
    if (match && values[i])
      handles[i] = expectValue(values[i], loc);
  nameOp(targets, handles);
  for (size_t i = 0; i < targets.size(); ++i)
    if (prepareName(targets[i], loc))
      bindName(targets[i], handles[i] ? Expr(this, handles[i]) : Expr(), loc);
}

bool Builder::prepareName(const std::string &name, Location loc) {
  auto known = names.find(name);
  if (known == names.end())
    return true;
  const Entry &entry = known->second;
  switch (entry.kind) {
  case NameKind::Output:
  case NameKind::InOut:
    if (!entry.assigned)
      return true;
    report(DiagId::nameTaken, loc, name, "assigned");
    return false;
  case NameKind::Local:
    report(DiagId::nameTaken, loc, name, "assigned");
    return false;
  case NameKind::Input:
    report(DiagId::inputAssigned, loc, name, "an input");
    return false;
  case NameKind::Axis:
    report(DiagId::inputAssigned, loc, name, "an axis");
    return false;
  case NameKind::Parameter:
    report(DiagId::inputAssigned, loc, name, "a parameter");
    return false;
  case NameKind::Cache:
    report(DiagId::inputAssigned, loc, name, "a cache, stored as `cache[slot] = field: value`,");
    return false;
  }
  return false;
}

void Builder::bindName(const std::string &name, const Expr &expr, Location loc) {
  auto [it, isNew] = names.try_emplace(name, Entry{NameKind::Local});
  Entry &entry = it->second;
  if (isNew) {
    entry.handle = expr.handle();
    entry.assigned = true;
    return;
  }
  store(entry, expr.handle(), loc);
}

void Builder::store(Entry &entry, Value value, Location loc) {
  entry.assigned = true;
  entry.value = value;
  if (entry.kind == NameKind::InOut && entry.handle)
    load(entry.handle, loc); // later statements read what was there before this one
  if (value && entry.handle)
    verifyOrErase(StoreOp::create(ir, loc, value, entry.handle, /*mask=*/Value(),
                                  /*begin=*/IntegerAttr()));
}

void Builder::storeEntry(const Expr &cache, const Expr &slot, std::vector<EntryField> fields,
                         Where where) {
  Location loc = place(where);
  Value handle = cache.handle();
  if (!cache)
    return;
  if (!isCache(handle)) {
    OperandOp operand = handle ? operandOf(handle) : OperandOp();
    return report(DiagId::notIndexable, loc, operand ? operand.getName().str() : "value",
                  "only a cache is stored by `name[slot] = field: value`");
  }
  Entry &entry = names.find(operandOf(handle).getName())->second;
  if (entry.assigned)
    report(DiagId::nameTaken, loc, operandOf(handle).getName().str(), "stored");
  entry.assigned = true;
  bool good = bool(slot);
  Value slotValue = good ? expectValue(slot, loc) : Value();
  SmallVector<Attribute> fieldNames;
  SmallVector<Value> values;
  argumentPlaces.clear();
  for (const EntryField &field : fields) {
    Location fieldLoc = field.loc.value_or(loc);
    if (!argumentPlaces.try_emplace(field.name, fieldLoc).second) {
      report(DiagId::cacheFieldTwice, fieldLoc, field.name);
      good = false;
    }
    Value value = field.value ? expectValue(field.value, fieldLoc) : Value();
    good = good && value;
    fieldNames.push_back(ir.getStringAttr(field.name));
    values.push_back(value);
  }
  if (good && slotValue)
    verifyOrErase(CacheStoreOp::create(ir, loc, handle, slotValue, ir.getArrayAttr(fieldNames),
                                       values,
                                       /*mask=*/Value()));
  argumentPlaces.clear();
}

/// An undeclared leading axis makes a table, and a table is indexed.
void Builder::checkTableUse(const std::string &name, const Entry &entry) {
  AxisAttr leading = cast<TensorType>(entry.handle.getType()).getAxes().front();
  const std::string axis = leading.getName().str();
  if (leading.isRuntime() && !llvm::is_contained(axes, axis) && entry.handle.use_empty())
    report(DiagId::axisUnknown, entry.loc.value_or(kernel.getLoc()), axis,
           suggest(axis, axes,
                   fmt::format("index the table, `{}[pos]`, or declare `axis {}`", name, axis)));
}

Program Builder::finish() {
  Location loc = kernel.getLoc();
  const bool right = list.empty();
  for (const std::string &name : operands) {
    const Entry &entry = names.find(name)->second;
    if (!entry.handle || !right)
      continue; // its declaration, or perhaps the statement that stores it, was refused
    if (entry.kind == NameKind::Input)
      checkTableUse(name, entry);
    if (entry.kind == NameKind::Output && !entry.assigned)
      report(DiagId::outputNotStored, entry.loc.value_or(loc), "output", name,
             fmt::format("assign to it: `{} = ...`", name));
    if (entry.kind == NameKind::InOut && !entry.assigned)
      report(DiagId::outputNotStored, entry.loc.value_or(loc), "inout", name,
             fmt::format("assign to it: `{} = ...`, or declare an input", name));
    if (entry.kind == NameKind::Cache && !entry.assigned)
      report(DiagId::outputNotStored, entry.loc.value_or(loc), "cache", name,
             fmt::format("store an entry: `{}[slot] = ...`", name));
  }
  if (list.empty() && !paddingSlot.empty())
    maskStores();
  parameters.try_emplace("padding", "skip_store");
  SmallVector<NamedAttribute> texts;
  for (const auto &[name, text] : parameters)
    texts.push_back(ir.getNamedAttr(name, ir.getStringAttr(text)));
  kernel.setParametersAttr(ir.getDictionaryAttr(texts));
  kernel.setAxesAttr(ir.getStrArrayAttr(llvm::to_vector_of<StringRef>(axes)));
  if (list.empty())
    captured([&] { (void)verify(*module); });
  if (!list.empty())
    module = nullptr;
  return {std::move(module), list.take()};
}

// --- names ------------------------------------------------------------------------------------

Expr Builder::lookup(const std::string &name, bool &found) {
  auto known = names.find(name);
  found = known != names.end() && known->second.kind != NameKind::Axis &&
          known->second.kind != NameKind::Parameter;
  if (!found)
    return {};
  Value handle = known->second.handle;
  return handle ? Expr(this, handle) : Expr();
}

std::vector<std::string> Builder::valueNames() const {
  std::vector<std::string> known;
  for (const auto &entry : names)
    if (entry.second.kind != NameKind::Axis)
      known.push_back(entry.first().str());
  llvm::sort(known);
  return known;
}

} // namespace braid::dsl
