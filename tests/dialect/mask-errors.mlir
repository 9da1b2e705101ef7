// Masks and checks that hand-written IR may get wrong.
// RUN: braid-opt %s -split-input-file -verify-diagnostics

braid.kernel @axes axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 64] x f32>
  %s = braid.operand input "slot" : !braid.tensor<[token, 64] x i32>
  %y = braid.operand output "y" : !braid.tensor<[token, 64] x f32>
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 128, alignment = 1, fields = [<"value", f8E4M3FN, [32], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1)>]>>
  %slot = braid.load %s : !braid.tensor<[token, 64] x i32> -> !braid.value<[token, 64] x i32>
  %mask = braid.in_cache %slot in %p : !braid.value<[token, 64] x i32> in !braid.cache<<"one", page_size = 4, page_bytes = 128, alignment = 1, fields = [<"value", f8E4M3FN, [32], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1)>]>> -> !braid.value<[token, 64] x i1>
  %v = braid.load %x : !braid.tensor<[token, 64] x f32> -> !braid.value<[token, 64] x f32>
  // expected-error @below {{a mask is i1 over one run-time axis of what it masks}}
  braid.store %v, %y if %mask : !braid.value<[token, 64] x f32>, !braid.tensor<[token, 64] x f32> if !braid.value<[token, 64] x i1>
}

// -----

braid.kernel @no_mask axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token] x f32>
  %v = braid.load %x : !braid.tensor<[token] x f32> -> !braid.value<[token] x f32>
  // expected-error @below {{a mask is i1 over one run-time axis of what it masks}}
  braid.store %v, %y if %v : !braid.value<[token] x f32>, !braid.tensor<[token] x f32> if !braid.value<[token] x f32>
}

// -----

braid.kernel @number axes ["token"] parameters {} checks [["pos", "t"]] {
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %s = braid.operand input "pos" : !braid.tensor<[token] x i32>
  %pos = braid.load %s : !braid.tensor<[token] x i32> -> !braid.value<[token] x i32>
  // expected-error @below {{has no place in the kernel's checks}}
  braid.check 1 %pos in %t : !braid.value<[token] x i32> in !braid.tensor<[position, 64] x f32>
}

// -----

// expected-error @below {{checks are pairs of names: an index, and the table or cache it chooses in}}
braid.kernel @names axes ["token"] parameters {} checks ["pos"] {
}

// -----

braid.kernel @table axes ["token"] parameters {} checks [["pos", "s"]] {
  %s = braid.operand input "pos" : !braid.tensor<[token] x i32>
  %pos = braid.load %s : !braid.tensor<[token] x i32> -> !braid.value<[token] x i32>
  // expected-error @below {{needs a table whose leading axis is a run-time axis}}
  braid.check 0 %pos in %s : !braid.value<[token] x i32> in !braid.tensor<[token] x i32>
}
