// RUN: braid-opt %s --canonicalize | FileCheck %s
// RUN: braid-opt %s --canonicalize -o %t.once
// RUN: braid-opt %t.once --canonicalize -o %t.twice
// RUN: diff %t.once %t.twice

// Rotating no dims is the identity; what stays is the conversion, a rounding point that is exact.
// CHECK-LABEL: braid.kernel @rope_of_no_dims
braid.kernel @rope_of_no_dims axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[position, 0] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  // CHECK: %[[Y:.*]] = braid.operand output
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x f32>
  // CHECK: %[[X:.*]] = braid.load
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 0] x f32>, <[token] x i64> -> <[token, 0] x f32>
  // CHECK-NOT: braid.rope
  // CHECK-NOT: braid.round
  %2 = braid.rope %0, %1 neox dims 64 to 64 table joined : <[token, 128] x f32>, <[token, 0] x f32> -> <[token, 128] x f32>
  // CHECK: braid.store %[[X]], %[[Y]]
  braid.store %2, %y : <[token, 128] x f32>, <[token, 128] x f32>
}

// A narrow row is widened by a round.
// CHECK-LABEL: braid.kernel @rope_of_no_dims_widens
braid.kernel @rope_of_no_dims_widens axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[position, 0] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  // CHECK: %[[Y:.*]] = braid.operand output
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 0] x f32>, <[token] x i64> -> <[token, 0] x f32>
  // CHECK: %[[NARROW:.*]] = braid.round %{{.*}} -> <[token, 128] x bf16>
  %2 = braid.round %0 : <[token, 128] x f32> -> <[token, 128] x bf16>
  // CHECK: %[[WIDE:.*]] = braid.round %[[NARROW]] : <[token, 128] x bf16> -> <[token, 128] x f32>
  // CHECK-NOT: braid.rope
  %3 = braid.rope %2, %1 gptj dims 0 to 0 table joined : <[token, 128] x bf16>, <[token, 0] x f32> -> <[token, 128] x f32>
  // CHECK: braid.store %[[WIDE]], %[[Y]]
  braid.store %3, %y : <[token, 128] x f32>, <[token, 128] x f32>
}

// CHECK-LABEL: braid.kernel @round_of_round
braid.kernel @round_of_round axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  // CHECK: %[[Y:.*]] = braid.operand output
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x bf16>
  // CHECK: %[[X:.*]] = braid.load
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // CHECK: %[[ONCE:.*]] = braid.round %[[X]]
  %1 = braid.round %0 : <[token, 128] x f32> -> <[token, 128] x bf16>
  // CHECK-NOT: braid.round
  %2 = braid.round %1 : <[token, 128] x bf16> -> <[token, 128] x bf16>
  // CHECK: braid.store %[[ONCE]], %[[Y]]
  braid.store %2, %y : <[token, 128] x bf16>, <[token, 128] x bf16>
}

// Rounding to f32 is the identity.
// CHECK-LABEL: braid.kernel @round_to_f32
braid.kernel @round_to_f32 axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x f16>
  // CHECK: %[[Y:.*]] = braid.operand output
  %y = braid.operand output "y" : !braid.tensor<[token] x f32>
  // CHECK: %[[X:.*]] = braid.load
  %0 = braid.load %x : <[token] x f16> -> <[token] x f32>
  // CHECK-NOT: braid.round
  %1 = braid.round %0 : <[token] x f32> -> <[token] x f32>
  // CHECK: braid.store %[[X]], %[[Y]]
  braid.store %1, %y : <[token] x f32>, <[token] x f32>
}

// Through f32 and back to the dtype that the value had.
// CHECK-LABEL: braid.kernel @round_there_and_back
braid.kernel @round_there_and_back axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  // CHECK: %[[Y:.*]] = braid.operand output
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x bf16>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // CHECK: %[[NARROW:.*]] = braid.round
  %1 = braid.round %0 : <[token, 128] x f32> -> <[token, 128] x bf16>
  // CHECK-NOT: braid.round
  %2 = braid.round %1 : <[token, 128] x bf16> -> <[token, 128] x f32>
  %3 = braid.round %2 : <[token, 128] x f32> -> <[token, 128] x bf16>
  // CHECK: braid.store %[[NARROW]], %[[Y]]
  braid.store %3, %y : <[token, 128] x bf16>, <[token, 128] x bf16>
}

// Two formats in a row stay two rounding points: f16 first loses what bf16 would see.
// CHECK-LABEL: braid.kernel @two_formats
braid.kernel @two_formats axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token] x bf16>
  %0 = braid.load %x : <[token] x f32> -> <[token] x f32>
  // CHECK: %[[F16:.*]] = braid.round %{{.*}} -> <[token] x f16>
  // CHECK: braid.round %[[F16]] : <[token] x f16> -> <[token] x bf16>
  %1 = braid.round %0 : <[token] x f32> -> <[token] x f16>
  %2 = braid.round %1 : <[token] x f16> -> <[token] x bf16>
  braid.store %2, %y : <[token] x bf16>, <[token] x bf16>
}

// A part of a loaded row is a load of its own.
// CHECK-LABEL: braid.kernel @parts
braid.kernel @parts axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 96] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 64] x f32>
  // CHECK: %[[A:.*]] = braid.load %{{.*}} from 64 : <[token, 96] x f32> -> <[token, 32] x f32>
  // CHECK: %[[B:.*]] = braid.load %{{.*}} from 16 : <[token, 96] x f32> -> <[token, 32] x f32>
  // CHECK: braid.concat %[[A]], %[[B]]
  %0 = braid.load %x : <[token, 96] x f32> -> <[token, 96] x f32>
  %1 = braid.slice %0 64 to 96 : <[token, 96] x f32> -> <[token, 32] x f32>
  %2 = braid.slice %0 8 to 96 : <[token, 96] x f32> -> <[token, 88] x f32>
  %3 = braid.slice %2 8 to 40 : <[token, 88] x f32> -> <[token, 32] x f32>
  %4 = braid.concat %1, %3 : !braid.value<[token, 32] x f32>, !braid.value<[token, 32] x f32> -> <[token, 64] x f32>
  braid.store %4, %y : <[token, 64] x f32>, <[token, 64] x f32>
}
