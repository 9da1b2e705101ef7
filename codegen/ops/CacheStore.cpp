// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/layouts/FieldAddress.h"
#include "codegen/layouts/PageLayout.h"
#include "codegen/ops/OpRegistration.h"
#include "runtime/NearestName.h"

#include <numeric>

using namespace mlir;

namespace braid {

// `cache[slot] = field: value, ...` has its own syntax.
void registerCacheStore(OpTable &) {}

static LayoutAttr layoutOf(CacheStoreOp op) {
  return cast<CacheType>(op.getCache().getType()).getLayout();
}

static std::vector<std::string> fieldNames(LayoutAttr layout) {
  std::vector<std::string> names;
  for (FieldAttr field : layout.getFields())
    names.push_back(field.getName().str());
  return names;
}

// A stored value has the slot's axes and then one axis for each index of the field, by extent.
static LogicalResult verifyFieldValue(CacheStoreOp op, FieldAttr field, Value value) {
  std::string name = field.getName().str();
  auto type = valueType(value);
  if (!storableAs(value, field.getDtype()))
    return emitArgumentDiag(op.getLoc(), name, Diag::cacheFieldDtype, name,
                            dtypeName(field.getDtype()), dtypeName(type.getDtype()));
  ArrayRef<AxisAttr> slotAxes = valueType(op.getSlot()).getAxes(), axes = type.getAxes();
  ArrayRef<int64_t> extents = field.getExtents();
  bool fits = axes.size() == slotAxes.size() + extents.size();
  for (size_t i = 0; fits && i < slotAxes.size(); ++i)
    fits = axes[i].matches(slotAxes[i]);
  if (isPackedDtype(field.getDtype()) &&
      contiguousElements(field, layoutOf(op).getPageSize()) < 8 / elementBits(field.getDtype()))
    return emitArgumentDiag(op.getLoc(), name, Diag::packedField, name,
                            layoutOf(op).getName().str(), dtypeName(field.getDtype()));
  for (size_t i = 0; fits && i < extents.size(); ++i)
    fits = axes[slotAxes.size() + i].getExtent() == extents[i];
  if (fits)
    return success();
  std::string indices = "[";
  for (int64_t extent : extents)
    indices += (indices.size() > 1 ? ", " : "") + std::to_string(extent);
  return emitArgumentDiag(op.getLoc(), name, Diag::cacheFieldAxes, name, indices + "]",
                          axesStr(axes));
}

LogicalResult CacheStoreOp::verify() {
  if (failed(verifyOperand(*this, getCache(), {OperandRole::cache})))
    return failure();
  Type slotDtype = valueType(getSlot()).getDtype();
  if (!slotDtype.isInteger(32) && !slotDtype.isInteger(64))
    return emitDiag(getLoc(), Diag::indexDtype, dtypeName(slotDtype));
  LayoutAttr layout = layoutOf(*this);
  if (getFields().size() != getValues().size())
    return emitOpError("needs one value for each field");
  for (auto [attribute, value] : llvm::zip(getFields(), getValues())) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    FieldAttr field = layout.findField(name);
    if (!field) {
      const std::vector<std::string> known = fieldNames(layout);
      return emitArgumentDiag(getLoc(), name, Diag::cacheFieldUnknown, name.str(),
                              layout.getName().str(), joinNames(known),
                              suggest(name, known, "use one of these"));
    }
    if (failed(verifyFieldValue(*this, field, value)))
      return failure();
  }
  for (FieldAttr field : layout.getFields())
    if (!llvm::is_contained(getFields().getValue(), field.getName()))
      return emitDiag(getLoc(), Diag::cacheFieldMissing, field.getName().str(),
                      layout.getName().str());
  return verifyMask(*this, getMask(), valueType(getSlot()).getAxes());
}

void CacheStoreOp::getIndices(SmallVectorImpl<IndexUse> &indices) {
  indices.push_back({getSlot(), getCache()});
}

void CacheStoreOp::getRowValues(SmallVectorImpl<Value> &) {}

void CacheStoreOp::getPossibleRows(SmallVectorImpl<Value> &rows) {
  for (auto [attribute, value] : llvm::zip(getFields(), getValues())) {
    ArrayRef<int64_t> extents = layoutOf(*this).findField(cast<StringAttr>(attribute)).getExtents();
    if (!extents.empty() && extents.back() > 1)
      rows.push_back(value);
  }
}

OpCost CacheStoreOp::getCost() { return {0.25, 20}; }

// --- reference --------------------------------------------------------------------------------

// `place`: a byte of the page, or a bit for elements of less than a byte.
static void storeElement(std::byte *page, int64_t place, DType dtype, uint64_t bits) {
  const unsigned width = dtypeBits(dtype);
  if (width >= 8) {
    std::memcpy(page + place, &bits, width / 8);
    return;
  }
  const std::byte mask{static_cast<uint8_t>(((1u << width) - 1) << place % 8)};
  std::byte &shared = page[place / 8];
  shared = (shared & ~mask) | std::byte(static_cast<uint8_t>(bits << place % 8));
}

LogicalResult CacheStoreOp::evaluate(Evaluation &evaluation) {
  LayoutAttr layout = layoutOf(*this);
  const std::vector<int64_t> slots = evaluation.get(getSlot()).indices;
  const uint64_t capacity = evaluation.capacity(getCache());
  std::vector<int64_t> live(slots.size(), 1);
  if (getMask())
    live = evaluation.broadcastMask(getMask(), valueType(getSlot()));
  for (auto [attribute, value] : llvm::zip(getFields(), getValues())) {
    FieldAttr field = layout.findField(cast<StringAttr>(attribute));
    const HostValue &values = evaluation.get(value);
    const HostArray &cache = evaluation.buffer(getCache(), field.getBuffer());
    FieldAddress address(field);
    DType dtype = *dtypeOf(field.getDtype());
    int64_t width =
        std::accumulate(field.getExtents().asArrayRef().begin(),
                        field.getExtents().asArrayRef().end(), int64_t(1), std::multiplies<>());
    SmallVector<int64_t> indices(field.getExtents().size());
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!live[i] || uint64_t(slots[i]) >= capacity)
        continue;
      std::byte *page = cache.data() + slots[i] / layout.getPageSize() * cache.strides[0];
      for (int64_t j = 0; j < width; ++j) {
        for (int64_t rest = j, k = indices.size() - 1; k >= 0; --k) {
          indices[k] = rest % field.getExtents()[k];
          rest /= field.getExtents()[k];
        }
        uint64_t bits = numberBits(values.numbers[i * width + j], dtype);
        storeElement(page, address.at(slots[i] % layout.getPageSize(), indices).value(), dtype,
                     bits);
      }
    }
  }
  return success();
}

// --- emission ---------------------------------------------------------------------------------

// The affine byte map as C++ arithmetic on u32.
static Value emitAffine(Emitter &e, AffineExpr expr, ArrayRef<Value> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return e.literal(std::to_string(constant.getValue()), "u32");
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = emitAffine(e, binary.getLHS(), dims), rhs = emitAffine(e, binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return e.binary('+', lhs, rhs, "u32");
  case AffineExprKind::Mul:
    return e.binary('*', lhs, rhs, "u32");
  case AffineExprKind::Mod:
    return e.binary('%', lhs, rhs, "u32");
  default:
    return e.binary('/', lhs, rhs, "u32"); // floordiv of non-negative numbers
  }
}

// Stores one field: a row in pieces that the map keeps contiguous, a scalar from one lane.
static void emitField(CacheStoreOp op, Emitter &e, FieldAttr field, Value value, Value page,
                      Value inPage) {
  LayoutAttr layout = layoutOf(op);
  std::string c = Emitter::cType(field.getDtype());
  SmallVector<Value> dims = {inPage};
  // Indices of the value's leading axes, less those of the slot; a row's own index comes later.
  ArrayRef<AxisAttr> axes = valueType(value).getAxes();
  SmallVector<Value> leading = e.indices(axes.drop_back(e.isRow(value) ? 1 : 0));
  dims.append(leading.begin() + valueType(op.getSlot()).getAxes().size(), leading.end());
  if (e.isRow(value))
    dims.emplace_back();
  else {
    Value offset = emitAffine(e, field.getMap().getResult(0), dims);
    Value address = e.binary('+', page, offset, "u8*", field.getName().str() + "_place");
    e.ifThen(e.oneLane(),
             [&] { e.call("storeScalar", {}, {e.cast(c + "*", address), e.get(value)}, ""); });
    return;
  }
  RowBits bits = e.bits(value);
  int64_t piece = std::min(contiguousElements(field, layout.getPageSize()), bits.chunk());
  std::string align = std::to_string(runAlignment(layout, field, piece));
  Value stored = e.getStored(value, field.getDtype());
  e.ifThen(e.holdsRow(value), [&] {
    for (int64_t first = 0; first < bits.perLane(); first += piece) {
      int64_t chunk = first / bits.chunk(), inChunk = first % bits.chunk();
      Value present;
      if (!bits.alwaysPresent(first))
        present = e.call(e.rowsName(value) + "::present", {},
                         {e.lane(value), e.literal(std::to_string(first), "u32")}, "bool");
      e.ifThen(present, [&] {
        Value element = e.call(e.rowsName(value) + "::chunk", {},
                               {e.lane(value), e.literal(std::to_string(chunk), "u32")}, "u32");
        if (inChunk)
          element = e.binary('+', element, e.literal(std::to_string(inChunk), "u32"), "u32");
        dims.back() = e.named(element, "element");
        Value place = emitAffine(e, field.getMap().getResult(0), dims);
        if (isPackedDtype(field.getDtype()))
          place = e.binary('/', place, e.literal("8", "u32"), "u32");
        Value address = e.binary('+', page, place, "u8*");
        e.call("storeRun", {std::to_string(piece), align},
               {address, stored, e.literal(std::to_string(first), "u32")}, "");
      });
    }
  });
}

// True if `mask` holds only for slots of `op` that lie in its cache.
static bool comparesSlot(Value mask, CacheStoreOp op) {
  auto inCache = mask ? mask.getDefiningOp<InCacheOp>() : InCacheOp();
  return inCache && inCache.getSlot() == op.getSlot() &&
         llvm::is_contained(inCache.getCaches(), op.getCache());
}

LogicalResult CacheStoreOp::emit(Emitter &e) {
  e.require("page.h");
  LayoutAttr layout = layoutOf(*this);
  std::string size = std::to_string(layout.getPageSize());
  StringRef name = getCache().getDefiningOp<OperandOp>().getName();
  Value slot = e.named(e.cast("u64", e.get(getSlot())), "entry");
  // One unsigned compare keeps padding (-1) and slots past the cache out. A mask of the same slots
  // and this cache has made it already.
  Value inside = getMask() ? e.get(getMask()) : Value();
  if (!comparesSlot(getMask(), *this))
    inside = e.logicalAnd(inside, e.compareLess(slot, e.capacity(getCache())));
  e.ifThen(e.logicalAnd(e.live(), inside), [&] {
    Value page = e.binary('/', slot, e.literal(size, "u64"), "u64",
                          layout.getBuffers() > 1 ? (name + "_page").str() : "");
    SmallVector<Value> bases;
    for (auto [i, buffer] : llvm::enumerate(e.arguments().buffers.find(getCache())->second)) {
      Value offset = e.binary('*', page, buffer.pageStride, "u64");
      bases.push_back(e.binary('+', buffer.pointer, offset, "u8*",
                               bufferName(name, i, layout.getBuffers()) + "_page"));
    }
    Value inPage =
        e.named(e.cast("u32", e.binary('%', slot, e.literal(size, "u64"), "u64")), "in_page");
    for (auto [attribute, value] : llvm::zip(getFields(), getValues())) {
      FieldAttr field = layout.findField(cast<StringAttr>(attribute));
      emitField(*this, e, field, value, bases[field.getBuffer()], inPage);
    }
  });
  return success();
}

} // namespace braid
