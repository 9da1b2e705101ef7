// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_CacheStoreOp : Braid_RowOp<"cache_store", [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments],
                                     ["getPossibleRows", "getIndices"]> {
  let summary = "Stores the fields of one page entry at a slot, if the slot lies in the cache";
  let description = [{
    `cache[slot] = field: value, ...`. An entry is stored iff unsigned(slot) < pages * page_size, and
    the mask, where there is one, is true for its token.
  }];
  let arguments = (ins Braid_AnyCache:$cache, Braid_AnyValue:$slot, StrArrayAttr:$fields,
                       Variadic<Braid_AnyValue>:$values, Optional<Braid_AnyValue>:$mask);
  let assemblyFormat = [{
    $cache `[` $slot `]` $fields `(` $values `)` (`if` $mask^)? attr-dict
    `:` type($cache) `,` type($slot) (`if` type($mask)^)? `,` type($values)
  }];
}
