// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KernelMeta to JSON. Built without exceptions, like the whole library.

#include "runtime/KernelMeta.h"

#include <nlohmann/json.hpp>

namespace braid {
namespace {

using Json = nlohmann::ordered_json;

Json write(const AxisMeta &axis) {
  return {{"name", axis.name}, {"extent", axis.extent ? Json(*axis.extent) : Json(nullptr)}};
}

Json write(const OperandMeta &operand) {
  Json json = {{"name", operand.name}, {"kind", operandKindName(operand.kind)}};
  if (operand.kind == OperandKind::Cache) {
    json["layout"] = operand.layout;
    if (operand.name != operand.cache) {
      json["cache"] = operand.cache;
      json["buffer"] = operand.buffer;
    }
    if (operand.pagesOnly)
      json["pages_only"] = true;
    return json;
  }
  json["dtype"] = dtypeName(operand.dtype);
  json["axes"] = Json::array();
  for (const AxisMeta &axis : operand.axes)
    json["axes"].push_back(write(axis));
  json["row"] = operand.row;
  json["table_axis"] = operand.tableAxis;
  json["align"] = operand.align;
  if (operand.workspace)
    json["workspace"] = true;
  return json;
}

Json write(const ArgumentMeta &argument) {
  Json json = {{"name", argument.name}, {"kind", argumentKindName(argument.kind)}};
  if (argument.kind == ArgumentKind::Count) {
    json["axis_name"] = argument.axisName;
    return json;
  }
  if (argument.kind == ArgumentKind::Faults)
    return json;
  json["operand"] = argument.operand;
  if (argument.kind == ArgumentKind::Stride || argument.kind == ArgumentKind::Extent)
    json["axis"] = argument.axis;
  return json;
}

Json write(const SectionMeta &section) {
  return {{"axis", section.axis},
          {"rows_per_workgroup", section.rowsPerWorkgroup},
          {"workgroups_per_step", section.workgroupsPerStep}};
}

Json write(const ConstantMeta &constant) {
  return {{"name", constant.name}, {"type", constant.type}, {"value", constant.value}};
}

Json write(const LayoutFieldMeta &field) {
  return {{"name", field.name},
          {"dtype", dtypeName(field.dtype)},
          {"extents", field.extents},
          {"buffer", field.buffer},
          {"map", field.map}};
}

Json write(const CheckMeta &check) {
  return {{"index", check.index}, {"chosen_from", check.chosenFrom}};
}

Json write(const LineMeta &line) { return {{"line", line.line}, {"program", line.program}}; }

Json write(const LayoutMeta &layout);

template <typename T>
Json writeAll(const std::vector<T> &items) {
  Json json = Json::array();
  for (const T &item : items)
    json.push_back(write(item));
  return json;
}

// One number where there is one buffer.
template <typename T>
Json writePerBuffer(const std::vector<T> &items) {
  return items.size() == 1 ? Json(items.front()) : Json(items);
}

Json write(const LayoutMeta &layout) {
  return {{"name", layout.name},
          {"page_size", layout.pageSize},
          {"page_bytes", writePerBuffer(layout.pageBytes)},
          {"align", writePerBuffer(layout.align)},
          {"fields", writeAll(layout.fields)},
          {"hash", layout.hash}};
}

} // namespace

std::string toJson(const LayoutMeta &layout) {
  return write(layout).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string toJson(const KernelMeta &meta) {
  Json parameters = Json::object();
  for (const auto &[name, value] : meta.parameters)
    parameters[name] = value;
  Json json = {
      {"version", kKernelMetaVersion},
      {"kernel", meta.kernel},
      {"symbol", meta.symbol},
      {"target", meta.target},
      {"wave_size", meta.waveSize},
      {"parameters", std::move(parameters)},
      {"axes", meta.axes},
      {"operands", writeAll(meta.operands)},
      {"arguments", writeAll(meta.arguments)},
      {"launch", {{"workgroup", meta.workgroup}, {"sections", writeAll(meta.sections)}}},
      {"constants", writeAll(meta.constants)},
      {"layouts", writeAll(meta.layouts)},
  };
  if (meta.checked) { // fast builds have the metadata that they always had
    json["checked"] = true;
    json["checks"] = writeAll(meta.checks);
  }
  json["line_map"] = writeAll(meta.lineMap);
  // "replace": a name that is no UTF-8 must not end the process.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace braid
