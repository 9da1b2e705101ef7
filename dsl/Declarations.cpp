// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Builder's parameters, axes and operands.
#include "codegen/dialect/Diag.h"
#include "codegen/emit/ProgramLocation.h"
#include "codegen/layouts/PageLayout.h"
#include "dsl/Binding.h"
#include "dsl/Builder.h"

#include <cfloat>
#include <cmath>

using namespace mlir;

namespace braid::dsl {

bool Builder::declare(const std::string &name, NameKind kind, Location loc) {
  Entry entry{kind};
  entry.loc = loc;
  auto [it, isNew] = names.try_emplace(name, entry);
  if (isNew)
    return true;
  static constexpr const char *kKinds[] = {"a parameter", "an axis", "an input",
                                           "an output",   "an inout", "a cache", "assigned"};
  report(DiagId::nameTaken, loc, name, kKinds[static_cast<size_t>(it->second.kind)]);
  return false;
}

// --- parameters -------------------------------------------------------------------------------

void Builder::setParameter(const std::string &name, std::string canonical) {
  parameters[name] = std::move(canonical);
  names.try_emplace(name, Entry{NameKind::Parameter});
}

IntParam Builder::intParameter(const std::string &name, int64_t value) {
  setParameter(name, std::to_string(value));
  return {name, value};
}

double Builder::f32Parameter(const std::string &name, double value) {
  setParameter(name, shortestText(value));
  return value;
}

std::string Builder::wordParameter(const std::string &name, std::string word) {
  setParameter(name, word);
  return word;
}

Type Builder::dtype(std::string_view name, Where where) {
  Type type = parseDtype(&ctx, name);
  const std::vector<std::string> known = dtypeNameList();
  if (!type)
    report(DiagId::dtypeUnknown, place(where), name, joinNames(known),
           suggest(name, known, "use one of these"));
  return type;
}

Type Builder::dtypeParameter(const std::string &name, std::string_view dtypeName, Where where) {
  setParameter(name, std::string(dtypeName));
  return dtype(dtypeName, where);
}

LayoutAttr Builder::layoutParameter(const std::string &name, const std::string &layout,
                                    const LayoutArgs &args, Where where) {
  Location loc = place(where);
  BoundLayout call{layout, {}, {}};
  std::vector<LayoutArgument> arguments;
  for (const auto &[param, value] : args) {
    auto *type = std::get_if<Type>(&value);
    if (type && !*type)
      return {}; // reported where the dtype was named
    arguments.push_back({param, value, loc});
    if (type)
      call.args.push_back({param, braid::dtypeName(*type), {}});
    else
      call.args.push_back({param, std::get<int64_t>(value), {}});
  }
  setParameter(name, call.canonical());
  FailureOr<LayoutAttr> made = failure();
  captured([&] { made = instantiateLayout(&ctx, layout, arguments, loc); });
  return succeeded(made) ? *made : LayoutAttr();
}

// --- axes and operands ------------------------------------------------------------------------

void Builder::axis(const std::string &name, Where where) {
  if (declare(name, NameKind::Axis, place(where)))
    axes.push_back(name);
}

Expr Builder::declareOperand(const std::string &name, OperandRole role, Type type, Location loc) {
  const NameKind kind = role == OperandRole::input    ? NameKind::Input
                        : role == OperandRole::output ? NameKind::Output
                        : role == OperandRole::inout  ? NameKind::InOut
                                                      : NameKind::Cache;
  if (!declare(name, kind, loc))
    return {};
  operands.push_back(name);
  if (!type)
    return {};
  auto op = OperandOp::create(ir, NameLoc::get(ir.getStringAttr(name), loc), type, name, role);
  names.find(name)->second.handle = op.getHandle();
  return Expr(this, op.getHandle());
}

std::optional<AxisAttr> Builder::resolveExtent(const std::string &tensor, const Extent &extent,
                                               bool mayBeTable, Location loc) {
  if (extent.extent) {
    if (*extent.extent >= 0) // 0: a table of no rotated dims
      return braid::axis(&ctx, extent.name, *extent.extent);
    report(DiagId::axisExtent, loc, *extent.extent);
    return std::nullopt;
  }
  auto known = names.find(extent.name);
  const bool declared = known != names.end() && known->second.kind == NameKind::Axis;
  if (declared || (mayBeTable && known == names.end()))
    return braid::axis(&ctx, extent.name, ShapedType::kDynamic);
  std::vector<std::string> candidates = axes;
  for (const auto &[param, text] : parameters)
    candidates.push_back(param);
  report(
      DiagId::axisUnknown, loc, extent.name,
      suggest(extent.name, candidates,
              fmt::format("declare `axis {}`, or use an int parameter or a number", extent.name)));
  return std::nullopt;
}

Expr Builder::declareTensor(const std::string &name, OperandRole role, Type dtype,
                            std::vector<Extent> extents, Location loc) {
  if (!dtype)
    return declareOperand(name, role, Type(), loc); // reported where it was named
  if (extents.empty())
    report(DiagId::tensorNeedsAxes, loc, name);
  SmallVector<AxisAttr> resolved;
  for (auto [i, extent] : llvm::enumerate(extents)) {
    Location at = extent.loc.value_or(loc);
    const bool mayBeTable = i == 0 && extents.size() > 1 && role == OperandRole::input;
    std::optional<AxisAttr> axis = resolveExtent(name, extent, mayBeTable, at);
    if (!axis)
      continue;
    if (axis->isNamed() && llvm::is_contained(resolved, *axis))
      report(DiagId::axisTwice, at, name, extent.name);
    resolved.push_back(*axis);
  }
  const bool good = !resolved.empty() && resolved.size() == extents.size();
  return declareOperand(name, role, good ? Type(TensorType::get(&ctx, resolved, dtype)) : Type(),
                        loc);
}

Expr Builder::input(const std::string &name, Type dtype, std::vector<Extent> extents, Where where) {
  return declareTensor(name, OperandRole::input, dtype, std::move(extents), place(where));
}

Expr Builder::output(const std::string &name, Type dtype, std::vector<Extent> extents,
                     Where where) {
  return declareTensor(name, OperandRole::output, dtype, std::move(extents), place(where));
}

Expr Builder::inout(const std::string &name, Type dtype, std::vector<Extent> extents, Where where) {
  return declareTensor(name, OperandRole::inout, dtype, std::move(extents), place(where));
}

Expr Builder::cache(const std::string &name, LayoutAttr layout, Where where) {
  return declareOperand(name, OperandRole::cache,
                        layout ? Type(CacheType::get(&ctx, layout)) : Type(), place(where));
}

} // namespace braid::dsl
