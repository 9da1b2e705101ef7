// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/layouts/LayoutBuilder.h"

#include "codegen/dialect/Diag.h"
#include "runtime/NearestName.h"

#include <algorithm>

using namespace mlir;

namespace braid {

// Larger extents are mistakes.
constexpr int64_t kMaxExtent = 1 << 16;

std::vector<std::string> LayoutBuilder::parameterNames() const {
  std::vector<std::string> names;
  for (const LayoutParam &param : spec.params)
    names.push_back(param.name);
  return names;
}

LogicalResult LayoutBuilder::bindArgument(const LayoutArgument &argument) {
  const auto *param = std::find_if(spec.params.data(), spec.params.data() + spec.params.size(),
                                   [&](const LayoutParam &p) { return p.name == argument.name; });
  if (param == spec.params.data() + spec.params.size())
    return emitDiag(argument.loc, Diag::layoutArgument, spec.name, argument.name,
                    joinNames(parameterNames()),
                    suggest(argument.name, parameterNames(), "leave it out"));
  if (const Type *dtype = std::get_if<Type>(&argument.value); dtype && param->isDtype) {
    dtypes[param->name] = *dtype;
    return success();
  }
  const int64_t *integer = std::get_if<int64_t>(&argument.value);
  if (param->isDtype || !integer || *integer < 1 || *integer > kMaxExtent)
    return emitDiag(argument.loc, Diag::layoutArgumentKind, spec.name, param->name,
                    param->isDtype ? "a dtype" : "an integer from 1 to 65536",
                    !param->isDtype               ? std::string("64")
                    : param->defaultDtype.empty() ? std::string("fp8")
                                                  : param->defaultDtype);
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
    if (param.defaultInteger)
      integers[param.name] = *param.defaultInteger;
    else if (!param.defaultDtype.empty())
      dtypes[param.name] = parseDtype(ctx, param.defaultDtype);
    else
      return emitDiag(loc, Diag::layoutArgumentMissing, spec.name, param.name);
  }
  return success();
}

void LayoutBuilder::field(StringRef name, Type dtype, ArrayRef<int64_t> extents, int64_t buffer,
                          AffineExpr address, Location where) {
  fields.push_back(FieldAttr::get(ctx, StringAttr::get(ctx, name), dtype,
                                  DenseI64ArrayAttr::get(ctx, extents), buffer,
                                  AffineMap::get(1 + extents.size(), 0, address)));
  places.push_back(where);
}

LayoutAttr LayoutBuilder::finish() const {
  SmallVector<int64_t> alignment(bytes.size(), 1);
  for (FieldAttr field : fields)
    alignment[field.getBuffer()] =
        std::max(alignment[field.getBuffer()], elementBits(field.getDtype()) / 8);
  return LayoutAttr::get(ctx, StringAttr::get(ctx, spec.name), tokens, bytes, alignment, fields);
}

} // namespace braid
