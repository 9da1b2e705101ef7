// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text form of axes and of the types that have them; dtypes as MLIR types.

#include "codegen/dialect/Braid.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace braid {

// `token` | `heads = 64` | `64`
static FailureOr<AxisAttr> parseAxis(AsmParser &parser) {
  std::string name;
  int64_t extent = ShapedType::kDynamic;
  if (succeeded(parser.parseOptionalKeywordOrString(&name))) {
    if (succeeded(parser.parseOptionalEqual()) && parser.parseInteger(extent))
      return failure();
  } else if (parser.parseInteger(extent)) {
    return failure();
  }
  if (extent != ShapedType::kDynamic && extent < 0)
    return parser.emitError(parser.getCurrentLocation(), "an extent cannot be negative");
  return axis(parser.getContext(), name, extent);
}

static void printAxis(AsmPrinter &printer, AxisAttr axis) {
  if (axis.isNamed()) {
    printer.printKeywordOrString(axis.getName());
    if (!axis.isRuntime())
      printer << " = " << axis.getExtent();
  } else {
    printer << axis.getExtent();
  }
}

Attribute AxisAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<AxisAttr> axis = parseAxis(parser);
  if (failed(axis) || parser.parseGreater())
    return {};
  return *axis;
}

void AxisAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printAxis(printer, *this);
  printer << ">";
}

bool AxisAttr::matches(AxisAttr other) const {
  if (isNamed() && other.isNamed())
    return getName() == other.getName();
  return !isRuntime() && getExtent() == other.getExtent();
}

std::string AxisAttr::str() const {
  return isNamed() ? getName().str() : std::to_string(getExtent());
}

// `<[token, heads = 64] x f32>`
template <typename T>
static Type parseAxesType(AsmParser &parser) {
  SmallVector<AxisAttr> axes;
  Type dtype;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<AxisAttr> axis = parseAxis(parser);
    if (failed(axis))
      return failure();
    axes.push_back(*axis);
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne) ||
      parser.parseKeyword("x") || parser.parseType(dtype) || parser.parseGreater())
    return {};
  return parser.getChecked<T>(parser.getContext(), ArrayRef<AxisAttr>(axes), dtype);
}

template <typename T>
static void printAxesType(AsmPrinter &printer, T type) {
  printer << "<[";
  llvm::interleaveComma(type.getAxes(), printer, [&](AxisAttr axis) { printAxis(printer, axis); });
  printer << "] x " << type.getDtype() << ">";
}

static LogicalResult verifyDtype(function_ref<InFlightDiagnostic()> emitError, Type dtype) {
  return isKnownDtype(dtype) ? success() : emitError() << "no dtype of the language: " << dtype;
}

LogicalResult ValueType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<AxisAttr>,
                                Type dtype) {
  return dtype.isInteger(1) ? success() : verifyDtype(emitError, dtype);
}

LogicalResult TensorType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<AxisAttr>,
                                 Type dtype) {
  return verifyDtype(emitError, dtype);
}

Type ValueType::parse(AsmParser &parser) { return parseAxesType<ValueType>(parser); }
void ValueType::print(AsmPrinter &printer) const { printAxesType(printer, *this); }
Type TensorType::parse(AsmParser &parser) { return parseAxesType<TensorType>(parser); }
void TensorType::print(AsmPrinter &printer) const { printAxesType(printer, *this); }

AxisAttr axis(MLIRContext *context, StringRef name, int64_t extent) {
  return AxisAttr::get(context, StringAttr::get(context, name), extent);
}

Type mlirType(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::F32:
    return Float32Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DType::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case DType::F8E5M2:
    return Float8E5M2Type::get(context);
  case DType::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case DType::E8M0:
    return Float8E8M0FNUType::get(context);
  case DType::F4E2M1:
    return Float4E2M1FNType::get(context);
  case DType::I32:
    return IntegerType::get(context, 32);
  case DType::I64:
    return IntegerType::get(context, 64);
  }
  return {};
}

std::optional<DType> dtypeOf(Type type) {
  for (DType dtype : allDTypes())
    if (mlirType(type.getContext(), dtype) == type)
      return dtype;
  return std::nullopt;
}

Type parseDtype(MLIRContext *context, StringRef name) {
  if (name == "fp8")
    return Fp8Type::get(context);
  std::optional<DType> dtype = parseDType(std::string_view(name));
  return dtype ? mlirType(context, *dtype) : Type();
}

std::string dtypeName(Type type) {
  if (isa<Fp8Type>(type))
    return "fp8";
  std::optional<DType> dtype = dtypeOf(type);
  return dtype ? std::string(dtypeName(*dtype)) : "unknown";
}

std::string bufferName(llvm::StringRef cache, size_t index, size_t count) {
  return count == 1 ? cache.str() : cache.str() + "." + std::to_string(index);
}

bool isKnownDtype(Type type) { return isa<Fp8Type>(type) || dtypeOf(type).has_value(); }

bool isMask(Value value) {
  auto type = dyn_cast<ValueType>(value.getType());
  return type && type.getDtype().isInteger(1);
}

bool isPackedDtype(Type type) {
  std::optional<DType> dtype = dtypeOf(type);
  return dtype && dtypeBits(*dtype) < 8;
}

bool isFloatDtype(Type type) { return isa<Fp8Type, FloatType>(type); }

} // namespace braid
