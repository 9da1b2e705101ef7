// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/compile/CompileGuard.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <mutex>

namespace braid {
namespace {

constexpr unsigned kStackBytes = 8u << 20; // clang's own choice

std::mutex guardsMutex;
unsigned guardsRunning = 0;
thread_local std::string *fatalMessage = nullptr;

// LLVM calls this where it would end the process; it must not return.
void onFatalError(void *, const char *reason, bool) {
  if (fatalMessage)
    *fatalMessage = reason;
  if (llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(70);
}

// The handlers are of the whole process and not counted by LLVM, so they are counted here. (The
// emulator's library has a count of its own: where both compile at the same moment, the one that
// ends last may run unguarded.)
class HandlersInstalled {
public:
  HandlersInstalled() {
    const std::lock_guard lock(guardsMutex);
    if (guardsRunning++ == 0) {
      llvm::CrashRecoveryContext::Enable();
      llvm::remove_fatal_error_handler();
      llvm::install_fatal_error_handler(onFatalError);
    }
  }
  ~HandlersInstalled() {
    const std::lock_guard lock(guardsMutex);
    if (--guardsRunning == 0) {
      llvm::remove_fatal_error_handler();
      llvm::CrashRecoveryContext::Disable();
    }
  }
};

} // namespace

Status runGuarded(std::string_view stage, llvm::function_ref<void()> function) {
  const HandlersInstalled handlers;
  std::string message;
  llvm::CrashRecoveryContext context;
  const bool finished = context.RunSafelyOnThread(
      [&] {
        fatalMessage = &message;
        function();
        fatalMessage = nullptr;
      },
      kStackBytes);
  if (finished)
    return {};
  if (message.empty())
    message = "exit code or signal " + std::to_string(context.RetCode);
  return makeError(Error::CompilerCrashed,
                   "the compiler broke off while " + std::string(stage) + ": " + message,
                   "a fatal error or crash inside LLVM was caught; the process goes on",
                   "report it with the generated text; another optimisation level may avoid it");
}

} // namespace braid
