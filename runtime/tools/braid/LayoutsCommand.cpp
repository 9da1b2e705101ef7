// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `braid layouts`: the definitions of the library and of a program; with arguments the descriptor
// of a layout and a picture of its page.

#include "codegen/emit/Signature.h"
#include "codegen/passes/TargetAttribute.h"
#include "codegen/targets/Targets.h"
#include "runtime/Env.h"
#include "runtime/tools/braid/PagePicture.h"
#include "runtime/tools/braid/ProgramInput.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

#include <cstdio>

using namespace mlir;

namespace braid::tool {

namespace {

struct LayoutsOptions {
  std::vector<std::string> words, sets;
  std::string target;
  bool json = false;
};

struct NamedCall {
  std::string place, text; // what a message calls it, and the layout with its arguments
};

class LayoutsCommand {
public:
  explicit LayoutsCommand(const LayoutsOptions &options)
      : options(options), context(MLIRContext::Threading::DISABLED) {
    loadBraidDialects(context);
  }

  int run() {
    for (const std::string &word : options.words)
      if (Status status = takeWord(word); !status.ok())
        return fail(status, options.json);
    for (const std::string &set : options.sets) {
      const size_t equal = set.find('=');
      if (equal == std::string::npos || set.find('(') < equal)
        return fail(makeError(Error::RequestIncomplete, "--set " + set + " is no setting",
                              "a setting has the form name=layout(...)",
                              "write for example --set 'page=linear(page_size=64, dim=128)'"),
                    options.json);
      calls.push_back({"--set " + set.substr(0, equal), set.substr(equal + 1)});
    }
    return calls.empty() ? list() : describeAll();
  }

private:
  Status takeWord(const std::string &word) {
    if (word.find('(') != std::string::npos) {
      calls.push_back({"layout", word});
      return {};
    }
    auto file = llvm::MemoryBuffer::getFile(word, /*IsText=*/true);
    if (!file)
      return makeError(Error::FileUnreadable,
                       fmt::format("{}: {}", word, file.getError().message()),
                       "a program is read from this file",
                       "check the path, or write a layout with its arguments");
    if (!program.fileName.empty())
      return makeError(Error::RequestIncomplete, "two programs are given",
                       "layouts of one program are shown", "leave one out");
    program = {(*file)->getBuffer().str(), word};
    return {};
  }

  int report(const std::vector<dsl::Diagnostic> &diagnostics) const {
    if (options.json)
      fmt::print("{}\n", dsl::renderJson(diagnostics));
    else
      for (const dsl::Diagnostic &diagnostic : diagnostics)
        fmt::print(stderr, "{}", dsl::renderText(diagnostic));
    return static_cast<int>(StatusCode::RequestWrong);
  }

  int list() {
    std::vector<dsl::Diagnostic> diagnostics;
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    const std::vector<dsl::LayoutListing> layouts = dsl::listLayouts(program, diagnostics);
    if (!diagnostics.empty())
      return report(diagnostics);
    for (const dsl::LayoutListing &layout : layouts) {
      entries.push_back({{"layout", layout.name},
                         {"summary", layout.summary},
                         {"parameters", layout.parameters},
                         {"source", layout.ofProgram ? "program" : "library"}});
      if (!options.json)
        fmt::print("{}({})\n{}", layout.name, layout.parameters,
                   layout.summary.empty() ? "" : "    " + layout.summary + "\n");
    }
    if (options.json)
      print(entries);
    return 0;
  }

  int describeAll() {
    const std::string id =
        options.target.empty() ? envValue(Env::Target).value_or("gfx950") : options.target;
    const Target *target = nullptr;
    if (Status status = findTarget(id, target); !status.ok())
      return fail(status, options.json);
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    for (const NamedCall &call : calls) {
      std::vector<dsl::Diagnostic> diagnostics;
      LayoutAttr layout =
          dsl::parseLayoutText(context, program, call.place, call.text, diagnostics);
      if (!layout)
        return report(diagnostics);
      describe(layout, *target, entries);
    }
    if (options.json)
      print(entries);
    return 0;
  }

  void describe(LayoutAttr layout, const Target &target, nlohmann::ordered_json &entries) {
    AttrTypeReplacer replacer;
    Type fp8 = mlirType(&context, target.fp8);
    replacer.addReplacement([&](Fp8Type) { return fp8; });
    layout = cast<LayoutAttr>(replacer.replace(layout));
    const LayoutMeta meta = layoutMeta(layout);
    const std::string letters = fieldLetters(layout);
    if (options.json) {
      nlohmann::ordered_json entry = nlohmann::ordered_json::parse(toJson(meta));
      entry["target"] = target.name;
      for (size_t i = 0; i < layout.getBuffers(); ++i)
        entry["pictures"].push_back(pagePicture(layout, i));
      for (size_t i = 0; i < letters.size(); ++i)
        entry["fields"][i]["letter"] = std::string(1, letters[i]);
      entries.push_back(std::move(entry));
      return;
    }
    fmt::print("{}: {} tokens a page, {} bytes{}, aligned to {}, fp8 is {} on {}\n", meta.name,
               meta.pageSize, fmt::join(meta.pageBytes, " and "),
               layout.getBuffers() > 1 ? " in buffers of their own" : "",
               fmt::join(meta.align, " and "), dtypeName(target.fp8), target.name);
    for (size_t i = 0; i < meta.fields.size(); ++i) {
      const LayoutFieldMeta &field = meta.fields[i];
      fmt::print("  {} {} : {} [{}]{} at {}{}\n", letters[i], field.name, dtypeName(field.dtype),
                 fmt::join(field.extents, ", "),
                 layout.getBuffers() > 1 ? fmt::format(" in buffer {}", field.buffer) : "",
                 dtypeBits(field.dtype) < 8 ? "bits " : "", field.map);
    }
    fmt::print("  hash {}\n", meta.hash);
    for (size_t i = 0; i < layout.getBuffers(); ++i) {
      const int64_t scale = pictureScale(layout, i);
      fmt::print("  {}, a letter for {} byte{}:\n",
                 layout.getBuffers() > 1 ? fmt::format("buffer {}", i) : "one page", scale,
                 scale == 1 ? "" : "s");
      for (const std::string &line : pagePicture(layout, i))
        fmt::print("{}\n", line);
    }
  }

  const LayoutsOptions &options;
  MLIRContext context;
  dsl::LayoutRequest program;
  std::vector<NamedCall> calls;
};

} // namespace

void addLayoutsCommand(CLI::App &app, int &exitCode) {
  auto options = std::make_shared<LayoutsOptions>();
  CLI::App *command =
      app.add_subcommand("layouts", "List page layouts; with arguments, show a page");
  command->add_option("program", options->words,
                      "A .braid program, for its own layouts; a layout with its arguments");
  command->add_option("--set", options->sets, "A layout with its arguments, name=layout(...)")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--target", options->target,
                      "What fp8 is (BRAID_TARGET; gfx950 where none is named)");
  command->add_flag("--json", options->json, "Print one JSON value instead of text");
  command->callback([options, &exitCode] { exitCode = LayoutsCommand(*options).run(); });
}

} // namespace braid::tool
