// RUN: braid-opt %s -split-input-file -verify-diagnostics --braid-form-sections

// -----

// The scale of all heads of a token needs the scales of every head: rows over token would hold rows over
// token and heads.
braid.kernel @mixed axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, heads = 4, 64] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token] x f32>
  // expected-error @below {{[BR0222] these values need rows over [token, heads] and over [token] at once}}
  // expected-note @below {{why: an op is computed once for each row of one list of leading axes}}
  // expected-note @below {{fix: store the values over [token, heads] and over [token] separately}}
  %0 = braid.load %x : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  %codes, %scale = braid.quantize %0 scale ue8m0 floor 1.0e-4 : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f8E4M3FN>, <[token, heads = 4] x f32>
  %codes2, %scale2 = braid.quantize %scale scale ue8m0 floor 1.0e-4 : <[token, heads = 4] x f32> -> <[token, heads = 4] x f8E4M3FN>, <[token] x f32>
  braid.store %scale2, %y : <[token] x f32>, <[token] x f32>
}

// -----

// A stored value over constants only: nothing counts its workgroups.
braid.kernel @no_runtime_axis axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[heads = 4, 64] x f32>
  %y = braid.operand output "y" : !braid.tensor<[heads = 4, 64] x f32>
  %0 = braid.load %x : <[heads = 4, 64] x f32> -> <[heads = 4, 64] x f32>
  // expected-error @below {{[BR0406] rows over [heads] have 0 run-time axes}}
  // expected-note @below {{why: workgroups are counted along exactly one run-time axis}}
  // expected-note @below {{fix: use one declared axis as the leading axis of every stored value}}
  braid.store %0, %y : <[heads = 4, 64] x f32>, <[heads = 4, 64] x f32>
}

// -----

braid.kernel @two_runtime_axes axes ["token", "key"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, key, 64] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, key, 64] x f32>
  %0 = braid.load %x : <[token, key, 64] x f32> -> <[token, key, 64] x f32>
  // expected-error @below {{[BR0406] rows over [token, key] have 2 run-time axes}}
  // expected-note @below {{why: workgroups are counted along exactly one run-time axis}}
  // expected-note @below {{fix: use one declared axis as the leading axis of every stored value}}
  braid.store %0, %y : <[token, key, 64] x f32>, <[token, key, 64] x f32>
}

// -----

braid.kernel @runtime_axis_behind axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[heads = 4, token, 64] x f32>
  %y = braid.operand output "y" : !braid.tensor<[heads = 4, token, 64] x f32>
  %0 = braid.load %x : <[heads = 4, token, 64] x f32> -> <[heads = 4, token, 64] x f32>
  // expected-error @below {{[BR0406] rows over [heads, token] have 1 run-time axes}}
  // expected-note @below {{why: workgroups are counted along exactly one run-time axis}}
  // expected-note @below {{fix: use one declared axis as the leading axis of every stored value}}
  braid.store %0, %y : <[heads = 4, token, 64] x f32>, <[heads = 4, token, 64] x f32>
}

// -----

// Each of the four heads reads a whole row, and writes one element of it.
braid.kernel @inout_read_as_a_row axes ["token"] parameters {} {
  %x = braid.operand inout "x" : !braid.tensor<[token, heads = 4] x f32>
  %g = braid.operand input "g" : !braid.tensor<[token, heads = 4] x f32>
  // expected-error @below {{[BR0410] `x` is written for each row over [token, heads], but its value at entry is needed for each row over [token]}}
  // expected-note @below {{why: a row is read whole before it is written by the lanes that hold it}}
  // expected-note @below {{fix: write to an output instead, and pass what is read as an input}}
  %0 = braid.load %x : <[token, heads = 4] x f32> -> <[token, heads = 4] x f32>
  %1 = braid.sum %0 : <[token, heads = 4] x f32> -> <[token] x f32>
  %2 = braid.load %g : <[token, heads = 4] x f32> -> <[token, heads = 4] x f32>
  %3 = braid.mul %1, %2 : <[token] x f32>, <[token, heads = 4] x f32> -> <[token, heads = 4] x f32>
  braid.store %3, %x : <[token, heads = 4] x f32>, <[token, heads = 4] x f32>
}
