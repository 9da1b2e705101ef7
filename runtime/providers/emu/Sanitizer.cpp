// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/providers/emu/Sanitizer.h"

#include "runtime/providers/emu/EmuState.h"
#include "runtime/providers/emu/Lanes.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"

#include <climits>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace braid::emu {
namespace {

using namespace llvm;

// A place of a text that may be reported. Compiled code holds its address, so it lives for good.
struct Site {
  std::string what;
  std::vector<unsigned> lines;
};

BraidEmuSanitizer sanitizer;
BraidEmuAccess lastAccess; // kernels that are sanitised run on one thread

Site &newSite(std::string what, const DebugLoc &place) {
  static auto *const mutex = new std::mutex;
  static auto *const sites = new std::deque<Site>;
  const std::lock_guard lock(*mutex);
  Site &site = sites->emplace_back();
  site.what = std::move(what);
  for (const DILocation *at = place.get(); at; at = at->getInlinedAt())
    site.lines.push_back(at->getLine());
  return site;
}

void onAccess(const Site *site, void *address, size_t bytes) {
  lastAccess = {site->what.c_str(), address, bytes, site->lines.data(), site->lines.size()};
  void *const bad = bytes ? sanitizer.firstPoisoned(address, bytes) : nullptr;
  if (!bad)
    return;
  lastAccess.address = bad;
  sanitizer.found(lastAccess);
}

void onUndefined(const Site *site) {
  lastAccess = {site->what.c_str(), nullptr, 0, site->lines.data(), site->lines.size()};
  sanitizer.found(lastAccess);
}

constexpr const char *kOnAccess = "braid_emu_access";
constexpr const char *kOnUndefined = "braid_emu_undefined";

// AddressSanitizer's own pass finds the accesses and puts red zones around local arrays. Its calls
// are then replaced: the runtime's reports know machine addresses only, ours know the lines.
class CallReplacer {
public:
  explicit CallReplacer(Module &module) : module(module) {}

  void run() {
    for (Function &function : module)
      for (Instruction &instruction : make_early_inc_range(instructions(function)))
        if (auto *call = dyn_cast<CallInst>(&instruction))
          if (const Function *callee = call->getCalledFunction())
            replace(*call, callee->getName());
  }

private:
  void replace(CallInst &call, StringRef name) {
    if (name.consume_front("__ubsan_handle_")) {
      std::string what = name.split("_v1").first.str();
      std::ranges::replace(what, '_', ' ');
      insert(call, kOnUndefined, what, {});
      call.eraseFromParent();
      return;
    }
    if (!name.consume_front("__asan_"))
      return;
    if (name == "memcpy" || name == "memmove") {
      insert(call, kOnAccess, "reads", {call.getArgOperand(1), call.getArgOperand(2)});
      insert(call, kOnAccess, "writes", {call.getArgOperand(0), call.getArgOperand(2)});
      call.setCalledFunction(module.getOrInsertFunction(name, call.getFunctionType()));
    } else if (name == "memset") {
      insert(call, kOnAccess, "writes", {call.getArgOperand(0), call.getArgOperand(2)});
      call.setCalledFunction(module.getOrInsertFunction(name, call.getFunctionType()));
    } else if (const bool writes = name.consume_front("store");
               writes || name.consume_front("load")) {
      uint64_t bytes = 0;
      name.consume_back("_noabort");
      Value *size = name.getAsInteger(10, bytes)
                        ? call.getArgOperand(1) // N: the size is given
                        : ConstantInt::get(call.getArgOperand(0)->getType(), bytes);
      insert(call, kOnAccess, writes ? "writes" : "reads", {call.getArgOperand(0), size});
      call.eraseFromParent();
    }
  }

  void insert(CallInst &before, const char *function, std::string what,
              std::vector<Value *> arguments) {
    IRBuilder<> builder(&before);
    Type *integer = builder.getInt64Ty();
    const Site &site = newSite(std::move(what), before.getDebugLoc());
    arguments.insert(arguments.begin(), builder.getInt64(reinterpret_cast<uint64_t>(&site)));
    for (Value *&argument : arguments)
      if (argument->getType()->isPointerTy())
        argument = builder.CreatePtrToInt(argument, integer);
    std::vector<Type *> types(arguments.size(), integer);
    builder.CreateCall(
        module.getOrInsertFunction(function, FunctionType::get(builder.getVoidTy(), types, false)),
        arguments);
  }

  Module &module;
};

void addressSanitizer(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() && function.getSubprogram()) // the entries have none and are ours
      function.addFnAttr(Attribute::SanitizeAddress);
  // Registering them needs constructors, which texts do not have.
  for (GlobalVariable &variable : module.globals()) {
    GlobalValue::SanitizerMetadata metadata;
    metadata.NoAddress = true;
    variable.setSanitizerMetadata(metadata);
  }
  AddressSanitizerOptions options;
  options.Recover = true;
  options.UseAfterReturn = AsanDetectStackUseAfterReturnMode::Never; // fake stacks know no fibres
  options.InstrumentationWithCallsThreshold = 0;
  options.MaxInlinePoisoningSize = INT_MAX;
  options.InsertVersionCheck = false;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerFunctionAnalyses(functions);
  builder.registerCGSCCAnalyses(graph);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  AddressSanitizerPass(options, /*UseGlobalGC=*/false, /*UseOdrIndicator=*/false,
                       AsanDtorKind::None, AsanCtorKind::None)
      .run(module, modules);
}

} // namespace

bool isSanitizing() { return sanitizer.found != nullptr; }

void instrument(Module &module) {
  addressSanitizer(module);
  CallReplacer(module).run();
  StripDebugInfo(module);
}

const std::vector<LaneSymbol> &sanitizerSymbols() {
  static const std::vector<LaneSymbol> symbols = {
      {kOnAccess, reinterpret_cast<void *>(&onAccess)},
      {kOnUndefined, reinterpret_cast<void *>(&onUndefined)},
  };
  return symbols;
}

} // namespace braid::emu

BRAID_EXPORT void braidEmuSanitize(const BraidEmuSanitizer *given) {
  braid::emu::sanitizer = *given;
}

BRAID_EXPORT void braidEmuLastAccess(BraidEmuAccess *access) { *access = braid::emu::lastAccess; }
