// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of a program of several kernels as JSON. Built without exceptions, like the whole
// library.

#include "runtime/ProgramMeta.h"

#include <nlohmann/json.hpp>

namespace braid {

using Json = nlohmann::ordered_json;

static Json write(const WorkspaceMeta &workspace) {
  Json axes = Json::array();
  for (const AxisMeta &axis : workspace.axes)
    axes.push_back(
        {{"name", axis.name}, {"extent", axis.extent ? Json(*axis.extent) : Json(nullptr)}});
  return {
      {"name", workspace.name}, {"dtype", dtypeName(workspace.dtype)}, {"axes", std::move(axes)}};
}

std::string toJson(const ProgramMeta &meta, const std::vector<std::string> &files) {
  Json workspaces = Json::array();
  for (const WorkspaceMeta &workspace : meta.workspaces)
    workspaces.push_back(write(workspace));
  Json json = {
      {"version", kProgramMetaVersion},
      {"program", meta.kernel},
      {"target", meta.signature.target},
      {"grouping", meta.grouping},
      {"kernels", files},
      {"operands", meta.operands},
      {"workspaces", std::move(workspaces)},
  };
  if (meta.signature.checked) {
    json["checked"] = true;
    json["checks"] = Json::array();
    for (const CheckMeta &check : meta.checks)
      json["checks"].push_back({{"index", check.index}, {"chosen_from", check.chosenFrom}});
  }
  // "replace": a name that is no UTF-8 must not end the process.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace braid
