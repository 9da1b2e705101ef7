// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/layouts/PageLayout.h"

#include "codegen/dialect/Diag.h"
#include "codegen/layouts/FieldAddress.h"
#include "codegen/layouts/LayoutBuilder.h"
#include "codegen/layouts/LayoutEvaluator.h"
#include "runtime/NearestName.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace braid {

int64_t elementBits(Type dtype) {
  return isa<Fp8Type>(dtype) ? 8 : static_cast<int64_t>(dtypeBits(*dtypeOf(dtype)));
}

int64_t fieldOffset(FieldAttr field, int64_t t, ArrayRef<int64_t> indices) {
  return FieldAddress(field).at(t, indices).value_or(-1);
}

LogicalResult forEachElement(FieldAttr field, int64_t pageSize,
                             function_ref<LogicalResult(int64_t, ArrayRef<int64_t>)> visit) {
  ArrayRef<int64_t> extents = field.getExtents();
  SmallVector<int64_t> indices(extents.size());
  for (int64_t t = 0; t < pageSize; ++t) {
    indices.assign(extents.size(), 0);
    for (bool more = true; more;) {
      if (failed(visit(t, indices)))
        return failure();
      // Count up, the last index first.
      more = false;
      for (size_t k = extents.size(); k-- > 0 && !more;) {
        more = ++indices[k] < extents[k];
        if (!more)
          indices[k] = 0;
      }
    }
  }
  return success();
}

// Distance of neighbouring elements in the unit of the map: bytes, or bits of smaller elements.
static int64_t mapStep(FieldAttr field) {
  const int64_t bits = elementBits(field.getDtype());
  return bits < 8 ? bits : bits / 8;
}

int64_t contiguousElements(FieldAttr field, int64_t pageSize) {
  if (field.getExtents().empty())
    return 1;
  int64_t run = llvm::PowerOf2Ceil(field.getExtents().asArrayRef().back());
  const int64_t step = mapStep(field), perByte = isPackedDtype(field.getDtype()) ? 8 / step : 1;
  // A run of `run` breaks where an element inside it does not follow the one before it.
  int64_t previous = 0;
  bool onBytes = true; // runs of more than one small element begin on whole bytes
  FieldAddress address(field);
  (void)forEachElement(field, pageSize, [&](int64_t t, ArrayRef<int64_t> indices) {
    const int64_t offset = address.at(t, indices).value_or(-1);
    if (indices.back() != 0 && offset != previous + step)
      run = std::min<int64_t>(run, int64_t(1) << llvm::countr_zero(uint64_t(indices.back())));
    onBytes &= perByte == 1 || indices.back() % perByte || offset % 8 == 0;
    previous = offset;
    return success();
  });
  return onBytes ? run : 1;
}

int64_t runAlignment(LayoutAttr layout, FieldAttr field, int64_t run) {
  const int64_t unit = isPackedDtype(field.getDtype()) ? 8 : 1; // of the map, in a byte
  // The lowest bit that is set in the first byte of any run.
  int64_t places = layout.getAlignment()[field.getBuffer()] | (run * mapStep(field) / unit);
  FieldAddress address(field);
  (void)forEachElement(field, layout.getPageSize(), [&](int64_t t, ArrayRef<int64_t> indices) {
    if (indices.empty() || indices.back() % run == 0)
      places |= address.at(t, indices).value_or(unit) / unit;
    return success();
  });
  return places & -places;
}

// --- definitions ------------------------------------------------------------------------------

ArrayRef<LayoutSpec> layoutLibrary() {
  static const std::vector<LayoutSpec> library =
      layoutSpecs(dsl::libraryLayouts(), /*ofProgram=*/false);
  return library;
}

static FailureOr<LayoutAttr> instantiate(MLIRContext *context, const LayoutSpec &spec,
                                         ArrayRef<LayoutArgument> arguments, Location loc) {
  LayoutBuilder builder(context, spec, loc);
  if (spec.broken || failed(builder.bindArguments(arguments)))
    return failure(); // a broken definition has been reported
  LayoutAttr layout;
  if (succeeded(spec.build(builder)))
    layout = builder.finish();
  if (layout && succeeded(checkLayout(layout, loc, builder.fieldLocations())))
    return layout;
  // What was wrong has been said where the definition is; the call is the other half of it.
  return spec.ofProgram ? emitDiag(loc, Diag::layoutCall, spec.name) : failure();
}

FailureOr<LayoutAttr> instantiateLayout(MLIRContext *context, StringRef name,
                                        ArrayRef<LayoutArgument> arguments, Location loc,
                                        ArrayRef<LayoutSpec> own) {
  std::vector<std::string> known;
  for (ArrayRef<LayoutSpec> specs : {layoutLibrary(), own})
    for (const LayoutSpec &spec : specs) {
      if (spec.name == name)
        return instantiate(context, spec, arguments, loc);
      known.push_back(spec.name);
    }
  return emitDiag(loc, Diag::layoutUnknown, name.str(), joinNames(known),
                  suggest(name, known, "use one of these"));
}

} // namespace braid
