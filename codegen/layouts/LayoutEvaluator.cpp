// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/layouts/LayoutEvaluator.h"

#include "codegen/dialect/Diag.h"
#include "codegen/layouts/LayoutBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using braid::dsl::LayoutExpr;

namespace braid {

namespace {

constexpr int64_t kMostExtent = 1 << 16;

// A number, or an affine expression of the indices.
struct AddressValue {
  int64_t number = 0;
  AffineExpr expr = {};
};

using Result = std::optional<AddressValue>;

class LayoutEvaluator {
public:
  LayoutEvaluator(const dsl::LayoutDefinition &definition, LayoutBuilder &builder, bool ofProgram)
      : definition(definition), builder(builder), ofProgram(ofProgram) {}

  LogicalResult run() {
    // Requirements first: what they rule out need not be evaluated.
    for (const dsl::LayoutCondition &condition : definition.conditions)
      if (failed(check(condition)))
        return failure();
    std::optional<int64_t> pageSize = extent(definition.token->extent);
    if (!pageSize)
      return failure();
    builder.pageSize(*pageSize);
    for (const dsl::LayoutFieldDecl &field : definition.fields)
      if (failed(addField(field)))
        return failure();
    SmallVector<int64_t> sizes(definition.bytes.size());
    for (const dsl::LayoutBytesDecl &bytes : definition.bytes) {
      std::optional<int64_t> size = constant(bytes.size);
      if (!size)
        return failure();
      if (*size < 1)
        return reportValue(bytes.size, std::to_string(*size));
      sizes[bytes.buffer] = *size;
    }
    builder.pageBytes(sizes);
    return success();
  }

private:
  /// Where a failure is reported: in a program's own text, else at the call.
  Location place(dsl::SourceRange range) const {
    if (!ofProgram)
      return builder.location();
    const dsl::Position begin = range.position(), end = range.source->position(range.end);
    return FileLineColRange::get(StringAttr::get(builder.context(), range.source->fileName()),
                                 begin.line, begin.column, end.line, end.column);
  }

  // As it is written, on one line.
  static std::string textOf(dsl::SourceRange range) {
    std::string text;
    for (char c : range.text()) {
      const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!blank || (!text.empty() && text.back() != ' '))
        text += blank ? ' ' : c;
    }
    return text;
  }

  template <typename... Args>
  std::nullopt_t fail(const LayoutExpr &expr, Diag diag, const Args &...args) {
    (void)emitDiag(place(expr.range), diag, args...);
    return std::nullopt;
  }

  LogicalResult reportValue(const LayoutExpr &expr, const std::string &value) {
    return emitDiag(place(expr.range), Diag::layoutValue, textOf(expr.range), definition.name,
                    value);
  }

  Type dtype(const std::string &name) const {
    const dsl::LayoutParamDecl *param = definition.findParam(name);
    return param ? builder.dtype(name) : parseDtype(builder.context(), name);
  }

  // --- statements ---
  std::optional<int64_t> extent(const LayoutExpr &expr) {
    std::optional<int64_t> value = constant(expr);
    if (value && (*value < 1 || *value > kMostExtent)) {
      (void)reportValue(expr, std::to_string(*value));
      return std::nullopt;
    }
    return value;
  }

  LogicalResult addField(const dsl::LayoutFieldDecl &field) {
    Type type = dtype(field.dtype);
    const int64_t bits = elementBits(type);
    if ((bits < 8) != field.inBits)
      return emitDiag(place(field.range), Diag::layoutUnit, field.name, dtypeName(type), bits,
                      field.inBits ? "bits" : "bytes", field.inBits ? "" : "bits ");
    SmallVector<int64_t> extents;
    for (const dsl::LayoutIndexDecl &index : field.indices) {
      std::optional<int64_t> value = extent(index.extent);
      if (!value)
        return failure();
      extents.push_back(*value);
    }
    Result address = evaluate(field.address);
    if (!address)
      return failure();
    AffineExpr expr =
        address->expr ? address->expr : getAffineConstantExpr(address->number, builder.context());
    builder.field(field.name, type, extents, field.buffer, expr, place(field.range));
    return success();
  }

  LogicalResult check(const dsl::LayoutCondition &condition) {
    std::optional<int64_t> left = constant(condition.left);
    std::optional<int64_t> right = left ? constant(condition.right) : std::nullopt;
    if (!right)
      return failure();
    const bool holds = condition.op == "=="   ? *left == *right
                       : condition.op == "!=" ? *left != *right
                       : condition.op == "<"  ? *left < *right
                       : condition.op == "<=" ? *left <= *right
                       : condition.op == ">"  ? *left > *right
                                              : *left >= *right;
    if (holds)
      return success();
    std::string actual;
    describe(condition.left, actual);
    describe(condition.right, actual);
    return emitDiag(place(condition.range), Diag::layoutRequire, definition.name,
                    textOf(condition.range), actual.empty() ? "it never holds" : actual,
                    condition.fix.empty() ? "use arguments for which it holds" : condition.fix);
  }

  // `page_size is 1, value has 2 bytes`: what the names in `expr` stand for.
  void describe(const LayoutExpr &expr, std::string &text) {
    std::string fact;
    if (expr.kind == LayoutExpr::Kind::Parameter)
      fact = expr.name + " is " + std::to_string(builder.integer(expr.name));
    if (expr.kind == LayoutExpr::Kind::Bytes)
      fact = expr.name + " has " + std::to_string(elementBits(dtype(expr.name)) / 8) + " bytes";
    if (!fact.empty() && text.find(fact) == std::string::npos)
      text += (text.empty() ? "" : ", ") + fact;
    for (const LayoutExpr &operand : expr.operands)
      describe(operand, text);
  }

  // --- expressions ---
  std::optional<int64_t> constant(const LayoutExpr &expr) {
    Result value = evaluate(expr); // indices cannot stand here, so it is a number
    return value ? std::optional(value->number) : std::nullopt;
  }

  Result evaluate(const LayoutExpr &expr) {
    switch (expr.kind) {
    case LayoutExpr::Kind::Number:
      return AddressValue{expr.number};
    case LayoutExpr::Kind::Parameter:
      return AddressValue{builder.integer(expr.name)};
    case LayoutExpr::Kind::Index:
      return AddressValue{0, getAffineDimExpr(expr.number, builder.context())};
    case LayoutExpr::Kind::Bytes: {
      const int64_t bits = elementBits(dtype(expr.name));
      if (bits % 8 == 0)
        return AddressValue{bits / 8};
      (void)reportValue(expr, "half a byte");
      return std::nullopt;
    }
    case LayoutExpr::Kind::Negate: {
      Result value = evaluate(expr.operands[0]);
      return value ? combine(expr, '*', *value, {-1}) : std::nullopt;
    }
    default:
      break;
    }
    Result left = evaluate(expr.operands[0]);
    Result right = left ? evaluate(expr.operands[1]) : std::nullopt;
    if (!right)
      return std::nullopt;
    if (expr.kind == LayoutExpr::Kind::Least)
      return AddressValue{std::min(left->number, right->number)};
    if (expr.kind == LayoutExpr::Kind::Greatest)
      return AddressValue{std::max(left->number, right->number)};
    return combine(expr, expr.op, *left, *right);
  }

  Result combine(const LayoutExpr &expr, char op, AddressValue left, AddressValue right) {
    if ((op == '/' || op == '%') && !right.expr && right.number == 0)
      return fail(expr, Diag::divisionByZero);
    if (!left.expr && !right.expr)
      return fold(expr, op, left.number, right.number);
    if (op == '*' && left.expr && right.expr)
      return fail(expr, Diag::layoutNotAffine, textOf(expr.range), "multiplies two indices");
    if ((op == '/' || op == '%') && (right.expr || right.number < 0))
      return fail(expr, Diag::layoutNotAffine, textOf(expr.range),
                  right.expr ? "divides by an index" : "divides by a negative number");
    // Bounds keep MLIR's own arithmetic on constants from overflowing.
    for (const AddressValue &side : {left, right})
      if (!side.expr && (side.number >= kLargest || side.number <= -kLargest))
        return fail(expr, Diag::constantRange, side.number,
                    "constants in addresses stay below 2^31");
    auto affine = [&](const AddressValue &side) {
      return side.expr ? side.expr : getAffineConstantExpr(side.number, builder.context());
    };
    AffineExpr a = affine(left), b = affine(right);
    switch (op) {
    case '+':
      return known(expr, a + b);
    case '-':
      return known(expr, a + b * -1);
    case '*':
      return known(expr, a * b);
    case '/':
      return known(expr, a.floorDiv(b));
    default:
      return known(expr, a % b);
    }
  }

  // An expression that has become a number is one.
  Result known(const LayoutExpr &expr, AffineExpr value) {
    bool large = false;
    value.walk([&](AffineExpr part) {
      auto number = dyn_cast<AffineConstantExpr>(part);
      large |= number && (number.getValue() >= kLargest || number.getValue() <= -kLargest);
    });
    if (large)
      return fail(expr, Diag::constantRange, textOf(expr.range),
                  "constants in addresses stay below 2^31");
    if (auto number = dyn_cast<AffineConstantExpr>(value))
      return AddressValue{number.getValue()};
    return AddressValue{0, value};
  }

  Result fold(const LayoutExpr &expr, char op, int64_t a, int64_t b) {
    int64_t value = 0;
    bool overflow = false;
    if (op == '+')
      overflow = __builtin_add_overflow(a, b, &value);
    else if (op == '-')
      overflow = __builtin_sub_overflow(a, b, &value);
    else if (op == '*')
      overflow = __builtin_mul_overflow(a, b, &value);
    else if (overflow = b == -1 && a == INT64_MIN; !overflow)
      value = op == '/' ? llvm::divideFloorSigned(a, b) : a - llvm::divideFloorSigned(a, b) * b;
    if (overflow)
      return fail(expr, Diag::constantRange, textOf(expr.range), "integers have 64 bits");
    return AddressValue{value};
  }

  static constexpr int64_t kLargest = int64_t(1) << 31;

  const dsl::LayoutDefinition &definition;
  LayoutBuilder &builder;
  bool ofProgram;
};

} // namespace

std::vector<LayoutSpec> layoutSpecs(const std::vector<dsl::LayoutDefinition> &definitions,
                                    bool ofProgram) {
  std::vector<LayoutSpec> specs;
  for (const dsl::LayoutDefinition &definition : definitions) {
    LayoutSpec spec{definition.name, definition.summary, {}, {}, ofProgram, definition.broken};
    for (const dsl::LayoutParamDecl &param : definition.params)
      spec.params.push_back({param.name, param.isDtype, param.defaultDtype, param.defaultInteger});
    spec.signature = definition.name + "(" + definition.paramText() + ")";
    spec.build = [&definition, ofProgram](LayoutBuilder &builder) {
      return LayoutEvaluator(definition, builder, ofProgram).run();
    };
    specs.push_back(std::move(spec));
  }
  return specs;
}

} // namespace braid
