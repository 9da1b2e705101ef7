// RUN: braid-opt %s --braid-form-groups='grouping=n|p,y|z' | FileCheck %s
// RUN: braid-opt %s --braid-form-groups='grouping=y|n|p|z' | FileCheck %s --check-prefix=LATE
// RUN: braid-opt %s --braid-form-groups='grouping=n|p,y|z' --braid-fold-rounding --braid-form-sections -o %t
// RUN: braid-opt %t | diff %t -

// A local whose every use is masked is stored with that mask, in a kernel that has the pages for it
// and makes all checks that it can.
// CHECK:       module attributes {braid.checks = {{\[}}["pos", "t"], ["slot", "p"]], braid.grouping = "n | p, y | z"
// CHECK-LABEL: braid.kernel @k_n
// CHECK-SAME:  checks {{\[}}["pos", "t"], ["slot", "p"]]
// CHECK:         %[[PAGES:.*]] = braid.operand cache "p"
// CHECK-NEXT:    %[[W:.*]] = braid.operand workspace "n"
// CHECK-NEXT:    %[[SLOT:.*]] = braid.load
// CHECK-NEXT:    %[[MASK:.*]] = braid.in_cache %[[SLOT]] in %[[PAGES]]
// CHECK:         braid.store %{{.*}}, %[[W]] if %[[MASK]]
// CHECK-NEXT:    braid.check 0 %{{.*}} in %{{.*}} if %[[MASK]]
// CHECK-NEXT:    braid.check 1 %[[SLOT]] in %[[PAGES]] :
// CHECK-NEXT:  }

// The next one checks nothing again.
// CHECK-LABEL: braid.kernel @k_p_y
// CHECK-SAME:  checks []
// CHECK:         braid.store %{{.*}} if
// CHECK:         braid.cache_store %{{.*}} if

// `z` is stored for all tokens and `y` is not, so it computes the value of `y` again.
// CHECK-LABEL: braid.kernel @k_z
// CHECK-SAME:  checks []
// CHECK-NEXT:    braid.operand input "x"
// CHECK-NEXT:    %[[Z:.*]] = braid.operand output "z"
// CHECK-NEXT:    braid.load
// CHECK-NEXT:    %[[V:.*]] = braid.round
// CHECK-NEXT:    %[[M:.*]] = braid.mul %[[V]], %[[V]]
// CHECK-NEXT:    braid.store %[[M]], %[[Z]] :
// CHECK-NEXT:  }

// A kernel without the index leaves the check to the one that has it.
// LATE-LABEL: braid.kernel @k_y
// LATE-SAME:  checks {{\[}}["slot", "p"]]
// LATE:         braid.check 0
// LATE-NEXT:  }
// LATE-LABEL: braid.kernel @k_n
// LATE-SAME:  checks {{\[}}["pos", "t"]]
// LATE:         braid.check 0 %{{.*}} if
// LATE-NEXT:  }
!row = !braid.value<[token, 64] x f32>
!rows = !braid.tensor<[token, 64] x f32>
!half = !braid.value<[token, 64] x bf16>
!halves = !braid.tensor<[token, 64] x bf16>
!slots = !braid.value<[token] x i64>
!mask = !braid.value<[token] x i1>
!pages = !braid.cache<#braid.layout<"linear", page_size = 4, page_bytes = 272, alignment = 4, fields = [
  <"value", f8E4M3FN, [64], buffer = 0, at = (d0, d1) -> (d0 * 64 + d1)>,
  <"scale", f32, [], buffer = 0, at = (d0) -> (d0 * 4 + 256)>]>>
braid.kernel @k axes ["token"] parameters {} checks [["pos", "t"], ["slot", "p"]] {
  %x = braid.operand input "x" : !rows
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %ps = braid.operand input "pos" : !braid.tensor<[token] x i32>
  %sl = braid.operand input "slot" : !braid.tensor<[token] x i64>
  %y = braid.operand output "y" : !halves
  %p = braid.operand cache "p" : !pages
  %z = braid.operand output "z" : !rows
  %slot = braid.load %sl : !braid.tensor<[token] x i64> -> !slots
  %in = braid.in_cache %slot in %p : !slots in !pages -> !mask
  %lx = braid.load %x : !rows -> !row
  %v = braid.round %lx : !row -> !half loc("y"("p.braid":2:3))
  braid.store %v, %y if %in : !half, !halves if !mask
  %pos = braid.load %ps : !braid.tensor<[token] x i32> -> !braid.value<[token] x i32>
  %a = braid.gather %t[%pos] : !braid.tensor<[position, 64] x f32>, !braid.value<[token] x i32> -> !row
  %n = braid.mul %lx, %a : !row, !row -> !row loc("n"("p.braid":3:3))
  %c, %s = braid.quantize %n scale ue8m0 floor 1.0e-4 : !row -> !braid.value<[token, 64] x f8E4M3FN>, !braid.value<[token] x f32>
  braid.cache_store %p[%slot] ["value", "scale"](%c, %s) if %in : !pages, !slots if !mask, !braid.value<[token, 64] x f8E4M3FN>, !braid.value<[token] x f32>
  %m = braid.mul %v, %v : !half, !half -> !row
  braid.store %m, %z : !row, !rows
  braid.check 0 %pos in %t if %in : !braid.value<[token] x i32> in !braid.tensor<[position, 64] x f32> if !mask
  braid.check 1 %slot in %p : !slots in !pages
}
