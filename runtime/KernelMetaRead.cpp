// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON to KernelMeta. Built without exceptions: reading goes through a cursor that keeps the first
// error and answers with defaults after it, so each reader below is a straight list of keys.

#include "runtime/KernelMeta.h"

#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace braid {
namespace {

using Json = nlohmann::ordered_json;

/// A place in the document and the path to it. Copies share the first error.
class Cursor {
public:
  Cursor(const Json *json, std::string path, Status &status)
      : json(json), path(std::move(path)), status(status) {}

  Cursor at(const char *key) const {
    const std::string full = path.empty() ? key : path + "." + key;
    const Json *child = nullptr;
    if (json && json->is_object()) {
      if (auto found = json->find(key); found != json->end())
        child = &*found;
      else
        fail(full, "is missing");
    } else {
      fail(path.empty() ? "the document" : path, "is no object");
    }
    return {child, full, status};
  }

  bool has(const char *key) const { return json && json->is_object() && json->contains(key); }
  bool isNull() const { return json && json->is_null(); }

  std::string string() const {
    if (json && json->is_string())
      return json->get<std::string>();
    fail(path, "is no string");
    return {};
  }
  bool boolean() const {
    if (json && json->is_boolean())
      return json->get<bool>();
    fail(path, "is no boolean");
    return false;
  }
  template <typename T>
  T number() const {
    if (json && json->is_number_unsigned() &&
        json->get<uint64_t>() <= std::numeric_limits<T>::max())
      return static_cast<T>(json->get<uint64_t>());
    fail(path, "is no whole number of the expected range");
    return 0;
  }
  DType dtype() const {
    if (auto type = parseDType(string()))
      return *type;
    fail(path, "is no element type; known: " + dtypeNames());
    return DType::F32;
  }
  template <typename Enum>
  Enum kind(std::string_view (*name)(Enum), Enum last) const {
    const std::string text = string();
    for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i)
      if (name(static_cast<Enum>(i)) == text)
        return static_cast<Enum>(i);
    fail(path, "is of an unknown kind");
    return last;
  }
  /// Calls `read` for each element and appends what it gives.
  template <typename T, typename Read>
  void list(std::vector<T> &items, Read read) const {
    items.clear();
    if (!json || !json->is_array())
      return fail(path, "is no array");
    for (size_t i = 0; i < json->size(); ++i)
      items.push_back(read(Cursor(&(*json)[i], fmt::format("{}[{}]", path, i), status)));
  }
  /// A number, or a list of them.
  template <typename T>
  void perBuffer(std::vector<T> &items) const {
    if (json && json->is_array())
      list(items, [](const Cursor &item) { return item.number<T>(); });
    else
      items.assign(1, number<T>());
  }
  void texts(std::map<std::string, std::string> &items) const {
    items.clear();
    if (!json || !json->is_object())
      return fail(path, "is no object");
    for (auto it = json->begin(); it != json->end(); ++it)
      items[it.key()] = Cursor(&it.value(), path + "." + it.key(), status).string();
  }

private:
  void fail(const std::string &where, const std::string &why) const {
    if (status.ok())
      status =
          makeError(Error::MetadataMalformed, fmt::format("kernel metadata: `{}` {}", where, why),
                    fmt::format("metadata of version {} has it", kKernelMetaVersion),
                    "generate the kernel again, or repair the file");
  }

  const Json *json; // null after an error
  std::string path;
  Status &status;
};

AxisMeta readAxis(const Cursor &in) {
  AxisMeta axis;
  axis.name = in.at("name").string();
  if (const Cursor extent = in.at("extent"); !extent.isNull())
    axis.extent = extent.number<uint64_t>();
  return axis;
}

OperandMeta readOperand(const Cursor &in) {
  OperandMeta operand;
  operand.name = in.at("name").string();
  operand.kind = in.at("kind").kind(operandKindName, OperandKind::Cache);
  if (operand.kind == OperandKind::Cache) {
    operand.layout = in.at("layout").number<unsigned>();
    operand.cache = in.has("cache") ? in.at("cache").string() : operand.name;
    operand.buffer = in.has("buffer") ? in.at("buffer").number<unsigned>() : 0;
    operand.pagesOnly = in.has("pages_only") && in.at("pages_only").boolean();
    return operand;
  }
  operand.dtype = in.at("dtype").dtype();
  in.at("axes").list(operand.axes, readAxis);
  operand.row = in.at("row").boolean();
  operand.tableAxis = in.has("table_axis") && in.at("table_axis").boolean();
  operand.align = in.has("align") ? in.at("align").number<unsigned>() : 1;
  operand.workspace = in.has("workspace") && in.at("workspace").boolean();
  return operand;
}

ArgumentMeta readArgument(const Cursor &in) {
  ArgumentMeta argument;
  argument.name = in.at("name").string();
  argument.kind = in.at("kind").kind(argumentKindName, ArgumentKind::Faults);
  if (argument.kind == ArgumentKind::Count) {
    argument.axisName = in.at("axis_name").string();
    return argument;
  }
  if (argument.kind == ArgumentKind::Faults)
    return argument;
  argument.operand = in.at("operand").string();
  if (argument.kind == ArgumentKind::Stride || argument.kind == ArgumentKind::Extent)
    argument.axis = in.at("axis").number<unsigned>();
  return argument;
}

SectionMeta readSection(const Cursor &in) {
  return {in.at("axis").string(), in.at("rows_per_workgroup").number<unsigned>(),
          in.at("workgroups_per_step").number<unsigned>()};
}

ConstantMeta readConstant(const Cursor &in) {
  return {in.at("name").string(), in.at("type").string(), in.at("value").string()};
}

LayoutFieldMeta readField(const Cursor &in) {
  LayoutFieldMeta field;
  field.name = in.at("name").string();
  field.dtype = in.at("dtype").dtype();
  in.at("extents").list(field.extents,
                        [](const Cursor &extent) { return extent.number<uint64_t>(); });
  field.buffer = in.at("buffer").number<unsigned>();
  field.map = in.at("map").string();
  return field;
}

LayoutMeta readLayout(const Cursor &in) {
  LayoutMeta layout;
  layout.name = in.at("name").string();
  layout.pageSize = in.at("page_size").number<uint64_t>();
  in.at("page_bytes").perBuffer(layout.pageBytes);
  in.at("align").perBuffer(layout.align);
  in.at("fields").list(layout.fields, readField);
  layout.hash = in.at("hash").string();
  return layout;
}

CheckMeta readCheck(const Cursor &in) {
  return {in.at("index").string(), in.at("chosen_from").string()};
}

LineMeta readLine(const Cursor &in) {
  return {in.at("line").number<unsigned>(), in.at("program").string()};
}

void readKernel(const Cursor &in, KernelMeta &meta) {
  meta.kernel = in.at("kernel").string();
  meta.symbol = in.at("symbol").string();
  meta.target = in.at("target").string();
  meta.waveSize = in.at("wave_size").number<unsigned>();
  in.at("parameters").texts(meta.parameters);
  in.at("axes").list(meta.axes, [](const Cursor &axis) { return axis.string(); });
  in.at("operands").list(meta.operands, readOperand);
  in.at("arguments").list(meta.arguments, readArgument);
  meta.workgroup = in.at("launch").at("workgroup").number<unsigned>();
  in.at("launch").at("sections").list(meta.sections, readSection);
  in.at("constants").list(meta.constants, readConstant);
  in.at("layouts").list(meta.layouts, readLayout);
  meta.checked = in.has("checked") && in.at("checked").boolean();
  if (meta.checked)
    in.at("checks").list(meta.checks, readCheck);
  in.at("line_map").list(meta.lineMap, readLine);
}

} // namespace

Status fromJson(std::string_view text, KernelMeta &meta) {
  meta = {};
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return makeError(Error::MetadataMalformed, "kernel metadata is no JSON",
                     "the text does not parse",
                     "check that the file is complete, or generate the kernel again");
  Status status;
  const Cursor root(&json, "", status);
  const auto version = root.at("version").number<unsigned>();
  if (status.ok() && version != kKernelMetaVersion)
    return makeError(Error::MetadataVersion, fmt::format("kernel metadata has version {}", version),
                     fmt::format("this braid reads version {}", kKernelMetaVersion),
                     "generate the kernel again with this braid, or use the braid that wrote it");
  if (status.ok())
    readKernel(root, meta);
  return status.ok() ? validate(meta) : status;
}

} // namespace braid
