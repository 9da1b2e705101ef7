// `fp8` becomes the target's flavour in values, operands, fields and everywhere else; names of dtypes in
// the parameters, which are text of the program, stay.
// RUN: braid-opt %s --braid-resolve-target=target=gfx942 | FileCheck %s --check-prefixes=CHECK,FNUZ
// RUN: braid-opt %s --braid-resolve-target=target=gfx950 | FileCheck %s --check-prefixes=CHECK,FN
// RUN: braid-opt %s --braid-resolve-target=target=sm_90 | FileCheck %s --check-prefixes=CHECK,FN
// RUN: braid-opt %s --braid-resolve-target=target=gfx942 -o %t.once
// RUN: braid-opt %t.once --braid-resolve-target=target=gfx942 -o %t.twice
// RUN: diff %t.once %t.twice

// FNUZ: module attributes {braid.target = "gfx942"}
// FN: module attributes {braid.target = "{{gfx950|sm_90}}"}
// CHECK-NOT: !braid.fp8
// CHECK: braid.kernel @flavour axes ["token"] parameters {fp = "fp8"}
braid.kernel @flavour axes ["token"] parameters {fp = "fp8"} {
  %x = braid.operand input "x" : !braid.tensor<[token, 32] x f32>
  %slot = braid.operand input "slot" : !braid.tensor<[token] x i64>
  // FNUZ: braid.operand output "y" : !braid.tensor<[token, 32] x f8E4M3FNUZ>
  // FN: braid.operand output "y" : !braid.tensor<[token, 32] x f8E4M3FN>
  %y = braid.operand output "y" : !braid.tensor<[token, 32] x !braid.fp8>
  // FNUZ: fields = [<"value", f8E4M3FNUZ, [32]
  // FN: fields = [<"value", f8E4M3FN, [32]
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 128, alignment = 1, fields = [<"value", !braid.fp8, [32], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1)>]>>
  %0 = braid.load %x : <[token, 32] x f32> -> <[token, 32] x f32>
  %1 = braid.load %slot : <[token] x i64> -> <[token] x i64>
  // FNUZ: braid.quantize {{.*}} -> <[token, 32] x f8E4M3FNUZ>, <[token] x f32>
  // FN: braid.quantize {{.*}} -> <[token, 32] x f8E4M3FN>, <[token] x f32>
  %codes, %scale = braid.quantize %0 scale ue8m0 floor 1.0e-4 : <[token, 32] x f32> -> <[token, 32] x !braid.fp8>, <[token] x f32>
  // A flavour that the program names is the program's, on every target.
  // CHECK: braid.quantize {{.*}} -> <[token, 32] x f8E4M3FN>, <[token] x f32>
  %codes2, %scale2 = braid.quantize %0 scale ue8m0 floor 1.0e-4 : <[token, 32] x f32> -> <[token, 32] x f8E4M3FN>, <[token] x f32>
  // FNUZ: braid.store {{.*}} : <[token, 32] x f8E4M3FNUZ>, <[token, 32] x f8E4M3FNUZ>
  // FN: braid.store {{.*}} : <[token, 32] x f8E4M3FN>, <[token, 32] x f8E4M3FN>
  braid.store %codes, %y : <[token, 32] x !braid.fp8>, <[token, 32] x !braid.fp8>
  // FNUZ: braid.cache_store {{.*}} !braid.value<[token, 32] x f8E4M3FNUZ>
  // FN: braid.cache_store {{.*}} !braid.value<[token, 32] x f8E4M3FN>
  braid.cache_store %p[%1] ["value"](%codes) : <<"one", page_size = 4, page_bytes = 128, alignment = 1, fields = [<"value", !braid.fp8, [32], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1)>]>>, <[token] x i64>, !braid.value<[token, 32] x !braid.fp8>
}
