// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/LayoutDefinition.h"

#include "codegen/layouts/EmbeddedLayouts.h"

#include <memory>

namespace braid::dsl {

const std::vector<LayoutDefinition> &libraryLayouts() {
  static const std::vector<LayoutDefinition> library = [] {
    std::vector<LayoutDefinition> layouts;
    // The ranges of the definitions point into these texts, which live as long as the process.
    static std::vector<std::unique_ptr<const Source>> sources;
    for (const EmbeddedTemplate &file : embeddedLayouts()) {
      sources.push_back(
          std::make_unique<const Source>(std::string(file.name), std::string(file.text)));
      DiagnosticList diagnostics;
      Cursor cursor(lex(*sources.back(), diagnostics), diagnostics);
      // A text that goes wrong gives fewer layouts: the tests of the library name each of them.
      while (cursor.atWord("layout"))
        layouts.push_back(parseLayoutDefinition(cursor));
    }
    return layouts;
  }();
  return library;
}

} // namespace braid::dsl
