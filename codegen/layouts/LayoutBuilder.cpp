// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/layouts/LayoutBuilder.h"

#include "codegen/dialect/Diag.h"

#include <algorithm>

using namespace mlir;

namespace braid {

// `fp8` of a target is one byte whatever its flavour.
static int64_t elementBytes(Type dtype) {
  return isa<Fp8Type>(dtype) ? 1 : static_cast<int64_t>(dtypeBytes(*dtypeOf(dtype)));
}

// Larger extents are mistakes.
constexpr int64_t kMaxExtent = 1 << 16;

std::string LayoutBuilder::parameterNames() const {
  std::string names;
  for (const LayoutParam &param : spec.params)
    names += (names.empty() ? "" : ", ") + param.name;
  return names;
}

LogicalResult LayoutBuilder::bindArgument(const LayoutArgument &argument) {
  const auto *param = std::find_if(spec.params.data(), spec.params.data() + spec.params.size(),
                                   [&](const LayoutParam &p) { return p.name == argument.name; });
  if (param == spec.params.data() + spec.params.size())
    return emitDiag(argument.loc, Diag::layoutArgument, spec.name, argument.name, parameterNames());
  if (const Type *dtype = std::get_if<Type>(&argument.value); dtype && param->isDtype) {
    dtypes[param->name] = *dtype;
    return success();
  }
  const int64_t *integer = std::get_if<int64_t>(&argument.value);
  if (param->isDtype || !integer || *integer < 1 || *integer > kMaxExtent)
    return emitDiag(argument.loc, Diag::layoutArgumentKind, spec.name, param->name,
                    param->isDtype ? "a dtype" : "an integer from 1 to 65536",
                    param->isDtype ? param->defaultDtype : std::string("64"));
  integers[param->name] = *integer;
  return success();
}

LogicalResult LayoutBuilder::bindArguments(ArrayRef<LayoutArgument> arguments) {
  for (const LayoutArgument &argument : arguments)
    if (failed(bindArgument(argument)))
      return failure();
  for (const LayoutParam &param : spec.params) {
    if (integers.contains(param.name) || dtypes.contains(param.name))
      continue;
    if (param.defaultDtype.empty())
      return emitDiag(loc, Diag::layoutArgumentMissing, spec.name, param.name);
    dtypes[param.name] = parseDtype(context, param.defaultDtype);
  }
  return success();
}

int64_t LayoutBuilder::bytes(StringRef name) const { return elementBytes(dtype(name)); }

void LayoutBuilder::field(StringRef name, Type dtype, ArrayRef<int64_t> extents, AffineExpr address) {
  fields.push_back(FieldAttr::get(context, StringAttr::get(context, name), dtype,
                                  DenseI64ArrayAttr::get(context, extents), /*buffer=*/0,
                                  AffineMap::get(1 + extents.size(), 0, address)));
}

LogicalResult LayoutBuilder::require(bool holds, StringRef condition, StringRef actual, StringRef fix) {
  return holds ? success()
               : emitDiag(loc, Diag::layoutRequire, spec.name, condition.str(), actual.str(), fix.str());
}

LayoutAttr LayoutBuilder::finish() const {
  int64_t alignment = 1;
  for (FieldAttr field : fields)
    alignment = std::max(alignment, elementBytes(field.getDtype()));
  return LayoutAttr::get(context, StringAttr::get(context, spec.name), pageSize, pageBytes, alignment,
                         fields);
}

} // namespace braid
