// RUN: braid-opt %s -split-input-file -verify-diagnostics
//
// Hand-written IR that breaks the structure is refused by a verifier; nothing reaches an assertion.

braid.kernel @a axes ["token"] parameters {} {
  // expected-error @below {{no dtype of the language: 'i8'}}
  %x = braid.operand input "x" : !braid.tensor<[token, 64] x i8>
  %y = braid.operand output "y" : !braid.tensor<[token, 64] x i8>
  %0 = braid.load %x : <[token, 64] x i8> -> <[token, 64] x i8>
  braid.store %0, %y : <[token, 64] x i8>, <[token, 64] x i8>
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op needs at least its run-time axis}}
  braid.section [] {
  }
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  // expected-error @below {{field "value": no dtype of the language: 'i8'}}
  // expected-error @below {{failed to parse Braid_LayoutAttr parameter 'fields'}}
  // expected-error @below {{failed to parse Braid_CacheType parameter 'layout'}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 1, fields = [<"value", i8, [], buffer = 0, at = (d0) -> (d0)>]>>
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  // expected-error @below {{'emitc.constant' op is no operation of a kernel}}
  %c = "emitc.constant"() <{value = 1 : i32}> : () -> i32
  %x = braid.operand input "x" : !braid.tensor<[token, 64] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 64] x f32>
  %0 = braid.load %x : <[token, 64] x f32> -> <[token, 64] x f32>
  braid.store %0, %y : <[token, 64] x f32>, <[token, 64] x f32>
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x bf16>
  %0 = braid.load %p : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{'braid.gather' op result is f32 over the positions' axes and the table's row}}
  %1 = braid.gather %t[%0] : <[position, 64] x f32>, <[token] x i64> -> <[token, 128] x bf16>
  braid.store %1, %y : <[token, 128] x bf16>, <[token, 128] x bf16>
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  %x = braid.operand output "x" : !braid.tensor<[token, 64] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 64] x f32>
  // expected-error @below {{'braid.load' op cannot use the output `x` so}}
  %0 = braid.load %x : <[token, 64] x f32> -> <[token, 64] x f32>
  braid.store %0, %y : <[token, 64] x f32>, <[token, 64] x f32>
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  // expected-error @below {{field "value" needs a map from the token and its 0 indices to one byte offset}}
  // expected-error @below {{failed to parse Braid_LayoutAttr parameter 'fields'}}
  // expected-error @below {{failed to parse Braid_CacheType parameter 'layout'}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 1, fields = [<"value", !braid.fp8, [], buffer = 0, at = (d0, d1) -> (d0 + d1)>]>>
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  // expected-error @below {{field "value" needs a map from the token and its 0 indices to one byte offset}}
  // expected-error @below {{failed to parse Braid_LayoutAttr parameter 'fields'}}
  // expected-error @below {{failed to parse Braid_CacheType parameter 'layout'}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 1, fields = [<"value", !braid.fp8, [], buffer = 0, at = (d0) -> ()>]>>
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  // expected-error @below {{field "value" needs a map from the token and its 0 indices to one byte offset}}
  // expected-error @below {{failed to parse Braid_LayoutAttr parameter 'fields'}}
  // expected-error @below {{failed to parse Braid_CacheType parameter 'layout'}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 1, fields = [<"value", !braid.fp8, [], buffer = 0, at = (d0)[s0] -> (d0 + s0)>]>>
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  // expected-error @below {{layout "one" needs a positive page size and bytes, and a power of two as alignment}}
  // expected-error @below {{failed to parse Braid_CacheType parameter 'layout'}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = -16, alignment = 1, fields = [<"value", !braid.fp8, [], buffer = 0, at = (d0) -> (d0)>]>>
}

// -----

  // expected-error @below {{'braid.kernel' op parameter "heads" must be canonical text}}
braid.kernel @a axes ["token"] parameters {heads = 64 : i64} {
  %x = braid.operand input "x" : !braid.tensor<[token, 64] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 64] x f32>
  %0 = braid.load %x : <[token, 64] x f32> -> <[token, 64] x f32>
  braid.store %0, %y : <[token, 64] x f32>, <[token, 64] x f32>
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op schedule's groups do not fill the workgroup}}
  braid.section [#braid.axis<token>] schedule <row = 128, bits = "lllllll", workgroup = 64, token_groups = 0, row_groups = 0, in_flight = 0> {
  }
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 64] x f32>
  %0 = braid.load %x : <[token, 64] x f32> -> <[token, 64] x f32>
  // expected-error @below {{'braid.store' op cannot use the input `x` so}}
  braid.store %0, %x : <[token, 64] x f32>, <[token, 64] x f32>
}

// -----

braid.kernel @a axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 64] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 64] x f32>
  %0 = braid.load %x : <[token, 64] x f32> -> <[token, 64] x f32>
  // expected-error @below {{'braid.store' op writes `y`, which another operation writes already}}
  braid.store %0, %y : <[token, 64] x f32>, <[token, 64] x f32>
  braid.store %0, %y : <[token, 64] x f32>, <[token, 64] x f32>
}

// -----

  // expected-error @below {{'braid.kernel' op declares operands by braid.operand, not as block arguments}}
"braid.kernel"() <{sym_name = "a", axes = ["token"], parameters = {}}> ({
^bb0(%y: !braid.tensor<[token] x f32>):
  %x = braid.operand input "x" : !braid.tensor<[token] x f32>
  %0 = braid.load %x : <[token] x f32> -> <[token] x f32>
  braid.store %0, %y : <[token] x f32>, <[token] x f32>
}) : () -> ()
