// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matching rule of axes: names first, extents where a name is missing.

#include "codegen/dialect/Braid.h"
#include "codegen/dialect/Diag.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace braid {

std::string axesStr(ArrayRef<AxisAttr> axes) {
  std::string text = "[";
  for (AxisAttr axis : axes)
    text += (text.size() > 1 ? ", " : "") + axis.str();
  return text + "]";
}

// Counts the ways in which inner[i..] is a subsequence of outer[o..]; keeps the first.
static unsigned countMatches(ArrayRef<AxisAttr> inner, ArrayRef<AxisAttr> outer, unsigned base,
                             SmallVectorImpl<unsigned> &prefix, SmallVectorImpl<unsigned> &first) {
  if (inner.empty()) {
    if (first.empty())
      first.assign(prefix.begin(), prefix.end());
    return 1;
  }
  unsigned ways = 0;
  for (auto [offset, candidate] : llvm::enumerate(outer)) {
    if (!inner.front().matches(candidate))
      continue;
    prefix.push_back(base + offset);
    ways += countMatches(inner.drop_front(), outer.drop_front(offset + 1), base + offset + 1, prefix,
                         first);
    prefix.pop_back();
    if (ways > 1)
      break;
  }
  return ways;
}

std::optional<SmallVector<unsigned>> matchAxes(ArrayRef<AxisAttr> inner, ArrayRef<AxisAttr> outer,
                                               bool &ambiguous) {
  SmallVector<unsigned> prefix, first;
  unsigned ways = countMatches(inner, outer, 0, prefix, first);
  ambiguous = ways > 1;
  if (ways != 1)
    return std::nullopt;
  return first;
}

FailureOr<ValueType> inferElementwise(Location loc, ArrayRef<ValueType> operands) {
  ValueType widest = operands.front();
  for (ValueType operand : operands) {
    if (!isFloatDtype(operand.getDtype()))
      return emitDiag(loc, Diag::notAnIndex, dtypeName(operand.getDtype()));
    if (operand.getAxes().size() > widest.getAxes().size())
      widest = operand;
  }
  for (ValueType operand : operands) {
    bool ambiguous = false;
    if (matchAxes(operand.getAxes(), widest.getAxes(), ambiguous))
      continue;
    if (ambiguous)
      return emitDiag(loc, Diag::axesAmbiguous, axesStr(operand.getAxes()),
                      axesStr(widest.getAxes()));
    return emitDiag(loc, Diag::axesDoNotMeet, axesStr(operand.getAxes()),
                    axesStr(widest.getAxes()));
  }
  return ValueType::get(loc.getContext(), widest.getAxes(), Float32Type::get(loc.getContext()));
}

} // namespace braid
