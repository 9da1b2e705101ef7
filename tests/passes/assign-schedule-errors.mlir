// RUN: braid-opt %s -split-input-file -verify-diagnostics --braid-assign-schedule

module attributes {braid.target = "gfx942"} {
  braid.kernel @row_of_96 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 96] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 96] x f32>
    // expected-error @below {{[BR0402] rows of 96 elements are not supported}}
    // expected-note @below {{why: rows are powers of two from 2 to 1024 elements in this version}}
    // expected-note @below {{fix: pad the row or use a supported length}}
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 96] x f32> -> <[token, 96] x f32>
      braid.store %0, %y : <[token, 96] x f32>, <[token, 96] x f32>
    }
  }
}

// -----

module attributes {braid.target = "gfx942"} {
  braid.kernel @row_of_2048 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 2048] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 2048] x f32>
    // expected-error @below {{[BR0402] rows of 2048 elements are not supported}}
    // expected-note @below {{why: rows are powers of two from 2 to 1024 elements in this version}}
    // expected-note @below {{fix: pad the row or use a supported length}}
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 2048] x f32> -> <[token, 2048] x f32>
      braid.store %0, %y : <[token, 2048] x f32>, <[token, 2048] x f32>
    }
  }
}

// -----

// expected-error @below {{run --braid-resolve-target first: a schedule depends on the wave size}}
module {
}
