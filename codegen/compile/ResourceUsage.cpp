// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/compile/ResourceUsage.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"

namespace braid {
namespace {

using ElfFile = llvm::object::ELF64LEFile;

Status malformed(std::string what) {
  return makeError(Error::CodeObjectMalformed, "no usable code object: " + std::move(what),
                   "a code object is a 64-bit AMDGPU ELF with a metadata note",
                   "check that the file is complete and not a bundle of several objects");
}

uint32_t number(llvm::msgpack::MapDocNode &map, const char *key) {
  auto found = map.find(key);
  if (found == map.end() || found->second.getKind() != llvm::msgpack::Type::UInt)
    return 0;
  return static_cast<uint32_t>(found->second.getUInt());
}

std::string text(llvm::msgpack::MapDocNode &map, const char *key) {
  auto found = map.find(key);
  return found != map.end() && found->second.isString() ? found->second.getString().str() : "";
}

KernelResources readKernel(llvm::msgpack::MapDocNode &map) {
  KernelResources kernel;
  kernel.symbol = text(map, ".name");
  kernel.vgprs = number(map, ".vgpr_count");
  kernel.agprs = number(map, ".agpr_count");
  kernel.sgprs = number(map, ".sgpr_count");
  kernel.vgprSpills = number(map, ".vgpr_spill_count");
  kernel.sgprSpills = number(map, ".sgpr_spill_count");
  kernel.scratchBytes = number(map, ".private_segment_fixed_size");
  kernel.ldsBytes = number(map, ".group_segment_fixed_size");
  kernel.kernargBytes = number(map, ".kernarg_segment_size");
  kernel.workgroupLimit = number(map, ".max_flat_workgroup_size");
  kernel.waveSize = number(map, ".wavefront_size");
  return kernel;
}

bool readNote(llvm::StringRef blob, CodeObjectInfo &info) {
  llvm::msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false) || !document.getRoot().isMap())
    return false;
  llvm::msgpack::MapDocNode &root = document.getRoot().getMap();
  const std::string target = text(root, "amdhsa.target");
  info.targetId = target.substr(target.find("--") == std::string::npos ? 0 : target.find("--") + 2);
  auto kernels = root.find("amdhsa.kernels");
  if (kernels == root.end() || !kernels->second.isArray())
    return false;
  for (llvm::msgpack::DocNode &kernel : kernels->second.getArray())
    if (kernel.isMap())
      info.kernels.push_back(readKernel(kernel.getMap()));
  return true;
}

} // namespace

Status readCodeObject(std::string_view codeObject, CodeObjectInfo &info) {
  info = {};
  llvm::Expected<ElfFile> elf = ElfFile::create(llvm::StringRef(codeObject));
  if (!elf)
    return malformed(llvm::toString(elf.takeError()));
  const ElfFile::Elf_Ehdr &header = elf->getHeader();
  if (!header.checkMagic() || header.getFileClass() != llvm::ELF::ELFCLASS64 ||
      header.getDataEncoding() != llvm::ELF::ELFDATA2LSB ||
      header.e_machine != llvm::ELF::EM_AMDGPU)
    return malformed("the header is that of another file or machine");
  info.flags = header.e_flags;
  info.machine = info.flags & llvm::ELF::EF_AMDGPU_MACH;
  info.abiVersion = header.e_ident[llvm::ELF::EI_ABIVERSION];

  auto segments = elf->program_headers();
  if (!segments)
    return malformed(llvm::toString(segments.takeError()));
  for (const ElfFile::Elf_Phdr &segment : *segments) {
    if (segment.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    bool found = false;
    for (const auto &note : elf->notes(segment, error))
      if (!found && note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
        found = readNote(note.getDescAsStringRef(segment.p_align), info);
    if (error)
      return malformed(llvm::toString(std::move(error)));
    if (found)
      return {};
  }
  return malformed("it has no AMDGPU metadata note");
}

} // namespace braid
