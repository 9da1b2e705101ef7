// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tools/braid/SanitizedRun.h"

#include "runtime/Kernel.h"
#include "runtime/tools/braid/CommandLine.h"
#include "runtime/tools/emu_asan/SanitizedLaunch.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <unistd.h>

namespace braid::tool {

namespace {

constexpr const char *kHelper = "braid-emu-asan";
constexpr const char *kLogFile = "log";

Status unusable(std::string why, std::string fix = "check the installation of braid") {
  return makeError(Error::SanitizerUnusable, fmt::format("{} cannot run the kernel", kHelper),
                   std::move(why), std::move(fix));
}

// A folder that only this user may enter, with the files of one launch.
class LaunchFolder {
public:
  ~LaunchFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }

  Status make() {
    llvm::SmallString<128> temporary;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
    std::string name = (temporary + "/braid-sanitize-XXXXXX").str();
    if (!mkdtemp(name.data()))
      return makeError(Error::FileUnwritable, fmt::format("{}: {}", name, std::strerror(errno)),
                       "--sanitize hands the kernel to its helper in a temporary folder",
                       "set TMPDIR to a folder that can be written");
    path = name;
    return {};
  }

  std::string operator[](const char *name) const { return path + "/" + name; }
  const std::string &folder() const { return path; }

  Status write(const char *name, llvm::StringRef bytes) const {
    std::error_code error;
    llvm::raw_fd_ostream file((*this)[name], error);
    if (!error) {
      file << bytes;
      file.close();
      error = file.error();
      file.clear_error();
    }
    if (error)
      return makeError(Error::FileUnwritable, fmt::format("{}: {}", (*this)[name], error.message()),
                       "--sanitize hands the kernel to its helper in a temporary folder",
                       "set TMPDIR to a folder with enough room");
    return {};
  }

  std::string read(const char *name) const {
    auto file = llvm::MemoryBuffer::getFile((*this)[name]);
    return file ? (*file)->getBuffer().str() : std::string();
  }

private:
  std::string path;
};

Status writeRequest(const std::string &text, const KernelMeta &meta, const OperandSet &set,
                    const RequestedCounts &requested, const LaunchFolder &folder) {
  namespace files = sanitizer;
  if (Status status = folder.write(files::kTextFile, text); !status.ok())
    return status;
  if (Status status = folder.write(files::kMetadataFile, toJson(meta)); !status.ok())
    return status;
  nlohmann::ordered_json counts = nlohmann::ordered_json::object();
  for (const runtime::RowCount &count : rowCounts(meta, requested))
    counts[std::string(count.axis)] = count.count;
  if (Status status = folder.write(files::kCountsFile, counts.dump()); !status.ok())
    return status;
  Npz npz;
  for (size_t i = 0; i < set.arrays.size(); ++i)
    if (Status status = npz.set(meta.operands[i].name, set.arrays[i]); !status.ok())
      return status;
  return writeNpz(folder[files::kOperandsFile], npz);
}

// Ours, but for the sanitizers' options: the helper has its own.
std::vector<llvm::StringRef> environment() {
  std::vector<llvm::StringRef> kept;
  for (char **entry = environ; *entry; ++entry) {
    llvm::StringRef variable(*entry);
    if (!variable.starts_with("ASAN_OPTIONS=") && !variable.starts_with("LSAN_OPTIONS="))
      kept.push_back(variable);
  }
  return kept;
}

Status runHelper(const LaunchFolder &folder) {
  std::string self = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  std::string helper = (llvm::sys::path::parent_path(self) + "/" + kHelper).str();
  if (!llvm::sys::fs::can_execute(helper))
    return unusable(fmt::format("there is no {}", helper),
                    "build with a clang that has AddressSanitizer's runtime (libclang-rt)");
  std::string log = folder[kLogFile], problem;
  std::vector<llvm::StringRef> variables = environment();
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(log),
                                                llvm::StringRef(log)};
  int code = llvm::sys::ExecuteAndWait(helper, {helper, folder.folder()}, llvm::ArrayRef(variables),
                                       redirects, 0, 0, &problem);
  if (code == 0)
    return {};
  std::string said = folder.read(kLogFile);
  return unusable(fmt::format("exit code {}{}{}{}{}", code, problem.empty() ? "" : "; ", problem,
                              said.empty() ? "" : "; it said: ", said.substr(0, 2000)));
}

// The statement is the innermost line that the line map knows: lines of the headers have no entry.
void findPlaces(const KernelMeta &meta, const std::vector<unsigned> &lines,
                SanitizerFinding &finding) {
  if (lines.empty())
    return;
  finding.line = lines.front();
  finding.statementLine = lines.back();
  for (unsigned line : lines)
    for (const LineMeta &known : meta.lineMap)
      if (known.line == line) {
        finding.statementLine = line;
        finding.program = known.program;
        return;
      }
}

Status findingStatus(const KernelMeta &meta, const nlohmann::json &found,
                     SanitizerFinding &finding) {
  size_t bytes = found.value("bytes", 0);
  finding.access = found.value("what", "");
  if (bytes)
    finding.access += fmt::format(" {} byte{}", bytes, bytes == 1 ? "" : "s");
  finding.operand = found.value("operand", "");
  finding.place = found.value("place", "");
  findPlaces(meta, found.value("lines", std::vector<unsigned>()), finding);
  std::string where = fmt::format("at line {} of its text", finding.line);
  if (finding.statementLine != finding.line)
    where += fmt::format(", called at line {}", finding.statementLine);
  if (!finding.program.empty())
    where += fmt::format(", which comes from {} of the program", finding.program);
  std::string what =
      bytes
          ? fmt::format("{} {} {} {}, {}", meta.symbol, finding.access,
                        finding.operand.empty() ? "outside" : "beyond",
                        finding.operand.empty() ? "every operand" : "`" + finding.operand + "`",
                        where)
          : fmt::format("{} does something undefined ({}), {}", meta.symbol, finding.access, where);
  return makeError(Error::SanitizerFinding, std::move(what),
                   finding.place.empty()
                       ? "generated code keeps to its operands and to defined operations"
                       : "the first byte that it may not touch is " + finding.place,
                   "this is a fault of Braid, not of the program; report it together with the "
                   "program and the text");
}

} // namespace

int failSanitized(const Status &status, const SanitizerFinding &finding, bool json) {
  if (status.id != errorId(Error::SanitizerFinding))
    return fail(status, json);
  return fail(status, json,
              {{"finding",
                {{"access", finding.access},
                 {"operand", finding.operand},
                 {"place", finding.place},
                 {"line", finding.line},
                 {"statement_line", finding.statementLine},
                 {"program", finding.program}}}});
}

static Status runKernel(const std::string &text, const KernelMeta &meta, OperandSet &set,
                        const RequestedCounts &requested, SanitizerFinding &finding,
                        std::vector<Fault> &faults) {
  LaunchFolder folder;
  if (Status status = folder.make(); !status.ok())
    return status;
  if (Status status = writeRequest(text, meta, set, requested, folder); !status.ok())
    return status;
  if (Status status = runHelper(folder); !status.ok())
    return status;
  auto report = nlohmann::json::parse(folder.read(sanitizer::kReportFile), nullptr,
                                      /*allow_exceptions=*/false);
  if (report.is_discarded())
    return unusable("it wrote no report");
  if (report.contains("finding"))
    return findingStatus(meta, report["finding"], finding);
  if (report.contains("error")) {
    const auto &error = report["error"];
    return {static_cast<StatusCode>(error.value("code", 4)), error.value("id", ""),
            error.value("what", ""), error.value("why", ""), error.value("fix", "")};
  }
  Npz results;
  if (Status status = readNpz(folder[sanitizer::kResultsFile], results); !status.ok())
    return status;
  for (size_t i = 0; i < set.arrays.size(); ++i) {
    HostArray array;
    if (Status status = results.tensor(meta.operands[i].name, set.arrays[i].dtype, array);
        !status.ok())
      return status;
    for (int64_t k = 0, e = array.elementCount(); k < e; ++k)
      set.arrays[i].storeBits(set.arrays[i].offsetOf(k), array.loadBits(array.offsetOf(k)));
  }
  for (Fault &fault : report.value("faults", std::vector<Fault>()))
    faults.push_back(std::move(fault));
  return {};
}

// A dense tensor over the counts of the launch, full of bytes that nobody has stored.
static Status makeWorkspace(const WorkspaceMeta &meta, const RequestedCounts &counts,
                            HostArray &array) {
  std::vector<int64_t> extents;
  for (const AxisMeta &axis : meta.axes)
    extents.push_back(axis.extent ? static_cast<int64_t>(*axis.extent) : counts.at(axis.name));
  if (Status status = HostArray::zeros(meta.dtype, extents, array); !status.ok())
    return status;
  std::memset(array.data(), 0xA5, array.byteCount());
  return {};
}

Status runSanitized(const GeneratedProgram &generated, OperandSet &set,
                    const RequestedCounts &requested, SanitizerFinding &finding,
                    std::vector<Fault> *faults) {
  const KernelMeta &signature = generated.signature();
  // The helper places the operands anew, so what a launch asks of their places is asked here.
  llvm::StringMap<int64_t> resolved;
  if (Status status = resolveCounts(signature, set, requested, resolved); !status.ok())
    return status;
  RequestedCounts counts; // of the whole launch, for every kernel
  for (const auto &count : resolved)
    counts[count.first().str()] = count.second;
  // The arrays share bytes with those of `set`, so what one kernel has written the next one reads.
  std::map<std::string, HostArray> arrays;
  for (const WorkspaceMeta &workspace : generated.meta.workspaces)
    if (Status status = makeWorkspace(workspace, counts, arrays[workspace.name]); !status.ok())
      return status;
  for (size_t i = 0; i < set.arrays.size(); ++i)
    arrays[signature.operands[i].name] = set.arrays[i];
  std::vector<Fault> found;
  for (size_t number = 0; number < generated.texts.size(); ++number) {
    const KernelMeta &meta = generated.meta.kernels[number];
    OperandSet used;
    for (const OperandMeta &operand : meta.operands)
      used.arrays.push_back(arrays.at(operand.name));
    RequestedCounts own;
    for (const std::string &axis : meta.axes)
      own[axis] = counts.at(axis);
    if (Status status = runKernel(generated.texts[number], meta, used, own, finding, found);
        !status.ok())
      return status;
  }
  if (faults)
    *faults = runtime::inCheckOrder(signature, std::move(found));
  return {};
}

} // namespace braid::tool
