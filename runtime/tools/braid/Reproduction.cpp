// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/Reproduction.h"

#include "runtime/Env.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fs = std::filesystem;

namespace braid::tool {

namespace {
constexpr std::string_view kDirectoryOption = "--reproduce-dir";
constexpr uintmax_t kLargestCopy = uintmax_t(1) << 30; // larger inputs stay where they are

std::string shellWord(const std::string &word) {
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string ownPath() {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "braid" : path.string();
}

// The file under a name of its own in the folder; the path as it is where it cannot be copied.
std::string copyInput(const fs::path &file, const fs::path &folder) {
  std::error_code error;
  if (file.extension() == ".so" || fs::file_size(file, error) > kLargestCopy || error)
    return fs::absolute(file, error).string();
  std::string name = file.filename().string();
  while (fs::exists(folder / name, error))
    name = "also-" + name;
  fs::copy_file(file, folder / name, error);
  const bool copied = !error;
  return copied ? name : fs::absolute(file, error).string();
}
} // namespace

Reproduction &Reproduction::current() {
  static Reproduction reproduction;
  return reproduction;
}

void Reproduction::begin(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == kDirectoryOption && i + 1 < argc)
      directory = argv[++i];
    else if (argument.starts_with(kDirectoryOption) && argument.substr(15).starts_with("="))
      directory = argument.substr(16);
    else
      arguments.emplace_back(argument);
  }
}

void Reproduction::add(std::string name, std::string text) {
  std::erase_if(files, [&](const auto &file) { return file.first == name; });
  files.emplace_back(std::move(name), std::move(text));
}

std::string Reproduction::commandLine() const {
  std::string line = "braid";
  for (const std::string &argument : arguments)
    line += " " + shellWord(argument);
  return line;
}

std::string Reproduction::script(const std::string &folder) const {
  std::string text = "#!/bin/sh\n# Runs the command again that had an internal error.\n"
                     "cd \"$(dirname \"$0\")\" || exit 3\nmkdir -p out\n";
  for (const EnvRow &row : allEnv())
    if (auto value = envValue(row.variable); value && row.variable != Env::ReproduceDir)
      text += fmt::format("export {}={}\n", row.name, shellWord(*value));
  text += fmt::format("export {}=again\n", envName(Env::ReproduceDir));
  text += "exec \"${BRAID:-" + ownPath() + "}\"";
  bool output = false; // the next argument names what the command writes
  for (const std::string &argument : arguments) {
    const size_t equal = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    const std::string option = argument.substr(0, equal);
    std::string head = equal == std::string::npos ? "" : argument.substr(0, equal + 1);
    std::string value = equal == std::string::npos ? argument : argument.substr(equal + 1);
    const bool names = option == "-o" || option == "--output" || option == "--out";
    std::error_code error;
    if (output || (names && !head.empty()))
      value = "out/" + fs::path(value).filename().string();
    else if (fs::is_regular_file(value, error))
      value = copyInput(value, folder);
    output = names && head.empty();
    text += " " + shellWord(head + value);
  }
  return text + "\n";
}

std::string Reproduction::fill(const std::string &parent, const std::string &message) const {
  std::error_code error;
  fs::create_directories(parent, error);
  std::string folder = (fs::absolute(parent, error) / "braid-error-XXXXXX").string();
  if (!mkdtemp(folder.data()))
    return {};
  bool good = true;
  const auto put = [&](const std::string &name, std::string_view text) {
    std::ofstream file(fs::path(folder) / name, std::ios::binary);
    good = file.write(text.data(), static_cast<std::streamsize>(text.size())).flush() && good;
  };
  put("message.txt", message + "\n");
  put("versions.txt",
      fmt::format("braid {}\nLLVM {}\nhost {}, {}\n", BRAID_VERSION, LLVM_VERSION_STRING,
                  llvm::sys::getDefaultTargetTriple(), llvm::sys::getHostCPUName().str()));
  for (const auto &[name, text] : files)
    put(name, text);
  put("reproduce.sh", script(folder));
  return good ? folder : std::string();
}

std::string Reproduction::write(const std::string &message) const {
  std::error_code error;
  for (const std::string &parent : {directory, envValue(Env::ReproduceDir).value_or(""),
                                    fs::temp_directory_path(error).string(), std::string(".")})
    if (std::string folder = parent.empty() ? "" : fill(parent, message); !folder.empty())
      return folder;
  return {};
}

} // namespace braid::tool
