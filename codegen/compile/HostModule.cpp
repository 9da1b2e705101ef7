// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host form of a text, in a file of its own: the emulator links this one and not the linker.

#include "codegen/compile/ClangAction.h"
#include "codegen/compile/ClangInProcess.h"

#include "clang/CodeGen/CodeGenAction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Host.h"

namespace braid {
namespace {

// What device code may not do either. Conversions out of range are left out: the headers clamp after
// them, as the device's own conversion does.
constexpr const char *kUndefined = "alignment,array-bounds,bool,enum,integer-divide-by-zero,null,"
                                   "pointer-overflow,shift-base,shift-exponent,signed-integer-overflow,unreachable";

// LLVM's passes are the caller's business: the emulator runs few of them.
std::vector<std::string> hostArguments(const CompileOptions &options) {
  std::vector<std::string> arguments = withSharedArguments(
      {"-triple", std::string(hostTriple()), "-target-cpu", "x86-64", "-ffreestanding",
       "-mrelocation-model", "pic", "-pic-level", "2", "-femulated-tls", "-disable-llvm-passes",
       "-disable-lifetime-markers", "-relaxed-aliasing", "-funwind-tables=0"},
      options);
  for (const std::string &feature : hostFeatures())
    arguments.insert(arguments.end(), {"-target-feature", feature});
  if (options.sanitize)
    arguments.insert(arguments.end(), {"-debug-info-kind=line-tables-only", "-dwarf-version=5",
                                       std::string("-fsanitize=") + kUndefined,
                                       std::string("-fsanitize-recover=") + kUndefined});
  arguments.insert(arguments.end(), {"-x", "c++", kTextName});
  return arguments;
}

} // namespace

HostModule::HostModule() = default;
HostModule::~HostModule() {
  module.reset();
  context.reset();
}

Status compileHostModule(std::string_view text, const CompileOptions &options, HostModule &module) {
  module.diagnostics.clear();
  module.module.reset();
  module.context = std::make_unique<llvm::LLVMContext>();
  std::vector<std::string> arguments = hostArguments(options);
  arguments.insert(arguments.begin(), "-emit-llvm-only");
  clang::EmitLLVMOnlyAction action(module.context.get());
  Status status = runClang(text, arguments, action, module.diagnostics, nullptr);
  if (status.ok())
    module.module = action.takeModule();
  return status;
}

std::string_view hostTriple() { return "x86_64-unknown-linux-gnu"; }

const std::vector<std::string> &hostFeatures() {
  static const std::vector<std::string> features = [] {
    std::vector<std::string> found;
    const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
    for (const char *name : {"sse4.1", "popcnt", "avx", "avx2", "fma", "bmi", "bmi2", "lzcnt"})
      if (host.lookup(name))
        found.push_back(std::string("+") + name);
    return found;
  }();
  return features;
}

} // namespace braid
