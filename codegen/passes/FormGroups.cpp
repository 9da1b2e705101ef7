// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/emit/ProgramLocation.h"
#include "codegen/grouping/GroupingRequest.h"
#include "codegen/grouping/Sections.h"
#include "codegen/passes/GroupingAttributes.h"
#include "codegen/passes/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace braid {

#define GEN_PASS_DEF_FORMGROUPS
#include "codegen/passes/Passes.h.inc"

using RowsKnown = llvm::DenseMap<Value, std::optional<bool>>;

namespace {
// Writes the kernel of one group.
class GroupWriter {
public:
  GroupWriter(KernelOp program, const GroupingModel &model, const RowsKnown &rows,
              const GroupPlan &plan, ArrayRef<Operation *> checks)
      : program(program), model(model), rows(rows), plan(plan), checks(checks),
        b(OpBuilder::atBlockBegin(&program.getBody().front())) {
    for (auto [value, listable] : plan.loads)
      loads[value] = listable;
    for (unsigned listable : plan.stores)
      stores.push_back(model[listable]);
  }

  KernelOp write(OpBuilder &builder) {
    std::string name = program.getSymName().str();
    for (std::string &stored : storedNames())
      name += "_" + stored;
    auto kernel = KernelOp::create(builder, program.getLoc(), name, program.getAxes(),
                                   program.getParameters(), namesOfChecks());
    b = OpBuilder::atBlockBegin(&kernel.getBody().emplaceBlock());
    declareOperands();
    for (Operation &op : program.getBody().front())
      writeOp(op);
    for (auto [number, check] : llvm::enumerate(checks))
      cast<CheckOp>(b.clone(*check, mapping)).setNumber(number);
    return kernel;
  }

private:
  std::vector<std::string> storedNames() const {
    std::vector<std::string> names;
    for (const Listable &listable : stores)
      names.push_back(listable.name);
    llvm::sort(names);
    return names;
  }

  const Listable *stored(Operation *store) const {
    auto found =
        llvm::find_if(stores, [&](const Listable &listable) { return listable.store == store; });
    return found == stores.end() ? nullptr : &*found;
  }

  bool isWritten(OperandOp operand) const {
    return llvm::any_of(stores,
                        [&](const Listable &listable) { return listable.operand == operand; });
  }

  bool isDone(Operation *op) const {
    return plan.computes.contains(op) || stored(op) || llvm::is_contained(checks, op);
  }

  // Of a checked build, with those that this kernel has; null: a fast one.
  ArrayAttr namesOfChecks() {
    std::optional<ArrayAttr> all = program.getChecks();
    if (!all)
      return {};
    SmallVector<Attribute> names;
    for (Operation *check : checks)
      names.push_back((*all)[cast<CheckOp>(check).getNumber()]);
    return b.getArrayAttr(names);
  }

  // Operands of the program in its order, then workspaces in the order of the values.
  void declareOperands() {
    for (auto operand : program.getBody().getOps<OperandOp>()) {
      if (llvm::any_of(operand->getUsers(), [&](Operation *user) { return isDone(user); })) {
        auto copy = cast<OperandOp>(b.clone(*operand, mapping));
        if (operand.getRole() == OperandRole::inout && !isWritten(operand))
          copy.setRole(OperandRole::input);
      }
      for (auto [value, listable] : plan.loads)
        if (model[listable].operand == operand)
          handles[value] =
              declareStored(operand.getLoc(), operand.getName(), OperandRole::input, value,
                            cast<TensorType>(operand.getHandle().getType()).getDtype());
    }
    for (const Listable &listable : model.listables()) {
      if (!listable.isLocal())
        continue;
      bool written =
          llvm::any_of(stores, [&](const Listable &other) { return other.name == listable.name; });
      auto load = loads.find(listable.value);
      if (written || (load != loads.end() && model[load->second].name == listable.name))
        handles[listable.value] = declareStored(
            NameLoc::get(b.getStringAttr(listable.name)), listable.name, OperandRole::workspace,
            listable.value, cast<ValueType>(listable.value.getType()).getDtype());
    }
  }

  // The tensor that holds `value` between kernels, over the value's own axes.
  Value declareStored(Location loc, StringRef name, OperandRole role, Value value, Type dtype) {
    auto type = cast<ValueType>(value.getType());
    auto tensor = TensorType::get(b.getContext(), type.getAxes(), dtype);
    return OperandOp::create(b, loc, tensor, name, role, holdsPowersOfTwo(value)).getHandle();
  }

  void writeOp(Operation &op) {
    if (plan.computes.contains(&op)) {
      Operation *copy = b.clone(op, mapping);
      if (auto load = dyn_cast<LoadOp>(copy))
        load.setIsRowAttr(isRow(op.getResult(0)));
    } else if (stored(&op)) {
      b.clone(op, mapping);
    }
    for (Value result : op.getResults()) {
      if (loads.contains(result))
        mapping.map(result, load(result));
      storeLocals(result);
    }
  }

  // The workspaces that can be written once `result` is there, which may be a value or its mask.
  void storeLocals(Value result) {
    for (const Listable &listable : stores) {
      auto [value, mask] = std::pair(listable.value, listable.mask);
      if (listable.isLocal() && (value == result || mask == result) && mapping.contains(value) &&
          (!mask || mapping.contains(mask)))
        StoreOp::create(b, stripName(value.getLoc()), mapping.lookup(value), handles.lookup(value),
                        mask ? mapping.lookup(mask) : Value(), IntegerAttr());
    }
  }

  BoolAttr isRow(Value value) {
    std::optional<bool> known = rows.lookup(value);
    return known ? b.getBoolAttr(*known) : BoolAttr();
  }

  Value load(Value value) {
    Location loc = stripName(value.getLoc());
    std::string name = programName(value);
    if (!name.empty())
      loc = NameLoc::get(b.getStringAttr(name), loc);
    return LoadOp::create(b, loc, value.getType(), handles.lookup(value), isRow(value),
                          IntegerAttr());
  }

  KernelOp program;
  const GroupingModel &model;
  const RowsKnown &rows;
  const GroupPlan &plan;
  ArrayRef<Operation *> checks; // of this group
  OpBuilder b;
  llvm::DenseMap<Value, unsigned> loads;
  SmallVector<Listable> stores;
  IRMapping mapping;
  llvm::DenseMap<Value, Value> handles; // of what is loaded, and of locals that are stored
};

// True if the group uses the index of `check` as the check says, and computes all that it looks at.
static bool canCheck(CheckOp check, const GroupingModel &model, const GroupPlan &plan) {
  SmallVector<IndexUse> uses;
  auto addUses = [&](Operation *op) { cast<RowOpInterface>(op).getIndices(uses); };
  llvm::for_each(plan.computes, addUses);
  for (unsigned listable : plan.stores)
    if (Operation *store = model[listable].store)
      addUses(store);
  return llvm::any_of(uses,
                      [&](IndexUse use) {
                        return use.index == check.getIndex() &&
                               use.chosenFrom == check.getChosenFrom();
                      }) &&
         llvm::all_of(check->getOperands(), [&](Value value) {
           return !isa<ValueType>(value.getType()) || plan.computes.contains(value.getDefiningOp());
         });
}

static LogicalResult placeChecks(KernelOp program, const GroupingModel &model,
                                 const std::vector<GroupPlan> &plans,
                                 std::vector<SmallVector<Operation *>> &checks) {
  for (CheckOp check : program.getBody().getOps<CheckOp>()) {
    auto place =
        llvm::find_if(plans, [&](const GroupPlan &plan) { return canCheck(check, model, plan); });
    if (place == plans.end())
      return check.emitOpError("observes values that no group needs together");
    checks[place - plans.begin()].push_back(check);
  }
  return success();
}

struct FormGroupsPass : impl::FormGroupsBase<FormGroupsPass> {
  using FormGroupsBase::FormGroupsBase;

  LogicalResult form(KernelOp kernel, SymbolTable &symbols) {
    GroupingModel model(kernel);
    FailureOr<Groups> groups = resolveGrouping(kernel, model, grouping);
    if (failed(groups))
      return failure();
    if (groups->size() == 1)
      return success();
    const RowsKnown rows = rowsOfSections(kernel.getBody().front());
    rememberGrouping(kernel, model.text(*groups));
    OpBuilder builder(kernel);
    const std::vector<GroupPlan> plans = *model.plan(*groups);
    std::vector<SmallVector<Operation *>> checks(plans.size());
    if (failed(placeChecks(kernel, model, plans, checks)))
      return failure();
    for (auto [plan, mine] : llvm::zip(plans, checks)) {
      KernelOp part = GroupWriter(kernel, model, rows, plan, mine).write(builder);
      part->remove();
      symbols.insert(part, Block::iterator(kernel)); // renames a name that is taken
    }
    symbols.erase(kernel);
    return success();
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    for (KernelOp kernel : kernels)
      if (failed(form(kernel, symbols)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace braid
