// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/RandomLayouts.h"

#include "codegen/Compiler.h"
#include "codegen/grouping/Schedule.h"
#include "codegen/layouts/PageLayout.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>

using namespace mlir;

namespace braid::fuzz {

namespace {

constexpr int kAttempts = 40;

const std::vector<std::string> kDtypes = {"fp8",  "f8e4m3fn", "f8e4m3fnuz", "f32",
                                          "bf16", "f16",      "e8m0",       "f8e5m2"};
const std::vector<int64_t> kSizes = {1, 3, 16, 24, 32, 48, 64};

// A page must be small enough to check every byte quickly.
constexpr int64_t kMostPageBytes = 1 << 17;
constexpr int64_t kMostElements = 1024; // of a field of one token

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
bool isStorable(const RandomField &field) {
  if (field.extents.empty())
    return field.dtype == "f32" || field.dtype == "bf16" || field.dtype == "f16" ||
           field.dtype == "e8m0";
  int64_t elements = 1;
  for (int64_t extent : field.extents)
    elements *= extent;
  return field.extents.size() <= 2 && isRowLength(field.extents.back()) &&
         elements <= kMostElements && field.dtype != "e8m0";
}

int64_t argumentFor(const LayoutParam &param, Randomness &random, int row) {
  if (param.name == "page_size")
    return random.of(kSizes);
  return param.name == "heads" ? random.between(1, 9) : row;
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
      bool omit = (!param.defaultDtype.empty() || param.defaultInteger) && random.oneIn(3);
      if (omit)
        continue;
      text += (arguments.empty() ? "" : ", ") + param.name + " = ";
      if (param.isDtype) {
        const std::string &dtype = random.of(kDtypes);
        text += dtype;
        arguments.push_back({param.name, parseDtype(context, dtype), UnknownLoc::get(context)});
      } else {
        int64_t value = argumentFor(param, random, row);
        text += std::to_string(value);
        arguments.push_back({param.name, value, UnknownLoc::get(context)});
      }
    }
    FailureOr<LayoutAttr> made =
        instantiateLayout(context, spec.name, arguments, UnknownLoc::get(context));
    if (failed(made) ||
        llvm::any_of(made->getPageBytes(), [](int64_t bytes) { return bytes > kMostPageBytes; }))
      continue;
    RandomLayout layout = described(*made, spec.name, text + ")");
    if (std::ranges::all_of(layout.fields, isStorable))
      return layout;
  }
  return std::nullopt;
}

} // namespace braid::fuzz
