// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/ProgramWriter.h"

#include <algorithm>

namespace braid::fuzz {

TextAxis ProgramWriter::parameterAxis(const std::string &stem, int extent) {
  std::string name = fresh(stem);
  parameter(name + ": int = " + std::to_string(extent));
  return {name, extent};
}

TextAxis ProgramWriter::runTimeAxis() {
  std::string name = fresh("t");
  declarations.push_back("axis " + name);
  return {name, 0};
}

std::string ProgramWriter::declaration(const std::string &kind, const std::string &name,
                                       const std::string &dtype,
                                       const std::vector<TextAxis> &axes) {
  std::string list;
  for (size_t i = 0; i < axes.size(); ++i) {
    // A number in place of a name matches by extent, which must be the only one of its kind.
    bool unique =
        axes[i].extent && std::ranges::count(around, axes[i].extent, &TextAxis::extent) == 1;
    bool number = kind == "input" && i + 1 == axes.size() && unique && random.oneIn(8);
    if (number)
      count("axis unnamed");
    list += (i ? ", " : "") + (number ? std::to_string(axes[i].extent) : axes[i].name);
  }
  std::string spelled = dtype;
  if (random.oneIn(6)) {
    spelled = fresh("type");
    parameter(spelled + ": dtype = " + dtype);
    count("parameter dtype");
  }
  count(kind + " " + dtype);
  declarations.push_back(kind + " " + name + " : " + spelled + "[" + list + "]");
  return name;
}

std::string ProgramWriter::input(const std::string &stem, const std::string &dtype,
                                 const std::vector<TextAxis> &axes) {
  return declaration("input", fresh(stem), dtype, axes);
}

std::string ProgramWriter::output(const std::string &stem, const std::string &dtype,
                                  const std::vector<TextAxis> &axes) {
  stored.push_back(fresh(stem));
  return declaration("output", stored.back(), dtype, axes);
}

std::string ProgramWriter::inout(const std::string &stem, const std::string &dtype,
                                 const std::vector<TextAxis> &axes) {
  stored.push_back(fresh(stem));
  return declaration("inout", stored.back(), dtype, axes);
}

void ProgramWriter::cache(const std::string &name, const std::string &layout) {
  std::string spelled = layout;
  if (random.oneIn(3)) {
    spelled = fresh("page");
    parameter(spelled + ": layout = " + layout);
    count("parameter layout");
  }
  declarations.push_back("cache " + name + " : " + spelled);
  stored.push_back(name);
}

RandomProgram ProgramWriter::finish() {
  RandomProgram program;
  program.text = "kernel random(";
  for (const std::string &parameter : parameters)
    program.text += (&parameter == &parameters.front() ? "" : ", ") + parameter;
  program.text += ") {\n";
  for (const auto &list : {declarations, statements})
    for (const std::string &line : list)
      program.text += "  " + line + "\n";
  program.text += "}\n";
  if (stored.size() > 1 && random.oneIn(4)) {
    for (const std::string &name : stored)
      if (random.oneIn(2))
        program.outputs.push_back(name);
    if (!program.outputs.empty())
      count("feature some outputs");
  }
  if (stored.size() > 1)
    count("feature several stores");
  program.features = std::move(features);
  return program;
}

} // namespace braid::fuzz
