// RUN: braid-opt %s --braid-fold-rounding | FileCheck %s
// RUN: braid-opt %s --braid-fold-rounding -o %t.once
// RUN: braid-opt %t.once --braid-fold-rounding -o %t.twice
// RUN: diff %t.once %t.twice

// The elements that rope passes through are exact in bf16, so it may round what it rotated.
// CHECK-LABEL: braid.kernel @folds
braid.kernel @folds axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x bf16>
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x bf16>
  %0 = braid.load %x : <[token, 128] x bf16> -> <[token, 128] x f32>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
  // CHECK: %[[R:.*]] = braid.rope {{.*}} -> <[token, 128] x bf16>
  // CHECK-NOT: braid.round
  // CHECK: braid.store %[[R]]
  %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, 128] x f32>, <[token, 64] x f32> -> <[token, 128] x f32>
  %3 = braid.round %2 : <[token, 128] x f32> -> <[token, 128] x bf16>
  braid.store %3, %y : <[token, 128] x bf16>, <[token, 128] x bf16>
}

// A rounding point before rope makes the row exact as well.
// CHECK-LABEL: braid.kernel @folds_after_a_round
braid.kernel @folds_after_a_round axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x f16>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
  // CHECK: %[[N:.*]] = braid.round {{.*}} -> <[token, 128] x f16>
  // CHECK: braid.rope %[[N]], {{.*}} -> <[token, 128] x f16>
  // CHECK-NOT: braid.round
  %2 = braid.round %0 : <[token, 128] x f32> -> <[token, 128] x f16>
  %3 = braid.rope %2, %1 gptj dims 0 to 64 table joined : <[token, 128] x f16>, <[token, 64] x f32> -> <[token, 128] x f32>
  %4 = braid.round %3 : <[token, 128] x f32> -> <[token, 128] x f16>
  braid.store %4, %y : <[token, 128] x f16>, <[token, 128] x f16>
}

// The row is f16 and the rounding point bf16: elements that pass through are rounded too.
// CHECK-LABEL: braid.kernel @other_dtype
braid.kernel @other_dtype axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f16>
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x bf16>
  %0 = braid.load %x : <[token, 128] x f16> -> <[token, 128] x f32>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
  // CHECK: %[[R:.*]] = braid.rope {{.*}} -> <[token, 128] x f32>
  // CHECK: braid.round %[[R]]
  %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, 128] x f32>, <[token, 64] x f32> -> <[token, 128] x f32>
  %3 = braid.round %2 : <[token, 128] x f32> -> <[token, 128] x bf16>
  braid.store %3, %y : <[token, 128] x bf16>, <[token, 128] x bf16>
}

// The unrounded row has another use.
// CHECK-LABEL: braid.kernel @used_twice
braid.kernel @used_twice axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x bf16>
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x bf16>
  %z = braid.operand output "z" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x bf16> -> <[token, 128] x f32>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
  // CHECK: %[[R:.*]] = braid.rope {{.*}} -> <[token, 128] x f32>
  // CHECK: %[[N:.*]] = braid.round %[[R]]
  // CHECK: braid.store %[[N]]
  // CHECK: braid.store %[[R]]
  %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, 128] x f32>, <[token, 64] x f32> -> <[token, 128] x f32>
  %3 = braid.round %2 : <[token, 128] x f32> -> <[token, 128] x bf16>
  braid.store %3, %y : <[token, 128] x bf16>, <[token, 128] x bf16>
  braid.store %2, %z : <[token, 128] x f32>, <[token, 128] x f32>
}

// layer_norm does not say that it can round.
// CHECK-LABEL: braid.kernel @norm
braid.kernel @norm axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x bf16>
  %g = braid.operand input "g" : !braid.tensor<[128] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x bf16>
  %0 = braid.load %x : <[token, 128] x bf16> -> <[token, 128] x f32>
  %1 = braid.load %g : <[128] x f32> -> <[128] x f32>
  // CHECK: %[[N:.*]] = braid.layer_norm {{.*}} -> <[token, 128] x f32>
  // CHECK: braid.round %[[N]]
  %2 = braid.layer_norm %0, %1, %1 eps 1.0e-6 : <[token, 128] x f32>, <[128] x f32>, <[128] x f32> -> <[token, 128] x f32>
  %3 = braid.round %2 : <[token, 128] x f32> -> <[token, 128] x bf16>
  braid.store %3, %y : <[token, 128] x bf16>, <[token, 128] x bf16>
}
