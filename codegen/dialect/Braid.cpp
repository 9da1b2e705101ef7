// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/dialect/Braid.h"
#include "codegen/emit/Emitter.h"
#include "codegen/grouping/Schedule.h"
#include "codegen/reference/Evaluation.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace braid;

// One number, or a list in brackets: what a layout has for each of its buffers.
static ParseResult parsePerBuffer(AsmParser &parser, SmallVector<int64_t> &values) {
  if (parser.parseOptionalLSquare())
    return parser.parseInteger(values.emplace_back());
  auto parseOne = [&] { return parser.parseInteger(values.emplace_back()); };
  return failure(parser.parseCommaSeparatedList(parseOne) || parser.parseRSquare());
}

static void printPerBuffer(AsmPrinter &printer, ArrayRef<int64_t> values) {
  if (values.size() == 1) {
    printer << values.front();
    return;
  }
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

#include "codegen/dialect/BraidDialect.cpp.inc"
#include "codegen/dialect/BraidEnums.cpp.inc"
#include "codegen/dialect/BraidInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "codegen/dialect/BraidAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "codegen/dialect/BraidTypes.cpp.inc"

#define GET_OP_CLASSES
#include "codegen/dialect/BraidOps.cpp.inc"

void BraidDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "codegen/dialect/BraidAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "codegen/dialect/BraidTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "codegen/dialect/BraidOps.cpp.inc"
      >();
}
