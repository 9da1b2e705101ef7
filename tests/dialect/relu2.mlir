// RUN: braid-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: braid.kernel @relu2
braid.kernel @relu2 axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // CHECK: braid.relu2 %{{.*}} : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.relu2 %0 : <[token, 128] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @relu2_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{'braid.relu2' op result is f32 over the axes of the operand that has them all}}
  %1 = braid.relu2 %0 : <[token, 128] x f32> -> <[token, 128] x bf16>
}
