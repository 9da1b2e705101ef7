// An input is nothing that --outputs selects, and neither is a name that nothing has.
// RUN: braid-opt %s -split-input-file -verify-diagnostics --braid-select-outputs=outputs=x

// -----

// expected-error @below {{[BR0404] there is no output or cache `x`}}
// expected-note @below {{why: --outputs selects among the stored values}}
// expected-note @below {{fix: use some of these}}
braid.kernel @unknown axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token] x f32>
  %z = braid.operand output "z" : !braid.tensor<[token] x f32>
  %0 = braid.load %x : <[token] x f32> -> <[token] x f32>
  braid.store %0, %y : <[token] x f32>, <[token] x f32>
  braid.store %0, %z : <[token] x f32>, <[token] x f32>
}

// -----

// expected-error @below {{[BR0405] kernel nothing stores nothing}}
// expected-note @below {{why: a value that reaches no output and no cache is never computed}}
// expected-note @below {{fix: assign to an output or store to a cache}}
braid.kernel @nothing axes ["token"] parameters {} {
  %x = braid.operand output "x" : !braid.tensor<[token] x f32>
}
