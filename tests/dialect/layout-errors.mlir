// Page layouts are checked byte by byte once the target is known.
// RUN: braid-opt %s -split-input-file -verify-diagnostics --braid-resolve-target=target=gfx942

// -----

// Two fields on one byte.
braid.kernel @overlap axes ["token"] parameters {} {
  // expected-error @below {{[BR0306] byte 124 of the page is used by `value` and by `scale`, at scale[t = 0] of `scale`}}
  // expected-note @below {{why: fields of a page must not meet, and a map must be one-to-one}}
  // expected-note @below {{fix: change the address of `scale`}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 144, alignment = 4, fields = [<"value", !braid.fp8, [32], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1)>, <"scale", f32, [], buffer = 0, at = (d0) -> (d0 * 4 + 124)>]>>
}

// -----

// One field whose map is not one-to-one.
braid.kernel @not_injective axes ["token"] parameters {} {
  // expected-error @below {{[BR0306] byte 16 of the page is used by `value` and by `value`, at value[t = 1, 0] of `value`}}
  // expected-note @below {{why: fields of a page must not meet, and a map must be one-to-one}}
  // expected-note @below {{fix: change the address of `value`}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 128, alignment = 1, fields = [<"value", !braid.fp8, [32], buffer = 0, at = (d0, d1) -> (d0 * 16 + d1)>]>>
}

// -----

braid.kernel @outside axes ["token"] parameters {} {
  // expected-error @below {{[BR0307] `scale` at scale[t = 3] lies at bytes 140..143, outside the page of 140 bytes}}
  // expected-note @below {{why: a page may not reach into the next one}}
  // expected-note @below {{fix: change the address or the bytes of the page}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 140, alignment = 4, fields = [<"value", !braid.fp8, [32], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1)>, <"scale", f32, [], buffer = 0, at = (d0) -> (d0 * 4 + 128)>]>>
}

// -----

braid.kernel @before_the_page axes ["token"] parameters {} {
  // expected-error @below {{[BR0307] `scale` at scale[t = 0] lies at bytes -4..-1, outside the page of 16 bytes}}
  // expected-note @below {{why: a page may not reach into the next one}}
  // expected-note @below {{fix: change the address or the bytes of the page}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"scale", f32, [], buffer = 0, at = (d0) -> (d0 * 4 - 4)>]>>
}

// -----

braid.kernel @misaligned axes ["token"] parameters {} {
  // expected-error @below {{[BR0308] `scale` at scale[t = 1] lies at byte 6, which is no multiple of 4}}
  // expected-note @below {{why: an element is stored in one piece and must be aligned to its own size}}
  // expected-note @below {{fix: pad the field to a multiple of 4 bytes}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 32, alignment = 4, fields = [<"scale", f32, [], buffer = 0, at = (d0) -> (d0 * 6)>]>>
}

// -----

// A division by zero is no address.
braid.kernel @modulo_zero axes ["token"] parameters {} {
  // expected-error @below {{[BR0318] the address of `value` at value[t = 0] cannot be computed in 32 bits}}
  // expected-note @below {{why: kernels compute addresses in unsigned 32-bit integers: constants stay below 2^31, and what is divided is not negative}}
  // expected-note @below {{fix: use smaller constants, and add before you divide}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 1, fields = [<"value", !braid.fp8, [], buffer = 0, at = (d0) -> (d0 mod (d0 - d0))>]>>
}

// -----

braid.kernel @too_large axes ["token"] parameters {} {
  // expected-error @below {{[BR0309] a page of 4194305 bytes is too large}}
  // expected-note @below {{why: pages have at most 4194304 bytes, and every byte of one is checked}}
  // expected-note @below {{fix: use fewer tokens a page or shorter rows}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 1, page_bytes = 4194305, alignment = 1, fields = [<"value", !braid.fp8, [], buffer = 0, at = (d0) -> (d0)>]>>
}

// -----

// The second buffer has bytes of its own.
braid.kernel @outside_its_buffer axes ["token"] parameters {} {
  // expected-error @below {{[BR0307] `scale` at scale[t = 3] lies at bytes 12..15, outside the page of buffer 1 of 12 bytes}}
  // expected-note @below {{why: a page may not reach into the next one}}
  // expected-note @below {{fix: change the address or the bytes of the page}}
  %p = braid.operand cache "p" : !braid.cache<<"two", page_size = 4, page_bytes = [64, 12], alignment = [1, 4], fields = [<"value", !braid.fp8, [], buffer = 0, at = (d0) -> (d0)>, <"scale", f32, [], buffer = 1, at = (d0) -> (d0 * 4)>]>>
}

// -----

// Elements of 4 bits are checked bit by bit.
braid.kernel @half_bytes axes ["token"] parameters {} {
  // expected-error @below {{[BR0306] byte 7 of the page is used by `value` and by `scale`, at scale[t = 1] of `scale`}}
  // expected-note @below {{why: fields of a page must not meet, and a map must be one-to-one}}
  // expected-note @below {{fix: change the address of `scale`}}
  %p = braid.operand cache "p" : !braid.cache<<"half", page_size = 2, page_bytes = 8, alignment = 1, fields = [<"value", f4E2M1FN, [7], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1 * 4 + 4)>, <"scale", f4E2M1FN, [], buffer = 0, at = (d0) -> (d0 * 56)>]>>
}

// -----

// Half bytes side by side, in one byte each.
braid.kernel @half_bytes_right axes ["token"] parameters {} {
  %p = braid.operand cache "p" : !braid.cache<<"half", page_size = 2, page_bytes = 8, alignment = 1, fields = [<"value", f4E2M1FN, [7], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1 * 4 + 4)>, <"scale", f4E2M1FN, [], buffer = 0, at = (d0) -> (d0 * 32)>]>>
}

// -----

// 2^31 would be no 32-bit literal in the text.
braid.kernel @large_constant axes ["token"] parameters {} {
  // expected-error @below {{[BR0318] the address of `value` at value[t = 0] cannot be computed in 32 bits}}
  // expected-note @below {{why: kernels compute addresses in unsigned 32-bit integers: constants stay below 2^31, and what is divided is not negative}}
  // expected-note @below {{fix: use smaller constants, and add before you divide}}
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 1, page_bytes = 16, alignment = 1, fields = [<"value", !braid.fp8, [], buffer = 0, at = (d0) -> (d0 * 2147483648)>]>>
}
