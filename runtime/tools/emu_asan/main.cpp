// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// braid-emu-asan FOLDER: runs the launch that the folder describes (SanitizedLaunch.h) on the
// emulated wave, sanitised. A process of its own, because AddressSanitizer's runtime must be linked
// into the executable. Exit code 0 where a report was written.

#include "runtime/HipApi.h"
#include "runtime/Kernel.h"
#include "runtime/Npz.h"
#include "runtime/providers/emu/Sanitizer.h"
#include "runtime/tools/emu_asan/PlacedOperand.h"
#include "runtime/tools/emu_asan/SanitizedLaunch.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sanitizer/asan_interface.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace braid;
using namespace braid::sanitizer;

// Options of the runtime. LLVM is not instrumented, so what its containers say means nothing, and
// what it keeps until the end is no leak.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0:detect_container_overflow=0:detect_stack_use_after_return=0";
}

namespace {

std::string folder;
std::vector<PlacedOperand> placed;
BraidEmuLastAccessFunction *lastAccess = nullptr;

std::string pathOf(const char *name) { return folder + "/" + name; }

[[noreturn]] void report(const nlohmann::ordered_json &value) {
  std::ofstream file(pathOf(kReportFile));
  file << value.dump();
  file.close();
  // At once: lanes may stand in the middle of a kernel.
  _exit(file ? 0 : 1);
}

[[noreturn]] void report(const Status &status) {
  report({{"error",
           {{"code", static_cast<int>(status.code)},
            {"id", status.id},
            {"what", status.what},
            {"why", status.why},
            {"fix", status.fix}}}});
}

void must(const Status &status) {
  if (!status.ok())
    report(status);
}

nlohmann::ordered_json findingOf(const BraidEmuAccess &access, const void *at) {
  nlohmann::ordered_json finding = {{"what", access.what}, {"bytes", access.bytes}};
  for (const PlacedOperand &operand : placed)
    if (at && operand.owns(at)) {
      finding["operand"] = operand.name();
      finding["place"] = operand.describe(at);
    }
  finding["lines"] = std::vector<unsigned>(access.lines, access.lines + access.lineCount);
  return finding;
}

void found(const BraidEmuAccess &access) {
  report({{"finding", findingOf(access, access.address)}});
}

// An access so far out that there is no memory.
void onFault(int, siginfo_t *info, void *) {
  BraidEmuAccess access;
  lastAccess(&access);
  if (!access.what)
    _exit(1); // not in a kernel: the parent says that the helper failed
  report({{"finding", findingOf(access, info->si_addr)}});
}

void catchFaults() {
  static std::byte stack[256 << 10]; // a lane's own may be what overflowed
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaltstack(&alternate, nullptr);
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

std::string readFile(const char *name) {
  std::ifstream file(pathOf(name), std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void startSanitizing(const runtime::HipApi &api) {
  void *library = dlopen(api.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  auto *sanitize = reinterpret_cast<BraidEmuSanitizeFunction *>(dlsym(library, "braidEmuSanitize"));
  lastAccess = reinterpret_cast<BraidEmuLastAccessFunction *>(dlsym(library, "braidEmuLastAccess"));
  if (!sanitize || !lastAccess)
    report(makeError(Error::SanitizerUnusable, fmt::format("`{}` cannot sanitise", api.path),
                     "it lacks braidEmuSanitize", "use the emulator that belongs to this braid"));
  static const BraidEmuSanitizer sanitizer = {__asan_region_is_poisoned, found};
  sanitize(&sanitizer);
}

void placeOperands(const KernelMeta &meta) {
  Npz npz;
  must(readNpz(pathOf(kOperandsFile), npz));
  for (const OperandMeta &operand : meta.operands) {
    const bool cache = operand.kind == OperandKind::Cache;
    HostArray array;
    must(npz.tensor(operand.name, cache ? std::nullopt : std::optional(operand.dtype), array));
    const unsigned unitAxes = cache || operand.row ? 1 : 0;
    const uint64_t align =
        cache ? meta.layouts[operand.layout].align[operand.buffer] : operand.align;
    must(PlacedOperand::place(operand.name, array, unitAxes, align,
                              cache         ? "page"
                              : operand.row ? "row"
                                            : "element",
                              placed.emplace_back()));
  }
}

void launch(const runtime::Kernel &kernel) {
  const auto counts =
      nlohmann::json::parse(readFile(kCountsFile)).get<std::map<std::string, int64_t>>();
  std::vector<runtime::RowCount> rows;
  for (const auto &[axis, count] : counts)
    rows.push_back({axis, count});
  std::vector<runtime::Operand> operands;
  for (const PlacedOperand &operand : placed)
    operands.push_back(operand.operand());
  must(kernel.launch(operands, rows));
}

void writeResults() {
  Npz results;
  for (const PlacedOperand &operand : placed) {
    operand.readBack();
    must(results.set(operand.name(), operand.array()));
  }
  must(writeNpz(pathOf(kResultsFile), results));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: braid-emu-asan FOLDER (braid verify --sanitize makes it)\n");
    return 2;
  }
  folder = argv[1];
  KernelMeta meta;
  must(fromJson(readFile(kMetadataFile), meta));
  const runtime::HipApi *api = nullptr;
  must(runtime::HipApi::open("emu", api));
  startSanitizing(*api);
  int device = 0;
  must(api->findDevice(meta.target, device));
  placeOperands(meta);
  std::unique_ptr<runtime::Kernel> kernel;
  must(runtime::Kernel::prepare(*api, meta, readFile(kTextFile), device, kernel));
  catchFaults();
  launch(*kernel);
  std::vector<Fault> faults;
  must(kernel->faults(faults));
  writeResults();
  report({{"faults", nlohmann::json(faults)}});
}
