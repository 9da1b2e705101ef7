// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed spellings of the common ops, so that a C++ program reads like the text. Each is one call by
// name: an op without a spelling here is reached with Builder::call.

#pragma once

#include "dsl/Builder.h"

namespace braid::dsl {

/// Codes of a row and the scales of each row.
struct Quantized {
  Expr codes, scale;
};

/// How codes are made: what stands behind the format in a call of `quantize`.
struct QuantizeRule {
  std::string scale = "ue8m0";       ///< the rule; unused where `given` is set
  std::optional<double> floor = {};  ///< for every rule but a given scale
  std::optional<double> max = {};    ///< the largest code value, the format's by default
  std::optional<int64_t> group = {}; ///< elements that share a scale; the row by default
  bool divide = false;               ///< x / s instead of x * (1 / s)
  Expr given = {};                   ///< the scale, where the program has one
};

/// A rounding point: to the nearest value of `dtype`, ties to even.
inline Expr round(const Expr &x, mlir::Type dtype,
                  Builder::Where where = Builder::Where::current()) {
  return x.owner() ? x.owner()->callOne("round", {x, dtype}, where) : Expr();
}

/// Rotates dims `dims` of each row by `angles`, a table row of cosines and sines.
inline Expr rope(const Expr &x, const Expr &angles, const std::string &style, IntRange dims,
                 const std::string &table = "joined",
                 Builder::Where where = Builder::Where::current()) {
  if (!x.owner())
    return {};
  return x.owner()->callOne("rope", {x, angles, style, kw("dims", dims), kw("table", table)},
                            where);
}
/// The same with cosines and sines in two tables.
inline Expr ropeSplit(const Expr &x, const Expr &cosines, const Expr &sines,
                      const std::string &style, IntRange dims,
                      Builder::Where where = Builder::Where::current()) {
  if (!x.owner())
    return {};
  return x.owner()->callOne("rope",
                            {x, cosines, style, kw("dims", dims),
                             kw("table", std::string("split")), kw("sines", sines)},
                            where);
}

/// Layer normalisation of each row; `gamma` and `beta` hold one value for each element.
inline Expr layerNorm(const Expr &x, const Expr &gamma, const Expr &beta, double eps,
                      Builder::Where where = Builder::Where::current()) {
  return x.owner() ? x.owner()->callOne("layer_norm", {x, gamma, beta, eps}, where) : Expr();
}

/// Root mean square normalisation of each row; `weight` is plain or one_plus.
inline Expr rmsNorm(const Expr &x, const Expr &gamma, double eps, const std::string &weight,
                    Builder::Where where = Builder::Where::current()) {
  return x.owner() ? x.owner()->callOne("rms_norm", {x, gamma, eps, kw("weight", weight)}, where)
                   : Expr();
}

/// Codes of `format` and their scales.
inline Quantized quantize(const Expr &x, mlir::Type format, const QuantizeRule &rule,
                          Builder::Where where = Builder::Where::current()) {
  if (!x.owner())
    return {};
  Word scale{rule.given ? "given" : rule.scale, {}};
  if (rule.given) {
    mlir::Location loc = rule.given.place(mlir::UnknownLoc::get(x.owner()->context()));
    if (const Number *number = rule.given.number())
      scale.arguments.push_back({"", *number, loc});
    else if (mlir::Value value = x.owner()->valueAt(rule.given, loc))
      scale.arguments.push_back({"", value, loc});
  }
  std::vector<Arg> args = {x, format, kw("scale", scale)};
  if (rule.floor)
    args.push_back(kw("floor", *rule.floor));
  if (rule.max)
    args.push_back(kw("max", *rule.max));
  if (rule.group)
    args.push_back(kw("group", *rule.group));
  if (rule.divide)
    args.push_back(kw("value", "divide"));
  std::vector<Expr> results = x.owner()->call("quantize", std::move(args), where);
  return results.size() == 2 ? Quantized{results[0], results[1]} : Quantized();
}

/// With one scale a row.
inline Quantized quantize(const Expr &x, mlir::Type format, const std::string &scale, double floor,
                          std::optional<double> max = {},
                          Builder::Where where = Builder::Where::current()) {
  return quantize(x, format, QuantizeRule{.scale = scale, .floor = floor, .max = max}, where);
}

} // namespace braid::dsl
