// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/emit/ProgramLocation.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace braid {

std::string programName(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto name = result ? dyn_cast<NameLoc>(result.getOwner()->getLoc()) : NameLoc();
  if (!name)
    return "";
  // An op with several results carries their names in order, separated by commas.
  SmallVector<StringRef> names;
  name.getName().getValue().split(names, ',');
  unsigned number = result.getResultNumber();
  return number < names.size() ? names[number].trim().str() : "";
}

Location stripName(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getChildLoc() : loc;
}

std::string programStatement(Location loc) {
  auto fused = dyn_cast<FusedLoc>(stripName(loc));
  auto statement = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
  return statement ? statement.str() : "";
}

std::string programPlace(Location loc) {
  std::string place;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColRange>(inner);
    if (!file)
      return WalkResult::advance();
    place = std::to_string(file.getStartLine()) + ":" + std::to_string(file.getStartColumn());
    return WalkResult::interrupt();
  });
  return place;
}

Location programLocation(Location place, StringRef name, StringRef statement) {
  MLIRContext *context = place.getContext();
  Location loc = statement.empty()
                     ? place
                     : Location(FusedLoc::get(context, {place}, StringAttr::get(context, statement)));
  return name.empty() ? loc : Location(NameLoc::get(StringAttr::get(context, name), loc));
}

} // namespace braid
