// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/compile/ClangInProcess.h"

#include "codegen/compile/ClangAction.h"
#include "codegen/compile/LinkInProcess.h"

#include "clang/CodeGen/CodeGenAction.h"

namespace braid {
namespace {

// What the clang 22 driver passes to cc1 (seen with -###), less what names files of the machine,
// and less the options of LLVM's global command line: the module flag carries the code object
// version.
std::vector<std::string> deviceArguments(const Target &target, const CompileOptions &options) {
  std::vector<std::string> arguments = withSharedArguments({"-triple",
                                                            "amdgcn-amd-amdhsa",
                                                            "-aux-triple",
                                                            "x86_64-pc-linux-gnu",
                                                            "-aux-target-cpu",
                                                            "x86-64",
                                                            "-target-cpu",
                                                            std::string(target.clangCpu),
                                                            "-mcode-object-version=5",
                                                            "-fcuda-is-device",
                                                            "-fcuda-allow-variadic-functions",
                                                            "-fhip-new-launch-api",
                                                            "--no-offloadlib",
                                                            "-Werror=atomic-alignment",
                                                            "-mrelocation-model",
                                                            "pic",
                                                            "-pic-level",
                                                            "2",
                                                            "-fhalf-no-semantic-interposition",
                                                            "-fvisibility=hidden",
                                                            "-fapply-global-visibility-to-externs",
                                                            "-fcxx-exceptions",
                                                            "-fexceptions",
                                                            "-faddrsig"},
                                                           options);
  arguments.insert(arguments.end(), {"-x", "hip", kTextName});
  return arguments;
}

Status refuseTextOnly(const Target &target) {
  return makeError(Error::TextOnlyTarget, "no code object for " + std::string(target.name),
                   "braid makes text only for this target; its compiler is not linked in",
                   "ask for the HIP text, or for another target");
}

} // namespace

Status compileCodeObject(std::string_view text, const Target &target, const CompileOptions &options,
                         CompileResult &result) {
  result = {};
  if (target.clangCpu.empty())
    return refuseTextOnly(target);
  std::vector<std::string> arguments = deviceArguments(target, options);
  arguments.insert(arguments.begin(), "-emit-obj");
  clang::EmitObjAction action;
  std::string object;
  if (Status status = runClang(text, arguments, action, result.diagnostics, &object); !status.ok())
    return status;
  return linkCodeObject(object, result.bytes);
}

Status compileAssembly(std::string_view text, const Target &target, const CompileOptions &options,
                       CompileResult &result) {
  result = {};
  if (target.clangCpu.empty())
    return refuseTextOnly(target);
  std::vector<std::string> arguments = deviceArguments(target, options);
  arguments.insert(arguments.begin(), "-S");
  clang::EmitAssemblyAction action;
  return runClang(text, arguments, action, result.diagnostics, &result.bytes);
}

} // namespace braid
