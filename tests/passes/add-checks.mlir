// RUN: braid-opt %s --braid-add-checks=checked=true | FileCheck %s
// RUN: braid-opt %s --braid-add-checks | FileCheck %s --check-prefix=FAST
// RUN: braid-opt %s --braid-add-checks=checked=true -o %t.once
// RUN: braid-opt %t.once --braid-add-checks -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: braid-opt %s --braid-add-checks=checked=true --braid-resolve-target=target=gfx942 --braid-form-sections | FileCheck %s --check-prefix=SECTIONS

// Each index is checked once against what it chooses in, though `pos` has two users. The mask stems
// from the slots, so they are looked at without it.
// CHECK-LABEL: braid.kernel @two
// CHECK-SAME: checks {{\[}}["slot", "p"], ["pos", "t"]]
// CHECK: %[[SLOT:.*]] = braid.load {{.*}} : <[token] x i64>
// CHECK: %[[MASK:.*]] = braid.in_cache %[[SLOT]]
// CHECK: %[[POS:.*]] = braid.load {{.*}} : <[token] x i32>
// CHECK: braid.cache_store
// CHECK-NEXT: braid.check 0 %[[SLOT]] in %{{[0-9]+}} :
// CHECK-NEXT: braid.check 1 %[[POS]] in %{{[0-9]+}} if %[[MASK]]
// CHECK-NEXT: }

// FAST-NOT: check

// A check goes to one section, the first that has its values.
// SECTIONS: braid.section [#braid.axis<token>]
// SECTIONS: braid.cache_store
// SECTIONS-NEXT: braid.check 0
// SECTIONS-NEXT: braid.check 1
// SECTIONS: braid.section [#braid.axis<token>, #braid.axis<heads = 2>]
// SECTIONS-NOT: braid.check
!slots = !braid.value<[token] x i64>
!mask = !braid.value<[token] x i1>
!pages = !braid.cache<#braid.layout<"linear", page_size = 4, page_bytes = 272, alignment = 4, fields = [
  <"value", f8E4M3FN, [64], buffer = 0, at = (d0, d1) -> (d0 * 64 + d1)>,
  <"scale", f32, [], buffer = 0, at = (d0) -> (d0 * 4 + 256)>]>>
braid.kernel @two axes ["token"] parameters {padding = "skip_all(slot)"} {
  %q = braid.operand input "q" : !braid.tensor<[token, heads = 2, 64] x f32>
  %k = braid.operand input "k" : !braid.tensor<[token, 64] x f32>
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %ps = braid.operand input "pos" : !braid.tensor<[token] x i32>
  %sl = braid.operand input "slot" : !braid.tensor<[token] x i64>
  %y = braid.operand output "y" : !braid.tensor<[token, heads = 2, 64] x f32>
  %p = braid.operand cache "p" : !pages
  %slot = braid.load %sl : !braid.tensor<[token] x i64> -> !slots
  %in = braid.in_cache %slot in %p : !slots in !pages -> !mask
  %pos = braid.load %ps : !braid.tensor<[token] x i32> -> !braid.value<[token] x i32>
  %a = braid.gather %t[%pos] : !braid.tensor<[position, 64] x f32>, !braid.value<[token] x i32> -> !braid.value<[token, 64] x f32>
  %lq = braid.load %q : !braid.tensor<[token, heads = 2, 64] x f32> -> !braid.value<[token, heads = 2, 64] x f32>
  %mq = braid.mul %lq, %a : !braid.value<[token, heads = 2, 64] x f32>, !braid.value<[token, 64] x f32> -> !braid.value<[token, heads = 2, 64] x f32>
  braid.store %mq, %y if %in : !braid.value<[token, heads = 2, 64] x f32>, !braid.tensor<[token, heads = 2, 64] x f32> if !mask
  %lk = braid.load %k : !braid.tensor<[token, 64] x f32> -> !braid.value<[token, 64] x f32>
  %mk = braid.mul %lk, %a : !braid.value<[token, 64] x f32>, !braid.value<[token, 64] x f32> -> !braid.value<[token, 64] x f32>
  %c, %s = braid.quantize %mk scale ue8m0 floor 1.0e-4 : !braid.value<[token, 64] x f32> -> !braid.value<[token, 64] x f8E4M3FN>, !braid.value<[token] x f32>
  braid.cache_store %p[%slot] ["value", "scale"](%c, %s) if %in : !pages, !slots if !mask, !braid.value<[token, 64] x f8E4M3FN>, !braid.value<[token] x f32>
}
