// Rules of the ops that give a program its structure.
// RUN: braid-opt %s -split-input-file -verify-diagnostics

// -----

braid.kernel @name_twice axes ["token"] parameters {} {
  %0 = braid.operand input "x" : !braid.tensor<[token] x f32>
  // expected-error @below {{'braid.operand' op declares `x` twice}}
  %1 = braid.operand output "x" : !braid.tensor<[token] x f32>
}

// -----

braid.kernel @cache_that_is_a_tensor axes ["token"] parameters {} {
  // expected-error @below {{'braid.operand' op the role cache and a !braid.cache type go together}}
  %0 = braid.operand cache "x" : !braid.tensor<[token] x f32>
}

// -----

braid.kernel @input_that_is_a_cache axes ["token"] parameters {} {
  // expected-error @below {{'braid.operand' op the role cache and a !braid.cache type go together}}
  %0 = braid.operand input "x" : !braid.cache<<"one", page_size = 1, page_bytes = 4, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>
}

// -----

braid.kernel @operand_that_is_a_value axes ["token"] parameters {} {
  // expected-error @below {{'braid.operand' op result #0 must be braid tensor or braid cache, but got '!braid.value<[token] x f32>'}}
  %0 = "braid.operand"() {name = "x", role = #braid<operand_role input>} : () -> !braid.value<[token] x f32>
}

// -----

braid.kernel @section_axes axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op axes must be #braid.axis attributes}}
  braid.section ["token"] {
  }
}

// -----

braid.kernel @schedule_letter axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op schedule needs letters r, l and w only, no l after a w}}
  braid.section [#braid.axis<token>] schedule <row = 8, bits = "rxl", workgroup = 64, token_groups = 32, row_groups = 1, in_flight = 1> {
  }
}

// -----

braid.kernel @schedule_bits axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op schedule needs one letter for each bit of the element index, and rows of at most 16384}}
  braid.section [#braid.axis<token>] schedule <row = 16, bits = "rrl", workgroup = 64, token_groups = 32, row_groups = 1, in_flight = 1> {
  }
}

// -----

braid.kernel @schedule_order axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op schedule needs letters r, l and w only, no l after a w}}
  braid.section [#braid.axis<token>] schedule <row = 8, bits = "rwl", workgroup = 64 lds 2048, token_groups = 16, row_groups = 1, in_flight = 1> {
  }
}

// -----

braid.kernel @schedule_strip axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op schedule needs registers for the bits above a strip}}
  braid.section [#braid.axis<token>] schedule <row = 2880, bits = "rrrrrrrrrrrl", workgroup = 64, token_groups = 32, row_groups = 1, in_flight = 1> {
  }
}

// -----

braid.kernel @schedule_side axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op schedule needs no more lanes for a side than for the main row}}
  braid.section [#braid.axis<token>] schedule <row = 8, bits = "rrl", workgroup = 64, token_groups = 32, row_groups = 1, in_flight = 1, sides = [<row = 4, bits = "ll">]> {
  }
}

// -----

braid.kernel @schedule_without_lds axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op schedule needs LDS for rows over several waves}}
  braid.section [#braid.axis<token>] schedule <row = 2048, bits = "rrrrllllllw", workgroup = 128, token_groups = 1, row_groups = 1, in_flight = 1> {
  }
}

// -----

braid.kernel @schedule_lds axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op schedule's LDS is a number of words for each thread}}
  braid.section [#braid.axis<token>] schedule <row = 8, bits = "rrl", workgroup = 64 lds 100, token_groups = 32, row_groups = 1, in_flight = 1> {
  }
}

// -----

braid.kernel @schedule_workgroup axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op schedule's workgroup has at most 1024 threads}}
  braid.section [#braid.axis<token>] schedule <row = 8, bits = "rrl", workgroup = 2048, token_groups = 1024, row_groups = 1, in_flight = 1> {
  }
}

// -----

braid.kernel @schedule_groups axes ["token"] parameters {} {
  // expected-error @below {{'braid.section' op schedule's groups do not fill the workgroup}}
  braid.section [#braid.axis<token>] schedule <row = 8, bits = "rrl", workgroup = 64, token_groups = 16, row_groups = 1, in_flight = 1> {
  }
}

// -----

// An extent counts elements.
braid.kernel @negative_extent axes ["token"] parameters {} {
  // expected-error @below {{an extent cannot be negative}}
  %0 = braid.operand input "x" : !braid.tensor<[token, -4] x f32>
}

// -----

braid.kernel @inout_read_late axes ["token"] parameters {} {
  %x = braid.operand inout "x" : !braid.tensor<[token, 128] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  braid.store %0, %x : <[token, 128] x f32>, <[token, 128] x f32>
  // expected-error @below {{'braid.load' op reads `x` after it is written}}
  %1 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  braid.store %1, %y : <[token, 128] x f32>, <[token, 128] x f32>
}

// -----

braid.kernel @inout_as_a_table axes ["token"] parameters {} {
  %x = braid.operand inout "x" : !braid.tensor<[position, 128] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %0 = braid.load %p : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{'braid.gather' op cannot use the inout `x` so}}
  %1 = braid.gather %x[%0] : <[position, 128] x f32>, <[token] x i64> -> <[token, 128] x f32>
}
