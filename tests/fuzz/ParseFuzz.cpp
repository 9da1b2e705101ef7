// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer's entry: tests/fuzz/run.sh builds and runs it.

#include "tests/fuzz/ParseOne.h"

#include "codegen/Compiler.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace braid;

// LLVM itself is not instrumented: what it keeps is no leak, and containers that it fills seem to
// overflow.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A context keeps every type and attribute that it has seen.
  constexpr unsigned kInputsOfAContext = 2000;
  static unsigned inputs = 0;
  static std::unique_ptr<mlir::MLIRContext> context;
  if (inputs++ % kInputsOfAContext == 0) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    loadBraidDialects(*context);
  }
  std::string broken =
      fuzz::parseOne(*context, std::string(reinterpret_cast<const char *>(data), size));
  if (!broken.empty()) {
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort(); // how libFuzzer learns of it
  }
  return 0;
}
