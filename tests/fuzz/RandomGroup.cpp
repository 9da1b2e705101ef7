// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/RandomGroup.h"

#include "codegen/dialect/OpTable.h"

#include <algorithm>

namespace braid::fuzz {

namespace {

const std::vector<std::string> kNumbers = {"f32", "bf16", "f16"};
const std::vector<std::string> kInputs = {"f32",        "bf16", "f16",    "bf16",      "f8e4m3fn",
                                          "f8e4m3fnuz", "fp8",  "f8e5m2", "f8e5m2fnuz"};
const std::vector<std::string> kFormats = {"fp8", "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz"};
const std::vector<std::string> kRules = {"ue8m0", "f32_divide", "f32_reciprocal", "given(0.37)"};
const std::vector<std::string> kIndices = {"i32", "i64"};
const std::vector<std::string> kFloors = {"1e-10", "1e-4", "1e-30", "1.0", "6e-36", "1000"};
const std::vector<std::string> kMaxima = {"240", "224", "100.5", "7", "4"};

} // namespace

RandomGroup::RandomGroup(ProgramWriter &writer, std::vector<TextAxis> leadingAxes, TextAxis rowAxis)
    : w(writer), random(writer.random), leading(std::move(leadingAxes)), row(std::move(rowAxis)) {
  w.around = rowAxes();
  w.count("leading axes " + std::to_string(leading.size()));
  w.count("row " + std::to_string(row.extent));
}

std::vector<TextAxis> RandomGroup::rowAxes() const {
  std::vector<TextAxis> axes = leading;
  axes.push_back(row);
  return axes;
}

std::string RandomGroup::randomInput(bool full) {
  std::vector<TextAxis> axes;
  for (const TextAxis &axis : leading)
    if (full || random.oneIn(2))
      axes.push_back(axis);
  if (full || axes.empty() || !random.oneIn(3))
    axes.push_back(row);
  return w.input(full ? "x" : "b", random.of(kInputs), axes);
}

std::string RandomGroup::constant() {
  w.count("feature constant");
  static const std::vector<std::string> kConstants = {"2", "0.5",   "-3",      "1e-3",
                                                      "0", "1 / 3", "sqrt(2)", "1e30"};
  std::string text = random.of(kConstants);
  if (random.oneIn(4))
    text = "(1 / sqrt(" + row.name + "))";
  return text.find(' ') == std::string::npos || text[0] == '(' ? text : "(" + text + ")";
}

std::string RandomGroup::gathered(const TextAxis &width, const std::string &dtype) {
  if (positions.empty() || random.oneIn(3)) {
    std::vector<TextAxis> axes(leading.begin(),
                               leading.begin() + (leading.size() > 1 && random.oneIn(3) ? 2 : 1));
    positions.push_back(w.input("pos", random.of(kIndices), axes));
  }
  w.count("feature gathered table");
  return w.input("table", dtype, {{w.fresh("position"), 0}, width}) + "[" + random.of(positions) +
         "]";
}

// A row made of parts of others. Its last axis has no name, so no other may have that extent.
std::string RandomGroup::parts() {
  auto numbers = [](int begin, int end) {
    return "[" + std::to_string(begin) + ".." + std::to_string(end) + "]";
  };
  w.count("op slice");
  const int n = row.extent, cut = random.between(1, n - 1);
  if (random.oneIn(2)) {
    TextAxis longer = w.parameterAxis("dim", n + cut);
    std::vector<TextAxis> axes = leading;
    axes.push_back(longer);
    const int begin = random.between(0, cut);
    return w.input("x", random.of(kInputs), axes) + numbers(begin, begin + n);
  }
  const std::string whole = fullOperand(0);
  w.count("op concat");
  if (random.oneIn(2))
    return "concat(" + whole + numbers(cut, n) + ", " + whole + numbers(0, cut) + ")";
  w.count("op split");
  const std::string first = w.fresh("part"), second = w.fresh("part");
  w.statement(first + ", " + second + " = split(" + whole + ", " + std::to_string(cut) + ", " +
              std::to_string(n - cut) + ")");
  return "concat(" + second + ", " + first + ")";
}

std::string RandomGroup::fullOperand(int depth) {
  if (depth > 0 && random.oneIn(2))
    return rowExpression(depth - 1);
  if (rows.empty() || random.oneIn(5))
    rows.push_back(randomInput(true));
  return random.of(rows);
}

std::string RandomGroup::otherOperand(int depth) {
  switch (random.below(6)) {
  case 0:
    return constant();
  case 1:
    return gathered(row, random.of(kNumbers));
  case 2:
    return scalarExpression(depth > 0 ? depth - 1 : 0);
  case 3:
    w.count("feature broadcast");
    return randomInput(false);
  default:
    return fullOperand(depth);
  }
}

std::string RandomGroup::unary(const std::string &value) {
  if (random.oneIn(6)) {
    w.count("op neg");
    return "-(" + value + ")";
  }
  // All that there are: the operands of element-wise ops are called a, b and c.
  static const std::vector<std::string> kOps = [] {
    std::vector<std::string> names;
    for (const OpSpec &spec : OpTable::get().specs())
      if (spec.params.size() == 1 && spec.params[0].name == "a")
        names.push_back(spec.name);
    return names;
  }();
  const std::string &name = random.of(kOps);
  w.count("op " + name);
  return name + "(" + value + ")";
}

std::string RandomGroup::elementwise(const std::string &full, const std::string &other, int depth) {
  static const std::vector<std::pair<std::string, std::string>> kBinary = {
      {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"min", ""}, {"max", ""}};
  if (random.oneIn(6)) {
    w.count("op fma");
    std::vector<std::string> operands = {full, other, otherOperand(depth)};
    std::swap(operands[0], operands[static_cast<size_t>(random.below(3))]);
    return "fma(" + operands[0] + ", " + operands[1] + ", " + operands[2] + ")";
  }
  const auto &[name, sign] = random.of(kBinary);
  w.count("op " + name);
  bool swapped = random.oneIn(3);
  const std::string &a = swapped ? other : full, &b = swapped ? full : other;
  if (sign.empty() || random.oneIn(3))
    return name + "(" + a + ", " + b + ")";
  w.count("feature infix");
  return "(" + a + " " + sign + " " + b + ")";
}

std::string RandomGroup::rope(int depth) {
  int rotated = 2 * random.between(1, row.extent / 2);
  int begin = random.between(0, row.extent - rotated);
  if (random.oneIn(3)) {
    rotated = std::max(2, (random.oneIn(2) ? row.extent : row.extent / 2) & ~1);
    begin = 0;
  } else if (random.oneIn(12)) {
    rotated = 0;
  }
  bool powerOfTwo = (rotated & (rotated - 1)) == 0;
  w.count(rotated == 0               ? "rope of nothing"
          : rotated == row.extent    ? "rope of the row"
          : powerOfTwo && begin == 0 ? "rope of a first part"
                                     : "rope of an odd range");
  std::string style = random.oneIn(2) ? "neox" : "gptj", spelled = style;
  w.count("style " + style);
  if (random.oneIn(4)) {
    spelled = w.fresh("style");
    w.parameter(spelled + ": rope_style = " + style);
  }
  w.count("op rope");
  static const std::vector<std::string> kForms = {"joined", "split", "pairs"};
  const std::string &form = random.of(kForms);
  w.count("table " + form);
  bool split = form == "split";
  int width = split ? rotated / 2 : rotated;
  const TextAxis axis = {std::to_string(width), width};
  const std::string &dtype = random.of(kNumbers);
  std::string text = "rope(" + fullOperand(depth) + ", " + gathered(axis, dtype) + ", " + spelled +
                     ", dims = " + std::to_string(begin) + ".." + std::to_string(begin + rotated) +
                     ", table = " + form;
  return text + (split ? ", sines = " + gathered(axis, dtype) : "") + ")";
}

std::string RandomGroup::layerNorm(int depth) {
  w.count("op layer_norm");
  static const std::vector<std::string> kEps = {"1e-6", "1e-5", "0", "0.5"};
  std::string gamma = w.input("gamma", random.of(kNumbers), {row});
  std::string beta = w.input("beta", random.of(kNumbers), {row});
  return "layer_norm(" + fullOperand(depth) + ", " + gamma + ", " + beta + ", " + random.of(kEps) +
         ")";
}

std::string RandomGroup::rmsNorm(int depth) {
  w.count("op rms_norm");
  static const std::vector<std::string> kEps = {"1e-6", "1e-5", "0", "0.5"};
  std::string gamma = w.input("gamma", random.of(kNumbers), {row}), full = fullOperand(depth);
  return "rms_norm(" + full + ", " + gamma + ", " + random.of(kEps) +
         ", weight = " + (random.oneIn(2) ? "plain" : "one_plus") + ")";
}

std::string RandomGroup::hadamard(int depth) {
  w.count("op hadamard");
  return "hadamard(" + fullOperand(depth) + ", " + constant() + ")";
}

// One number for each row.
std::string RandomGroup::reduction() {
  static const std::vector<std::string> kOps = {"sum", "amax", "rms_rstd"};
  const std::string &name = random.of(kOps);
  w.count("op " + name);
  return name + "(" + fullOperand(0) + (name == "rms_rstd" ? ", 1e-6)" : ")");
}

std::string RandomGroup::rowExpression(int depth) {
  if (depth > 1)
    w.count("feature nested");
  const bool alone = std::ranges::count(leading, row.extent, &TextAxis::extent) == 0;
  switch (random.below(11)) {
  case 8:
    return rmsNorm(depth);
  case 9:
    return (row.extent & (row.extent - 1)) == 0 ? hadamard(depth) : rmsNorm(depth);
  case 10:
    return alone && row.extent > 1 ? parts() : layerNorm(depth);
  case 0:
    return rope(depth);
  case 1:
    return layerNorm(depth);
  case 2:
    w.count("op round");
    return "round(" + fullOperand(depth) + ", " + random.of(kNumbers) + ")";
  case 3:
    return unary(fullOperand(depth));
  default:
    return elementwise(fullOperand(depth), otherOperand(depth), depth);
  }
}

std::string RandomGroup::scalarExpression(int depth) {
  if (scalars.empty() || random.oneIn(4))
    scalars.push_back(w.input("s", random.of(kInputs), leading));
  std::string leaf = random.oneIn(4) ? reduction() : random.of(scalars);
  if (depth <= 0)
    return leaf;
  w.count("feature scalar arithmetic");
  switch (random.below(4)) {
  case 0:
    return unary(scalarExpression(depth - 1));
  case 1:
    w.count("op round");
    return "round(" + scalarExpression(depth - 1) + ", " + random.of(kNumbers) + ")";
  default: {
    std::string other = random.oneIn(3) ? constant() : scalarExpression(depth - 1);
    static const std::vector<std::string> kSigns = {"+", "-", "*", "/"};
    static const std::vector<std::string> kOps = {"op add", "op sub", "op mul", "op div"};
    int at = random.below(4);
    w.count(kOps[static_cast<size_t>(at)]);
    return "(" + scalarExpression(depth - 1) + " " + kSigns[static_cast<size_t>(at)] + " " + other +
           ")";
  }
  }
}

void RandomGroup::assignRow() {
  std::string expression = rowExpression(2), name = w.fresh("v");
  w.statement(name + " = " + expression);
  rows.push_back(name);
}

void RandomGroup::assignScalar() {
  std::string expression = scalarExpression(2), name = w.fresh("v");
  w.statement(name + " = round(" + expression + ", f32)");
  scalars.push_back(name);
}

void RandomGroup::storeRow() {
  const std::string &dtype = random.of(kNumbers);
  std::string expression = rowExpression(1);
  w.count("op round");
  if (random.oneIn(4)) {
    w.count("feature inout");
    std::string both = w.inout("io", dtype, rowAxes());
    return w.statement(both + " = round(" + expression + " + " + both + ", " + dtype + ")");
  }
  std::string name = w.output("y", dtype, rowAxes());
  w.statement(name + " = round(" + expression + ", " + dtype + ")");
  rows.push_back(name);
}

void RandomGroup::storeScalar() {
  const std::string &dtype = random.of(kNumbers);
  std::string expression = scalarExpression(2), name = w.output("z", dtype, leading);
  w.count("op round");
  w.count("feature scalar output");
  w.statement(name + " = round(" + expression + ", " + dtype + ")");
  scalars.push_back(name);
}

std::pair<std::string, std::string> RandomGroup::quantize(const std::string &format,
                                                          const std::string &codes,
                                                          const std::string &scales,
                                                          bool powersOfTwo) {
  w.count("op quantize");
  w.count("quantize " + format);
  const std::string rule = powersOfTwo ? kRules.front() : random.of(kRules);
  w.count("quantize rule " + rule);
  std::string call = "quantize(" + fullOperand(2) + ", " + format + ", scale = " + rule;
  if (rule != kRules.back()) {
    const std::string &floor = random.of(kFloors);
    // 57344 needs a larger one than the other formats.
    call += ", floor = " + (format.starts_with("f8e5m2") && floor == "6e-36" ? "7e-34" : floor);
  }
  if (random.oneIn(3)) {
    w.count("quantize value = divide");
    call += ", value = divide";
  }
  if (random.oneIn(3)) {
    w.count("quantize max");
    call += ", max = " + random.of(kMaxima);
  }
  w.statement(codes + ", " + scales + " = " + call + ")");
  return {codes, scales};
}

// Scales of groups within each row.
void RandomGroup::groups(const std::string &format, const std::string &codes) {
  w.count("op quantize");
  int group = 32 << random.below(3);
  while (row.extent % group)
    group /= 2;
  w.count("quantize group " + std::to_string(group));
  const int count = row.extent / group;
  std::vector<TextAxis> axes = leading;
  axes.push_back({std::to_string(count), count});
  const std::string scales = w.output("scale", random.oneIn(2) ? "e8m0" : "f32", axes);
  w.statement(codes + ", " + scales + " = quantize(" + fullOperand(1) + ", " + format +
              ", scale = ue8m0, floor = 1e-4, group = " + std::to_string(group) + ")");
}

void RandomGroup::storeCodes() {
  const std::string &format = random.of(kFormats);
  std::string codes = w.output("q", format, rowAxes());
  switch (random.below(4)) {
  case 0: // the scales are a value only
    scalars.push_back(quantize(format, codes, w.fresh("scale"), false).second);
    break;
  case 1:
    quantize(format, codes, w.output("scale", "e8m0", leading));
    break;
  case 2:
    if (row.extent % 32 == 0) {
      groups(format, codes);
      break;
    }
    [[fallthrough]];
  default:
    scalars.push_back(quantize(format, codes, w.output("scale", "f32", leading), false).second);
  }
}

std::string RandomGroup::rowEntry(const std::string &dtype, std::string &scales) {
  std::string value = w.fresh("entry");
  if (std::ranges::count(kNumbers, dtype) > 0)
    w.statement(value + " = round(" + rowExpression(1) + ", " + dtype + ")");
  else
    scales = quantize(dtype, value, w.fresh("scale")).second;
  return value;
}

std::string RandomGroup::scalarEntry(const std::string &dtype, const std::string &scales) {
  if (dtype == "e8m0") // only scales are
    return scales.empty() ? quantize("fp8", w.fresh("codes"), w.fresh("scale")).second : scales;
  std::string value = w.fresh("entry");
  w.statement(value + " = round(" + (scales.empty() ? scalarExpression(1) : scales) + ", " + dtype +
              ")");
  return value;
}

// Rows of a field: this group's, or those of a group with the field's own axes.
std::string RandomGroup::fieldRows(const RandomField &field, std::string &scales) {
  if (field.extents.size() == 1 && field.extents[0] == row.extent)
    return rowEntry(field.dtype, scales);
  std::vector<TextAxis> axes = leading;
  for (size_t i = 0; i + 1 < field.extents.size(); ++i)
    axes.push_back(w.parameterAxis("heads", static_cast<int>(field.extents[i])));
  RandomGroup part(w, axes, w.parameterAxis("dim", static_cast<int>(field.extents.back())));
  entryAxes.insert(entryAxes.end(), axes.begin(), axes.end());
  std::string ownScales, value = part.rowEntry(field.dtype, ownScales);
  w.around = rowAxes();
  return value;
}

void RandomGroup::storeCache() {
  std::optional<RandomLayout> layout = randomLayout(random, row.extent);
  if (!layout)
    return;
  w.count("layout " + layout->name);
  std::string entry, scales;
  entryAxes.clear();
  for (const RandomField &field : layout->fields) {
    w.count("field " + field.dtype);
    std::string value =
        field.extents.empty() ? scalarEntry(field.dtype, scales) : fieldRows(field, scales);
    entry += (entry.empty() ? "" : ", ") + field.name + ": " + value;
  }
  // The slot's axes are met by those of all fields.
  std::vector<TextAxis> met = rowAxes();
  for (const TextAxis &axis : entryAxes)
    if (std::ranges::count(met, axis.name, &TextAxis::name) == 0)
      met.push_back(axis);
  w.around = met;
  std::string cache = w.fresh("cache"), slot = w.input("slot", random.of(kIndices), leading);
  w.around = rowAxes();
  w.cache(cache, layout->text);
  w.statement(cache + "[" + slot + "] = " + entry);
  w.count("feature cache");
}

void RandomGroup::write() {
  for (int statements = random.below(3); statements > 0; --statements)
    random.oneIn(3) ? assignScalar() : assignRow();
  for (int stores = random.between(1, 2); stores > 0; --stores)
    switch (random.below(6)) {
    case 0:
      storeScalar();
      break;
    case 1:
    case 2:
      storeCodes();
      break;
    case 3:
    case 4:
      storeCache();
      break;
    default:
      storeRow();
    }
  if (random.oneIn(2))
    storeRow();
}

} // namespace braid::fuzz
