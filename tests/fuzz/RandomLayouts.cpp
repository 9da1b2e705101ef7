// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/RandomLayouts.h"

#include "codegen/Compiler.h"
#include "codegen/layouts/PageLayout.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>

using namespace mlir;

namespace braid::fuzz {

namespace {

constexpr int kAttempts = 40;

const std::vector<std::string> kDtypes = {"fp8",  "f8e4m3fn", "f8e4m3fnuz", "f32",
                                          "bf16", "f16",      "e8m0"};
const std::vector<int64_t> kSizes = {1, 3, 16, 24, 32, 48, 64};

// A page must be small enough to check every byte quickly.
constexpr int64_t kMostPageBytes = 1 << 17;

RandomLayout described(LayoutAttr layout, const std::string &name, const std::string &text) {
  RandomLayout result{name, text, {}};
  for (FieldAttr field : layout.getFields())
    result.fields.push_back(
        {field.getName().str(),
         dtypeName(field.getDtype()),
         {field.getExtents().asArrayRef().begin(), field.getExtents().asArrayRef().end()}});
  return result;
}

// What programs of the generator can store: codes or numbers in rows, numbers or scales one a
// token.
bool isStorable(const RandomField &field, int row) {
  if (field.extents.empty())
    return field.dtype == "f32" || field.dtype == "bf16" || field.dtype == "f16" ||
           field.dtype == "e8m0";
  return field.extents.size() == 1 && field.extents[0] == row && field.dtype != "e8m0";
}

} // namespace

std::optional<RandomLayout> randomLayout(Randomness &random, int row) {
  static MLIRContext *const context = [] {
    auto *made = new MLIRContext(MLIRContext::Threading::DISABLED);
    loadBraidDialects(*made);
    return made;
  }();
  ScopedDiagnosticHandler refusals(context, [](Diagnostic &) { return success(); });
  ArrayRef<LayoutSpec> library = layoutLibrary();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const LayoutSpec &spec = library[random.below(static_cast<int>(library.size()))];
    std::vector<LayoutArgument> arguments;
    std::string text = spec.name + "(";
    for (const LayoutParam &param : spec.params) {
      bool omit = param.isDtype && !param.defaultDtype.empty() && random.oneIn(3);
      if (omit)
        continue;
      text += (arguments.empty() ? "" : ", ") + param.name + " = ";
      if (param.isDtype) {
        const std::string &dtype = random.of(kDtypes);
        text += dtype;
        arguments.push_back({param.name, parseDtype(context, dtype), UnknownLoc::get(context)});
      } else {
        int64_t value = param.name == "page_size" ? random.of(kSizes) : row;
        text += std::to_string(value);
        arguments.push_back({param.name, value, UnknownLoc::get(context)});
      }
    }
    FailureOr<LayoutAttr> made =
        instantiateLayout(context, spec.name, arguments, UnknownLoc::get(context));
    if (failed(made) || made->getPageBytes() > kMostPageBytes)
      continue;
    RandomLayout layout = described(*made, spec.name, text + ")");
    if (std::ranges::all_of(layout.fields,
                            [&](const RandomField &field) { return isStorable(field, row); }))
      return layout;
  }
  return std::nullopt;
}

} // namespace braid::fuzz
