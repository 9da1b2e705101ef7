// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/Supervisor.h"

#include "runtime/NpzErrors.h"
#include "runtime/tools/braid/CommandLine.h"
#include "runtime/tools/braid/Reproduction.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace braid::tool {

namespace {

constexpr std::string_view kFinished = "finished\n";

int reportFile = -1; // what the child leaves for the parent: kFinished, or its stack

void writeStack(void *) {
  llvm::raw_fd_ostream stream(reportFile, /*shouldClose=*/false, /*unbuffered=*/true);
  llvm::sys::PrintStackTrace(stream);
}

std::string readReport() {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = pread(reportFile, buffer, sizeof buffer, text.size())) > 0;)
    text.append(buffer, got);
  return text;
}

Status crashed(std::string what) {
  return makeError(Error::CommandCrashed, std::move(what),
                   "this is a fault of Braid or of a library in it, not of the request",
                   "report it with all that is needed to see it again");
}

int runCaught(llvm::function_ref<int()> work, bool json) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return fail(makeError(NpzError::OutOfMemory, "the memory is used up",
                          "the request needs more than the process may have",
                          "use fewer tokens or pages, or a larger machine"),
                json);
  } catch (const std::exception &exception) {
    return fail(crashed(fmt::format("an exception: {}", exception.what())), json);
  }
}

// Signals by which a user, a shell or a batch system ends a command.
bool isRequest(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE ||
         signal == SIGQUIT;
}

int explain(int state, bool json) {
  const std::string report = readReport();
  const bool finished = report.starts_with(kFinished);
  if (WIFEXITED(state) && finished)
    return WEXITSTATUS(state);
  if (WIFEXITED(state))
    return fail(crashed(fmt::format("the command ended without a result (exit code {})",
                                    WEXITSTATUS(state))),
                json);
  const int signal = WTERMSIG(state);
  if (isRequest(signal)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (signal == SIGKILL)
    return fail(makeError(Error::CommandKilled, "the command was killed",
                          "the system kills what takes more memory than there is",
                          "use fewer tokens or pages, or a larger machine"),
                json);
  Reproduction::current().add("stack.txt", report.substr(finished ? kFinished.size() : 0));
  return fail(crashed(fmt::format("the command crashed: {}", strsignal(signal))), json);
}

} // namespace

int supervise(llvm::function_ref<int()> work, bool json) {
  std::fflush(nullptr);
  reportFile = memfd_create("braid", MFD_CLOEXEC);
  const pid_t child = reportFile < 0 ? -1 : fork();
  if (child < 0)
    return runCaught(work, json); // it works without, as long as nothing crashes
  if (child == 0) {
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    llvm::sys::AddSignalHandler(writeStack, nullptr);
    llvm::CrashRecoveryContext::Enable();
    const int code = runCaught(work, json);
    std::fflush(nullptr);
    return write(reportFile, kFinished.data(), kFinished.size()) < 0 ? EXIT_FAILURE : code;
  }
  // What the terminal sends goes to both; the child decides what comes of it.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR)
    ;
  return explain(state, json);
}

} // namespace braid::tool
