// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_InCacheOp : Braid_RowOp<"in_cache", [Pure], ["getIndices"]> {
  let summary = "True for the tokens whose slot lies in every one of some caches: the mask of their stores";
  let description = [{
    `unsigned(slot) < pages * page_size` for each cache. It needs the number of pages and no byte of them,
    so a cache that nothing else uses is an operand without an address.
  }];
  let arguments = (ins Braid_AnyValue:$slot, Variadic<Braid_AnyCache>:$caches);
  let results = (outs Braid_AnyValue:$result);
  let assemblyFormat = [{
    $slot `in` $caches attr-dict `:` type($slot) `in` type($caches) `->` type($result)
  }];
}
