// RUN: braid-opt %s -verify-diagnostics --braid-form-sections

// A check whose index nothing stored depends on has no place.
braid.kernel @nobody axes ["token"] parameters {} checks [["pos", "t"]] {
  %x = braid.operand input "x" : !braid.tensor<[token, 64] x f32>
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %p = braid.operand input "pos" : !braid.tensor<[token] x i32>
  %y = braid.operand output "y" : !braid.tensor<[token, 64] x f32>
  %pos = braid.load %p : !braid.tensor<[token] x i32> -> !braid.value<[token] x i32>
  %v = braid.load %x : !braid.tensor<[token, 64] x f32> -> !braid.value<[token, 64] x f32>
  braid.store %v, %y : !braid.value<[token, 64] x f32>, !braid.tensor<[token, 64] x f32>
  // expected-error @below {{observes values that no store needs together}}
  braid.check 0 %pos in %t : !braid.value<[token] x i32> in !braid.tensor<[position, 64] x f32>
}
