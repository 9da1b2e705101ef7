// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/compile/LinkInProcess.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

namespace braid {
namespace {

std::mutex linkMutex;
bool linkerUsable = true; // under linkMutex

Status noFile(const std::string &what, std::error_code code) {
  return makeError(Error::CompilerUnusable, what + ": " + code.message(),
                   "the linker works on temporary files",
                   "check that the temporary directory (TMPDIR) exists, is writable and has room");
}

Status writeFile(std::string_view bytes, int descriptor) {
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream.write(bytes.data(), bytes.size());
  stream.close();
  const std::error_code code = stream.error();
  stream.clear_error(); // an error left here would end the process in the destructor
  return code ? noFile("cannot write a temporary object", code) : Status();
}

std::string withoutPath(llvm::StringRef messages, llvm::StringRef path) {
  std::string text = messages.trim().str();
  for (size_t at; (at = text.find(path)) != std::string::npos;)
    text.replace(at, path.size(), "kernel.o");
  return text;
}

} // namespace

Status linkCodeObject(std::string_view object, std::string &codeObject) {
  llvm::SmallString<128> input, output;
  int descriptor = -1;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("braid", "o", descriptor, input))
    return noFile("cannot make a temporary file", code);
  const llvm::FileRemover removeInput(input);
  if (Status status = writeFile(object, descriptor); !status.ok())
    return status;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("braid", "co", output))
    return noFile("cannot make a temporary file", code);
  const llvm::FileRemover removeOutput(output);

  // One thread: the objects are small, and lld's pool would stay behind in the caller's process.
  const char *arguments[] = {"ld.lld",       "-m",          "elf64_amdgpu",    "--no-undefined",
                             "-shared",      "--threads=1", "--error-limit=3", "-o",
                             output.c_str(), input.c_str()};
  std::string messages; // name the temporary file, which differs from run to run
  llvm::raw_string_ostream stream(messages);
  {
    const std::lock_guard lock(linkMutex);
    if (!linkerUsable)
      return makeError(Error::CompilerUnusable, "the linker cannot run again in this process",
                       "an earlier crash left its state broken", "start the process again");
    const lld::Result result =
        lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    linkerUsable = result.canRunAgain;
    if (result.retCode != 0)
      return makeError(
          Error::LinkFailed, "the linker refuses the code object: " + withoutPath(messages, input),
          "the generated text calls a function that no header defines, or the object is damaged",
          "look for the undefined name in the generated text");
  }
  auto buffer =
      llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return noFile("cannot read the linked code object", buffer.getError());
  codeObject = (*buffer)->getBuffer().str();
  return {};
}

} // namespace braid
