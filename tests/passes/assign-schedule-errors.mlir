// RUN: braid-opt %s -split-input-file -verify-diagnostics --braid-assign-schedule

module attributes {braid.target = "gfx942"} {
  braid.kernel @row_of_16385 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 16385] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 16385] x f32>
    // expected-error @below {{[BR0402] rows of 16385 elements are not supported}}
    // expected-note @below {{why: rows have from 1 to 16384 elements}}
    // expected-note @below {{fix: split the row or use a supported length}}
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 16385] x f32> -> <[token, 16385] x f32>
      braid.store %0, %y : <[token, 16385] x f32>, <[token, 16385] x f32>
    }
  }
}

// -----

// expected-error @below {{run --braid-resolve-target first: a schedule depends on the wave size}}
module {
}
