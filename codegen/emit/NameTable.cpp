// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/emit/NameTable.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace braid {

// The keywords of C++20, and the type names and macros that device headers make.
static constexpr llvm::StringLiteral kKeywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class compl concept const consteval constexpr constinit const_cast continue co_await "
    "co_return co_yield decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq "
    "nullptr operator or or_eq private protected public register reinterpret_cast requires return "
    "short signed sizeof static static_assert static_cast struct switch template this thread_local "
    "throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while "
    "xor xor_eq u8 u16 u32 u64 i32 i64 f32 bf16 f16 e8m0 f8e4m3fn f8e4m3fnuz braid threadIdx blockIdx "
    "linux unix NULL BRAID_AMD BRAID_BOUNDS BRAID_DEVICE BRAID_HOST BRAID_NVIDIA";

NameTable::NameTable() { reserveWords(kKeywords); }

void NameTable::reserveWords(StringRef text) {
  while (!text.empty()) {
    text = text.drop_until([](char c) { return llvm::isAlpha(c) || c == '_'; });
    StringRef word = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!word.empty())
      reserved.insert(word);
    text = text.drop_front(word.size());
  }
}

void NameTable::reserveUsedBy(emitc::FuncOp function) {
  reserveWords(function.getName());
  function.walk([&](Operation *op) {
    if (auto call = dyn_cast<emitc::CallOpaqueOp>(op)) {
      reserveWords(call.getCallee());
      for (Attribute argument : call.getTemplateArgs().value_or(ArrayAttr::get(op->getContext(), {})))
        reserveWords(cast<emitc::OpaqueAttr>(argument).getValue());
    }
    for (Type type : op->getResultTypes())
      if (auto opaque = dyn_cast<emitc::OpaqueType>(type))
        reserveWords(opaque.getValue());
    if (auto verbatim = dyn_cast<emitc::VerbatimOp>(op); verbatim && !verbatim.getValue().starts_with("//"))
      reserveWords(verbatim.getValue());
  });
}

std::string NameTable::unique(StringRef wanted) {
  std::string base;
  for (char c : wanted)
    base += llvm::isAlnum(c) || c == '_' ? c : '_';
  // A digit cannot come first; leading and double underscores belong to the implementation.
  if (base.empty() || llvm::isDigit(base.front()) || base.front() == '_')
    base = "v" + base;
  std::string name = base;
  for (unsigned number = 2; reserved.contains(name) || taken.contains(name); ++number)
    name = base + "_" + std::to_string(number);
  taken.insert(name);
  inScope.push_back(name);
  return name;
}

void NameTable::leaveScope(std::vector<std::string> outer) {
  for (const std::string &name : inScope)
    taken.erase(name);
  inScope = std::move(outer);
}

} // namespace braid
