// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/providers/emu/HostKernels.h"

#include "codegen/compile/ClangInProcess.h"
#include "codegen/compile/CompileGuard.h"
#include "runtime/providers/emu/Sanitizer.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

namespace braid::emu {
namespace {

using namespace llvm;

// Chosen by measuring compilation plus a few launches of the indexer kernel: with these passes and
// the fast selector it loads in 43 ms and runs 64 tokens in 8.6 ms of cpu time; unrolling runs
// twice as fast and loads twice as long.
constexpr const char *kPasses = "always-inline,function(sroa,early-cse,simplifycfg)";
constexpr const char *kEntrySuffix = ".braid_entry";

Status refused(std::string what) {
  return makeError(
      Error::ImageRefused, "the emulator cannot load the text: " + std::move(what),
      "the text must compile as freestanding C++20 and may call the lane functions only",
      "compile the same text for its target to see whether it is right there");
}

Status refused(llvm::Error error) { return refused(toString(std::move(error))); }

// Functions of the C library that the code generator may call by itself. Everything else that a
// text leaves undefined is an error, so that no text comes to depend on what the host process
// happens to hold.
std::vector<LaneSymbol> librarySymbols() {
  const auto one = [](const char *name, auto *function) {
    return LaneSymbol{name, reinterpret_cast<void *>(function)};
  };
  return {one("memcpy", &std::memcpy),
          one("memmove", &std::memmove),
          one("memset", &std::memset),
          one("memcmp", &std::memcmp),
          one("fmaf", static_cast<float (*)(float, float, float)>(&::fmaf)),
          one("fma", static_cast<double (*)(double, double, double)>(&::fma)),
          one("rintf", static_cast<float (*)(float)>(&::rintf)),
          one("nearbyintf", static_cast<float (*)(float)>(&::nearbyintf)),
          one("floorf", static_cast<float (*)(float)>(&::floorf)),
          one("ceilf", static_cast<float (*)(float)>(&::ceilf)),
          one("truncf", static_cast<float (*)(float)>(&::truncf)),
          one("ldexpf", static_cast<float (*)(float, int)>(&::ldexpf))};
}

thread_local std::string reported;

// The JIT and the symbols that all texts share. Never destroyed: code stays callable until the
// process ends.
class Jit {
public:
  static Expected<Jit *> instance() {
    static Expected<std::unique_ptr<Jit>> *const jit = new Expected<std::unique_ptr<Jit>>(create());
    if (!*jit)
      return createStringError("the JIT does not start on this machine");
    return jit->get().get();
  }

  Expected<orc::JITDylib &> add(const std::string &name, HostModule &&module) {
    auto library = lljit->createJITDylib(name);
    if (!library)
      return library.takeError();
    library->addToLinkOrder(*shared);
    orc::ThreadSafeModule owned(std::move(module.module),
                                orc::ThreadSafeContext(std::move(module.context)));
    if (llvm::Error error = lljit->addIRModule(*library, std::move(owned)))
      return std::move(error);
    return library;
  }

  std::unique_ptr<orc::LLJIT> lljit;

private:
  // A text is compiled on the thread that loads it, several at once; the default compiler serves
  // one thread only.
  static Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>>
  compilerPerModule(orc::JITTargetMachineBuilder machine) {
    return std::make_unique<orc::ConcurrentIRCompiler>(std::move(machine));
  }

  static Expected<std::unique_ptr<Jit>> create() {
    orc::JITTargetMachineBuilder machine{Triple(StringRef(hostTriple()))};
    machine.setCPU("x86-64");
    machine.addFeatures(hostFeatures());
    machine.setCodeGenOptLevel(CodeGenOptLevel::None);
    machine.getOptions().EmulatedTLS = true;
    machine.getOptions().AllowFPOpFusion = FPOpFusion::Strict;
    auto built = orc::LLJITBuilder()
                     .setJITTargetMachineBuilder(std::move(machine))
                     .setCompileFunctionCreator(compilerPerModule)
                     .setLinkProcessSymbolsByDefault(false)
                     .setPlatformSetUp(orc::setUpInactivePlatform) // texts have no constructors
                     .create();
    if (!built)
      return built.takeError();
    auto jit = std::make_unique<Jit>();
    jit->lljit = std::move(*built);
    orc::ExecutionSession &session = jit->lljit->getExecutionSession();
    // A lookup returns that it failed; why (the missing names) comes here, on the same thread.
    session.setErrorReporter([](llvm::Error error) { reported += toString(std::move(error)); });
    auto shared = session.createJITDylib("<shared>");
    if (!shared)
      return shared.takeError();
    jit->shared = &*shared;
    orc::SymbolMap symbols;
    for (const auto &list : {laneSymbols(), librarySymbols(), sanitizerSymbols()})
      for (const LaneSymbol &symbol : list)
        symbols[jit->lljit->mangleAndIntern(symbol.name)] = {
            orc::ExecutorAddr::fromPtr(symbol.address),
            JITSymbolFlags::Exported | JITSymbolFlags::Callable};
    if (llvm::Error error = jit->shared->define(orc::absoluteSymbols(std::move(symbols))))
      return std::move(error);
    return jit;
  }

  orc::JITDylib *shared = nullptr;
};

bool isKernel(const Function &function) {
  if (function.isDeclaration() || !function.hasExternalLinkage() || function.isVarArg() ||
      !function.getReturnType()->isVoidTy())
    return false;
  return std::ranges::none_of(function.args(), [](const Argument &argument) {
    return argument.hasByValAttr() || argument.hasStructRetAttr();
  });
}

// void NAME.braid_entry(void **arguments) { NAME(*(T0 *)arguments[0], *(T1 *)arguments[1], ...); }
void addEntry(Function &kernel) {
  Module &module = *kernel.getParent();
  LLVMContext &context = module.getContext();
  PointerType *pointer = PointerType::getUnqual(context);
  Function *entry =
      Function::Create(FunctionType::get(Type::getVoidTy(context), {pointer}, false),
                       Function::ExternalLinkage, kernel.getName() + kEntrySuffix, module);
  entry->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> builder(BasicBlock::Create(context, "entry", entry));
  std::vector<Value *> values;
  for (Argument &argument : kernel.args()) {
    Value *place =
        builder.CreateConstInBoundsGEP1_64(pointer, entry->getArg(0), argument.getArgNo());
    Value *address = builder.CreateLoad(pointer, place);
    values.push_back(builder.CreateLoad(argument.getType(), address));
  }
  CallInst *call = builder.CreateCall(&kernel, values);
  call->setCallingConv(kernel.getCallingConv());
  call->setAttributes(kernel.getAttributes());
  builder.CreateRetVoid();
}

bool hasSharedVariables(const Module &module) {
  return std::ranges::any_of(module.globals(), [](const GlobalVariable &variable) {
    return !variable.isConstant() && !variable.isThreadLocal() &&
           !variable.getName().starts_with("llvm.");
  });
}

// Inlining first of all: every device function says always_inline and counts on it.
llvm::Error simplify(Module &module) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, kPasses))
    return error;
  passes.run(module, modules);
  return llvm::Error::success();
}

Status compile(std::string_view text, const std::string &name, HostModuleCode &code) {
  HostModule host;
  CompileOptions options;
  options.sanitize = isSanitizing();
  if (Status status = compileHostModule(text, options, host); !status.ok()) {
    std::string said = status.what;
    for (const CompileDiagnostic &diagnostic : host.diagnostics)
      said += "\n" + diagnostic.text();
    return status.id == errorId(Error::CompileFailed) ? refused(std::move(said)) : status;
  }
  code.serial = hasSharedVariables(*host.module) || options.sanitize;
  std::vector<Function *> kernels;
  for (Function &function : *host.module)
    if (isKernel(function))
      kernels.push_back(&function);
  std::vector<std::string> names;
  for (Function *kernel : kernels) {
    names.push_back(kernel->getName().str());
    addEntry(*kernel);
  }
  if (llvm::Error error = simplify(*host.module))
    return refused(std::move(error));
  if (options.sanitize)
    instrument(*host.module);
  Expected<Jit *> jit = Jit::instance();
  if (!jit)
    return refused(jit.takeError());
  auto library = (*jit)->add(name, std::move(host));
  if (!library)
    return refused(library.takeError());
  reported.clear();
  for (const std::string &kernel : names) {
    auto address = (*jit)->lljit->lookup(*library, kernel + kEntrySuffix);
    if (!address)
      return refused(toString(address.takeError()) + (reported.empty() ? "" : "; " + reported));
    code.kernels[kernel] = address->toPtr<KernelEntry>();
  }
  return {};
}

struct Entry {
  std::once_flag once;
  HostModuleCode code;
  Status status;
};

} // namespace

Status loadHostCode(std::string_view text, const HostModuleCode *&code) {
  static auto *const mutex = new std::mutex;
  static auto *const entries = new std::map<std::array<uint8_t, 32>, Entry>;
  const auto digest = SHA256::hash(arrayRefFromStringRef(StringRef(text)));
  Entry *entry = nullptr;
  {
    const std::lock_guard lock(*mutex);
    entry = &(*entries)[digest];
  }
  std::call_once(entry->once, [&] {
    Status inner;
    const Status outer = runGuarded("preparing a kernel for the emulator", [&] {
      inner = compile(text, toHex(digest, /*LowerCase=*/true), entry->code);
    });
    entry->status = outer.ok() ? inner : outer;
  });
  code = &entry->code;
  return entry->status;
}

} // namespace braid::emu
