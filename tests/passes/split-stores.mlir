// RUN: braid-opt %s --braid-split-stores | FileCheck %s
// Parts that are exact in the output's dtype are stored without being joined first.

// CHECK-LABEL: braid.kernel @joined
braid.kernel @joined axes ["token"] parameters {} {
  %a = braid.operand input "a" : !braid.tensor<[token, 64] x f32>
  %b = braid.operand input "b" : !braid.tensor<[token, 128] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 192] x f32>
  %0 = braid.load %a : <[token, 64] x f32> -> <[token, 64] x f32>
  %1 = braid.load %b : <[token, 128] x f32> -> <[token, 128] x f32>
  // CHECK-NOT: braid.concat
  // CHECK: braid.store %[[A:.*]], %[[Y:.*]] at 0
  // CHECK-NEXT: braid.store %[[B:.*]], %[[Y]] at 64
  %2 = braid.concat %0, %1 : !braid.value<[token, 64] x f32>, !braid.value<[token, 128] x f32> -> <[token, 192] x f32>
  braid.store %2, %y : <[token, 192] x f32>, <[token, 192] x f32>
}
