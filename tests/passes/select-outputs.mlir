// RUN: braid-opt %s --braid-select-outputs=outputs=z | FileCheck %s --check-prefix=ONE
// RUN: braid-opt %s --braid-select-outputs=outputs=z,p | FileCheck %s --check-prefix=TWO
// RUN: braid-opt %s --braid-select-outputs | FileCheck %s --check-prefix=ALL
// RUN: braid-opt %s --braid-select-outputs=outputs=z -o %t.once
// RUN: braid-opt %t.once --braid-select-outputs=outputs=z -o %t.twice
// RUN: diff %t.once %t.twice

// Only what z needs stays, operands included, in signature order.
// ONE-LABEL: braid.kernel @three
// ONE-NEXT: %[[B:.*]] = braid.operand input "b"
// ONE-NEXT: %[[Z:.*]] = braid.operand output "z"
// ONE-NEXT: %[[LB:.*]] = braid.load %[[B]]
// ONE-NEXT: %[[N:.*]] = braid.neg %[[LB]]
// ONE-NEXT: braid.store %[[N]], %[[Z]]
// ONE-NEXT: }

// TWO-LABEL: braid.kernel @three
// TWO-NOT: operand input "a"
// TWO: braid.operand input "b"
// TWO: braid.operand input "slot"
// TWO-NOT: operand output "y"
// TWO: braid.operand output "z"
// TWO: braid.operand cache "p"
// TWO-NOT: braid.add
// TWO: braid.store
// TWO: braid.cache_store
// TWO-NEXT: }

// Without a choice all stores stay; what no store needs goes.
// ALL-LABEL: braid.kernel @three
// ALL: braid.operand input "a"
// ALL-NOT: braid.operand input "unused"
// ALL: braid.operand output "y"
// ALL-NOT: braid.abs
// ALL: braid.store
// ALL: braid.store
// ALL: braid.cache_store
braid.kernel @three axes ["token"] parameters {} {
  %a = braid.operand input "a" : !braid.tensor<[token] x f32>
  %b = braid.operand input "b" : !braid.tensor<[token] x f32>
  %unused = braid.operand input "unused" : !braid.tensor<[token] x f32>
  %slot = braid.operand input "slot" : !braid.tensor<[token] x i64>
  %y = braid.operand output "y" : !braid.tensor<[token] x f32>
  %z = braid.operand output "z" : !braid.tensor<[token] x f32>
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>
  %0 = braid.load %a : <[token] x f32> -> <[token] x f32>
  %1 = braid.load %b : <[token] x f32> -> <[token] x f32>
  %2 = braid.load %unused : <[token] x f32> -> <[token] x f32>
  %3 = braid.load %slot : <[token] x i64> -> <[token] x i64>
  %4 = braid.add %0, %1 : <[token] x f32>, <[token] x f32> -> <[token] x f32>
  %5 = braid.neg %1 : <[token] x f32> -> <[token] x f32>
  %6 = braid.abs %2 : <[token] x f32> -> <[token] x f32>
  braid.store %4, %y : <[token] x f32>, <[token] x f32>
  braid.store %5, %z : <[token] x f32>, <[token] x f32>
  braid.cache_store %p[%3] ["f"](%5) : <<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>, <[token] x i64>, !braid.value<[token] x f32>
}
