# Writes OUTPUT, a C++ file that holds the FILES below ROOT as strings with their SHA-256: what FUNCTION,
# declared in HEADER, returns.
# cmake -DROOT=dir "-DFILES=a.h;b.h" -DOUTPUT=out.cpp -DHEADER=a.h -DFUNCTION=name -P Embed.cmake
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${ROOT}/${file} text)
  file(SHA256 ${ROOT}/${file} digest)
  string(FIND "${text}" ")BRAID\"" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${file} holds the text )BRAID\", which ends an embedded string; use another wording there")
  endif()
  string(APPEND entries "    {\"${file}\", R\"BRAID(${text})BRAID\", \"${digest}\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Written by Embed.cmake.
#include \"${HEADER}\"

namespace braid {
namespace {
constexpr EmbeddedTemplate kTemplates[] = {
${entries}};
} // namespace

std::span<const EmbeddedTemplate> ${FUNCTION}() { return kTemplates; }

} // namespace braid
")
