// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/RawArray.h"

#include "runtime/NpzErrors.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace braid {
namespace {

struct KindRow {
  std::string_view descr, name;
  unsigned bytes;
};

/// In the order of NpyKind.
constexpr KindRow kKinds[] = {
    {"<f4", "float32", 4}, {"<f2", "float16", 2}, {"<u2", "uint16", 2},
    {"|u1", "uint8", 1},   {"<i4", "int32", 4},   {"<i8", "int64", 8},
};

const KindRow &rowOf(NpyKind kind) { return kKinds[static_cast<unsigned>(kind)]; }

} // namespace

std::string_view npyDescr(NpyKind kind) { return rowOf(kind).descr; }
std::string_view npyName(NpyKind kind) { return rowOf(kind).name; }
unsigned npyBytes(NpyKind kind) { return rowOf(kind).bytes; }

std::optional<NpyKind> parseNpyDescr(std::string_view descr) {
  for (unsigned kind = 0; kind < std::size(kKinds); ++kind)
    if (kKinds[kind].descr == descr)
      return static_cast<NpyKind>(kind);
  return std::nullopt;
}

uint64_t RawArray::byteCount() const {
  uint64_t count = npyBytes(kind);
  for (int64_t extent : extents)
    count *= static_cast<uint64_t>(extent);
  return count;
}

NpyKind carrierOf(std::optional<DType> dtype) {
  if (!dtype)
    return NpyKind::UInt8;
  switch (*dtype) {
  case DType::F32:
    return NpyKind::Float32;
  case DType::F16:
    return NpyKind::Float16;
  case DType::BF16:
    return NpyKind::UInt16;
  case DType::F8E4M3FN:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2:
  case DType::F8E5M2FNUZ:
  case DType::E8M0:
  case DType::F4E2M1:
    return NpyKind::UInt8;
  case DType::I32:
    return NpyKind::Int32;
  case DType::I64:
    return NpyKind::Int64;
  }
  return NpyKind::UInt8;
}

Status asDType(const RawArray &raw, std::optional<DType> dtype, std::string_view member,
               HostArray &out) {
  HostArray array;
  array.dtype = dtype;
  const NpyKind expected = carrierOf(dtype);
  if (raw.kind != expected)
    return makeError(
        NpzError::NpzMemberType,
        fmt::format("member '{}' is {} {}, and {} is expected", member, npyName(raw.kind),
                    extentsText(raw.extents), npyName(expected)),
        fmt::format("the program's tensor is {}, which files carry as {}", array.typeName(),
                    npyName(expected)),
        fmt::format("write '{}' as {}, or bind the parameter that sets the tensor's type", member,
                    npyName(expected)));
  array.extents = raw.extents;
  if (dtype == DType::F4E2M1) {
    if (array.extents.empty())
      return makeError(NpzError::NpzMemberType,
                       fmt::format("member '{}' is a single byte without an axis", member),
                       "f4e2m1 is carried as uint8 [.., n/2], two codes a byte",
                       fmt::format("give '{}' an axis for its rows", member));
    array.extents.back() *= 2;
  }
  array.strides = contiguousStrides(array.extents);
  array.bytes = raw.bytes;
  out = std::move(array);
  return {};
}

Status toRaw(const HostArray &array, RawArray &out) {
  HostArray whole;
  if (Status status = array.contiguous(whole); !status.ok())
    return status;
  RawArray raw;
  raw.kind = carrierOf(whole.dtype);
  raw.extents = whole.extents;
  if (whole.dtype == DType::F4E2M1) {
    // A single element has no byte of its own to be written as.
    if (raw.extents.empty())
      return makeError(NpzError::ArraySlice, "a single f4e2m1 element cannot be written",
                       "f4e2m1 is carried as uint8 [.., n/2], two codes a byte",
                       "give the array an axis");
    raw.extents.back() /= 2;
  }
  // An alias keeps the storage alive and points at a slice's first byte.
  raw.bytes = std::shared_ptr<std::byte[]>(whole.bytes, whole.data());
  out = std::move(raw);
  return {};
}

} // namespace braid
