// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/grouping/GroupingRequest.h"

#include "codegen/dialect/Diag.h"
#include "dsl/GroupingText.h"
#include "runtime/NearestName.h"

using namespace mlir;

namespace braid {

static constexpr llvm::StringLiteral kPresetGrouping = "braid.grouping";

void setPresetGrouping(KernelOp kernel, StringRef text, Location at) {
  kernel->setAttr(kPresetGrouping, NameLoc::get(StringAttr::get(kernel.getContext(), text), at));
}

namespace {
class GroupingResolver {
public:
  GroupingResolver(KernelOp kernel, const GroupingModel &model, std::string text, Location base)
      : kernel(kernel), model(model), source("", std::move(text)), base(base) {}

  FailureOr<Groups> run() {
    dsl::DiagnosticList problems;
    std::optional<dsl::GroupingText> parsed = dsl::parseGrouping(source, problems);
    for (const dsl::Diagnostic &problem : problems.all())
      emitParsed(problem);
    if (!parsed)
      return failure();
    if (parsed->form != dsl::GroupingText::Form::Groups)
      return parsed->form == dsl::GroupingText::Form::Fused ? model.fused() : model.unfused();
    if (failed(findNames(*parsed)))
      return failure();
    GroupingProblem problem;
    if (!model.plan(groups, &problem))
      return report(problem);
    return *model.ordered(groups);
  }

private:
  // A place inside the text, which begins at `base`.
  Location locate(unsigned line, unsigned column, unsigned length) const {
    auto begin = dyn_cast<FileLineColRange>(base);
    if (!begin)
      return base;
    column += line == 1 ? begin.getStartColumn() - 1 : 0;
    line += begin.getStartLine() - 1;
    return FileLineColRange::get(begin.getFilename(), line, column, line, column + length);
  }

  void emitParsed(const dsl::Diagnostic &problem) const {
    InFlightDiagnostic error = emitError(locate(problem.line, problem.column, problem.length));
    error << "[" << problem.id << "] " << problem.message;
    error.attachNote() << "why: " << problem.why;
    error.attachNote() << "fix: " << problem.fix;
  }

  LogicalResult findNames(const dsl::GroupingText &parsed) {
    std::vector<std::string> known;
    for (const Listable &listable : model.listables())
      known.push_back(listable.name);
    for (const std::vector<dsl::GroupingName> &names : parsed.groups) {
      std::vector<unsigned> &group = groups.emplace_back();
      for (const dsl::GroupingName &name : names) {
        dsl::Position at = name.range.position();
        Location loc = locate(at.line, at.column, name.name.size());
        std::optional<unsigned> number = model.find(name.name);
        if (!number)
          return emitDiag(loc, Diag::groupingName, name.name, kernel.getSymName().str(),
                          suggest(name.name, known, "list some of: " + joinNames(known)));
        auto [entry, added] = places.try_emplace(*number, std::pair(groups.size(), loc));
        if (!added)
          return emitDiag(loc, Diag::groupingTwice, name.name, entry->second.first, groups.size());
        group.push_back(*number);
      }
    }
    for (std::vector<unsigned> &group : groups)
      llvm::sort(group);
    return success();
  }

  // "write `...`" with the first of these changes that is legal.
  std::string legalText(ArrayRef<Groups> candidates, StringRef otherwise) const {
    for (Groups groups : candidates) {
      llvm::erase_if(groups, [](const std::vector<unsigned> &group) { return group.empty(); });
      if (model.plan(groups))
        return "write `" + model.text(groups) + "`";
    }
    return otherwise.str();
  }

  Groups without(unsigned number) const {
    Groups changed = groups;
    for (std::vector<unsigned> &group : changed)
      llvm::erase(group, number);
    return changed;
  }

  Groups with(unsigned number, size_t group) const {
    Groups changed = without(number);
    changed[group].push_back(number);
    llvm::sort(changed[group]);
    return changed;
  }

  FailureOr<Groups> report(const GroupingProblem &problem) const {
    const Listable &listable = model[problem.listable];
    const std::string &name = listable.name;
    Location loc = base;
    if (auto entry = places.find(problem.listable); entry != places.end())
      loc = entry->second.second;
    switch (problem.kind) {
    case GroupingProblem::Missing: {
      OperandOp stored = listable.operand;
      std::vector<Groups> added;
      for (size_t group = 0; group < groups.size(); ++group)
        added.push_back(with(problem.listable, group));
      added.push_back(groups);
      added.back().push_back({problem.listable});
      return emitDiag(
          loc, Diag::groupingMissing,
          isa<CacheType>(stored.getHandle().getType()) ? "cache" : "output", name,
          legalText(added, "add `" + name + "` to a group, or keep less with --outputs"));
    }
    case GroupingProblem::Unused:
      return emitDiag(loc, Diag::groupingUnused, name, problem.listedIn + 1,
                      legalText({without(problem.listable)}, "leave it out"));
    case GroupingProblem::Axes: {
      auto type = cast<ValueType>(listable.value.getType());
      return emitDiag(loc, Diag::groupingAxes, name, axesStr(type.getAxes()),
                      dtypeName(type.getDtype()));
    }
    case GroupingProblem::Order:
    case GroupingProblem::Stale:
      break;
    }
    std::vector<Groups> changes;
    if (std::optional<Groups> reordered = model.ordered(groups))
      changes.push_back(*reordered);
    changes.push_back(with(problem.listable, problem.usedIn));
    if (problem.kind == GroupingProblem::Stale)
      return emitDiag(loc, Diag::groupingStale, name, problem.usedIn + 1, problem.listedIn + 1,
                      model.text(groups[problem.usedIn]),
                      legalText(changes, "list it in group " + std::to_string(problem.usedIn + 1) +
                                             " or a later one"));
    if (listable.isLocal())
      changes.push_back(without(problem.listable));
    return emitDiag(loc, Diag::groupingOrder, name, problem.usedIn + 1, problem.listedIn + 1,
                    model.text(groups[problem.usedIn]),
                    legalText(changes, "list it in group " + std::to_string(problem.usedIn + 1) +
                                           " or an earlier one"));
  }

  KernelOp kernel;
  const GroupingModel &model;
  dsl::Source source;
  Location base;
  Groups groups;
  llvm::DenseMap<unsigned, std::pair<size_t, Location>> places; // of a listable: group, name
};
} // namespace

FailureOr<Groups> resolveGrouping(KernelOp kernel, const GroupingModel &model, StringRef option) {
  if (!option.empty()) {
    auto base = FileLineColRange::get(StringAttr::get(kernel.getContext(), kGroupingOption), 1, 1,
                                      1 + option.size());
    return GroupingResolver(kernel, model, option.str(), base).run();
  }
  if (auto preset = kernel->getAttrOfType<NameLoc>(kPresetGrouping))
    return GroupingResolver(kernel, model, preset.getName().str(), preset.getChildLoc()).run();
  return model.fused();
}

} // namespace braid
