// One case for each rule of the ops' verifiers.
// RUN: braid-opt %s -split-input-file -verify-diagnostics

// -----

// rope: the row needs a constant last axis.
braid.kernel @rope_row axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x f32>
  %t = braid.operand input "t" : !braid.tensor<[token, 64] x f32>
  %0 = braid.load %x : <[token] x f32> -> <[token] x f32>
  %1 = braid.load %t : <[token, 64] x f32> -> <[token, 64] x f32>
  // expected-error @below {{[BR0208] `rope` needs rows, but its operand is over [token]}}
  // expected-note @below {{why: row operations act on the last axis}}
  // expected-note @below {{fix: give it a value whose last axis is no run-time axis}}
  %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token] x f32>, <[token, 64] x f32> -> <[token] x f32>
}

// -----

// rope: integers are no numbers.
braid.kernel @rope_integers axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x i32>
  %t = braid.operand input "t" : !braid.tensor<[token, 64] x f32>
  %0 = braid.load %x : <[token, 128] x i32> -> <[token, 128] x i32>
  %1 = braid.load %t : <[token, 64] x f32> -> <[token, 64] x f32>
  // expected-error @below {{[BR0213] integers are only indices, but this value of i32 is used as a number}}
  // expected-note @below {{why: slots and positions address tables and caches; they are never rounded to f32}}
  // expected-note @below {{fix: use an f32, bf16 or f16 tensor}}
  %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, 128] x i32>, <[token, 64] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rope_outside axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[token, 64] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %t : <[token, 64] x f32> -> <[token, 64] x f32>
  // expected-error @below {{[BR0201] rotated range 66..130 does not lie in a row of 128}}
  // expected-note @below {{argument: dims}}
  // expected-note @below {{why: rope turns dims of the row it is given}}
  // expected-note @below {{fix: use a range inside 0..128}}
  %2 = braid.rope %0, %1 neox dims 66 to 130 table joined : <[token, 128] x f32>, <[token, 64] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rope_backwards axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[token, 64] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %t : <[token, 64] x f32> -> <[token, 64] x f32>
  // expected-error @below {{[BR0201] rotated range 64..0 does not lie in a row of 128}}
  // expected-note @below {{argument: dims}}
  // expected-note @below {{why: rope turns dims of the row it is given}}
  // expected-note @below {{fix: use a range inside 0..128}}
  %2 = braid.rope %0, %1 neox dims 64 to 0 table joined : <[token, 128] x f32>, <[token, 64] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rope_odd axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[token, 63] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %t : <[token, 63] x f32> -> <[token, 63] x f32>
  // expected-error @below {{[BR0203] rotated range 1..64 has an odd length}}
  // expected-note @below {{argument: dims}}
  // expected-note @below {{why: rope turns pairs of dims; 63 dims leave one without a partner}}
  // expected-note @below {{fix: use an even range}}
  %2 = braid.rope %0, %1 neox dims 1 to 64 table joined : <[token, 128] x f32>, <[token, 63] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rope_table_width axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[token, 32] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %t : <[token, 32] x f32> -> <[token, 32] x f32>
  // expected-error @below {{[BR0202] the table row has 32 elements, but 64 dims are rotated}}
  // expected-note @below {{argument: angles}}
  // expected-note @below {{why: a joined table row holds one cosine and one sine for each pair of dims}}
  // expected-note @below {{fix: declare the table with a last axis of 64, or rotate 32 dims}}
  %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, 128] x f32>, <[token, 32] x f32> -> <[token, 128] x f32>
}

// -----

// rope: the table's rows belong to other axes than the row's.
braid.kernel @rope_axes axes ["token", "key"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[key, 64] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %t : <[key, 64] x f32> -> <[key, 64] x f32>
  // expected-error @below {{[BR0204] values over [key] and [token] cannot be combined}}
  // expected-note @below {{why: the axes of each operand must be a subsequence of the axes of the one that has them all; two named axes match by name, others by equal extent}}
  // expected-note @below {{fix: rename an axis or change an extent so that one operand has the axes of all}}
  %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, 128] x f32>, <[key, 64] x f32> -> <[token, 128] x f32>
}

// -----

// rope: two unnamed axes of one extent could both be the table's.
braid.kernel @rope_ambiguous axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[4, 4, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[4, 64] x f32>
  %0 = braid.load %x : <[4, 4, 128] x f32> -> <[4, 4, 128] x f32>
  %1 = braid.load %t : <[4, 64] x f32> -> <[4, 64] x f32>
  // expected-error @below {{[BR0205] the axes [4] fit into [4, 4] in more than one way}}
  // expected-note @below {{why: unnamed axes match by extent, and here two of them have the same extent}}
  // expected-note @below {{fix: name the axes with int parameters}}
  %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[4, 4, 128] x f32>, <[4, 64] x f32> -> <[4, 4, 128] x f32>
}

// -----

// rope: a rounded result needs a row that is exact in its dtype.
braid.kernel @rope_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f16>
  %t = braid.operand input "t" : !braid.tensor<[token, 64] x f32>
  %0 = braid.load %x : <[token, 128] x f16> -> <[token, 128] x f32>
  %1 = braid.load %t : <[token, 64] x f32> -> <[token, 64] x f32>
  // expected-error @below {{'braid.rope' op result has the row's axes and f32, or a dtype that holds the row exactly}}
  %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, 128] x f32>, <[token, 64] x f32> -> <[token, 128] x bf16>
}

// -----

braid.kernel @norm_row axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x f32>
  %g = braid.operand input "g" : !braid.tensor<[128] x f32>
  %0 = braid.load %x : <[token] x f32> -> <[token] x f32>
  %1 = braid.load %g : <[128] x f32> -> <[128] x f32>
  // expected-error @below {{[BR0208] `layer_norm` needs rows, but its operand is over [token]}}
  // expected-note @below {{why: row operations act on the last axis}}
  // expected-note @below {{fix: give it a value whose last axis is no run-time axis}}
  %2 = braid.layer_norm %0, %1, %1 eps 1.0e-6 : <[token] x f32>, <[128] x f32>, <[128] x f32> -> <[token] x f32>
}

// -----

braid.kernel @norm_gamma axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %g = braid.operand input "g" : !braid.tensor<[64] x f32>
  %b = braid.operand input "b" : !braid.tensor<[128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %g : <[64] x f32> -> <[64] x f32>
  %2 = braid.load %b : <[128] x f32> -> <[128] x f32>
  // expected-error @below {{[BR0215] `gamma` has 64 elements, but the rows have 128}}
  // expected-note @below {{argument: gamma}}
  // expected-note @below {{why: the weights of a norm hold one value for each element of a row}}
  // expected-note @below {{fix: declare it with axis 128}}
  %3 = braid.layer_norm %0, %1, %2 eps 1.0e-6 : <[token, 128] x f32>, <[64] x f32>, <[128] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @norm_beta axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %g = braid.operand input "g" : !braid.tensor<[128] x f32>
  %b = braid.operand input "b" : !braid.tensor<[64] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %g : <[128] x f32> -> <[128] x f32>
  %2 = braid.load %b : <[64] x f32> -> <[64] x f32>
  // expected-error @below {{[BR0215] `beta` has 64 elements, but the rows have 128}}
  // expected-note @below {{argument: beta}}
  // expected-note @below {{why: the weights of a norm hold one value for each element of a row}}
  // expected-note @below {{fix: declare it with axis 128}}
  %3 = braid.layer_norm %0, %1, %2 eps 1.0e-6 : <[token, 128] x f32>, <[128] x f32>, <[64] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @norm_weight_axes axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %g = braid.operand input "g" : !braid.tensor<[heads = 4, 128] x f32>
  %b = braid.operand input "b" : !braid.tensor<[128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %g : <[heads = 4, 128] x f32> -> <[heads = 4, 128] x f32>
  %2 = braid.load %b : <[128] x f32> -> <[128] x f32>
  // expected-error @below {{[BR0204] values over [heads] and [token] cannot be combined}}
  // expected-note @below {{why: the axes of each operand must be a subsequence of the axes of the one that has them all; two named axes match by name, others by equal extent}}
  // expected-note @below {{fix: rename an axis or change an extent so that one operand has the axes of all}}
  %3 = braid.layer_norm %0, %1, %2 eps 1.0e-6 : <[token, 128] x f32>, <[heads = 4, 128] x f32>, <[128] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @norm_negative_eps axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %g = braid.operand input "g" : !braid.tensor<[128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %g : <[128] x f32> -> <[128] x f32>
  // expected-error @below {{[BR0216] eps -1e-06 is not usable}}
  // expected-note @below {{argument: eps}}
  // expected-note @below {{why: eps is added to a variance or a mean square, so it must be finite and not negative}}
  // expected-note @below {{fix: use the model's own value, for example 1e-6}}
  %2 = braid.layer_norm %0, %1, %1 eps -1.0e-6 : <[token, 128] x f32>, <[128] x f32>, <[128] x f32> -> <[token, 128] x f32>
}

// -----

// layer_norm: eps is finite in f32, not only in double.
braid.kernel @norm_infinite_eps axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %g = braid.operand input "g" : !braid.tensor<[128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %g : <[128] x f32> -> <[128] x f32>
  // expected-error @below {{[BR0216] eps 1e+39 is not usable}}
  // expected-note @below {{argument: eps}}
  // expected-note @below {{why: eps is added to a variance or a mean square, so it must be finite and not negative}}
  // expected-note @below {{fix: use the model's own value, for example 1e-6}}
  %2 = braid.layer_norm %0, %1, %1 eps 1.0e39 : <[token, 128] x f32>, <[128] x f32>, <[128] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @norm_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %g = braid.operand input "g" : !braid.tensor<[128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %1 = braid.load %g : <[128] x f32> -> <[128] x f32>
  // expected-error @below {{'braid.layer_norm' op result is f32 over the row's axes}}
  %2 = braid.layer_norm %0, %1, %1 eps 1.0e-6 : <[token, 128] x f32>, <[128] x f32>, <[128] x f32> -> <[token, 128] x bf16>
}

// -----

braid.kernel @quantize_row axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x f32>
  %0 = braid.load %x : <[token] x f32> -> <[token] x f32>
  // expected-error @below {{[BR0208] `quantize` needs rows, but its operand is over [token]}}
  // expected-note @below {{why: row operations act on the last axis}}
  // expected-note @below {{fix: give it a value whose last axis is no run-time axis}}
  %c, %s = braid.quantize %0 scale ue8m0 floor 1.0e-4 : <[token] x f32> -> <[token] x !braid.fp8>, <[] x f32>
}

// -----

braid.kernel @quantize_format axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0209] `e8m0` is not a format that quantize can write}}
  // expected-note @below {{argument: format}}
  // expected-note @below {{why: codes are narrow floats, whose values a scale brings into range}}
  // expected-note @below {{fix: use fp8, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz or f4e2m1}}
  %c, %s = braid.quantize %0 scale ue8m0 floor 1.0e-4 : <[token, 128] x f32> -> <[token, 128] x f8E8M0FNU>, <[token] x f32>
}

// -----

// quantize: 448 is a value of e4m3fn, not of e4m3fnuz.
braid.kernel @quantize_max axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0211] max 448 is not usable with f8e4m3fnuz}}
  // expected-note @below {{argument: max}}
  // expected-note @below {{why: codes go up to max, so it is at most the format's largest value 240, and at least 4, or the largest f32 would have no scale}}
  // expected-note @below {{fix: leave max out, or use a value from 4 to 240}}
  %c, %s = braid.quantize %0 scale ue8m0 floor 1.0e-4 max 448.0 : <[token, 128] x f32> -> <[token, 128] x f8E4M3FNUZ>, <[token] x f32>
}

// -----

braid.kernel @quantize_max_zero axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0211] max 0 is not usable with f8e4m3fn}}
  // expected-note @below {{argument: max}}
  // expected-note @below {{why: codes go up to max, so it is at most the format's largest value 448, and at least 4, or the largest f32 would have no scale}}
  // expected-note @below {{fix: leave max out, or use a value from 4 to 448}}
  %c, %s = braid.quantize %0 scale ue8m0 floor 1.0e-4 max 0.0 : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @quantize_floor axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0210] floor 0 is not usable with max 448}}
  // expected-note @below {{argument: floor}}
  // expected-note @below {{why: the floor must be positive and large enough that the scale stays a normal number (scale >= 2^-126)}}
  // expected-note @below {{fix: use a floor of at least 5.2662147e-36}}
  %c, %s = braid.quantize %0 scale ue8m0 floor 0.0 : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @quantize_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{'braid.quantize' op codes have the row's axes; scales its axes less the last, and for groups an unnamed one of the groups}}
  %c, %s = braid.quantize %0 scale ue8m0 floor 1.0e-4 : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token, 128] x f32>
}

// -----

braid.kernel @quantize_given_floor axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %g = braid.constant 1.0 : <[] x f32>
  // expected-error @below {{[BR0281] a given scale has no floor}}
  // expected-note @below {{argument: floor}}
  // expected-note @below {{why: the floor bounds an amax from below, and a given scale needs no amax}}
  // expected-note @below {{fix: leave floor out}}
  %c, %s = braid.quantize %0 scale given(%g : !braid.value<[] x f32>) floor 1.0e-4 : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @quantize_given_zero axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %g = braid.constant 0.0 : <[] x f32>
  // expected-error @below {{[BR0282] 0 is not usable as a scale}}
  // expected-note @below {{argument: scale}}
  // expected-note @below {{why: a scale is positive, and a normal number so that its reciprocal is finite}}
  // expected-note @below {{fix: use a number of at least 1.1754944e-38}}
  %c, %s = braid.quantize %0 scale given(%g : !braid.value<[] x f32>) : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @quantize_given_negative axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %g = braid.constant -1.0 : <[] x f32>
  // expected-error @below {{[BR0282] -1 is not usable as a scale}}
  // expected-note @below {{argument: scale}}
  // expected-note @below {{why: a scale is positive, and a normal number so that its reciprocal is finite}}
  // expected-note @below {{fix: use a number of at least 1.1754944e-38}}
  %c, %s = braid.quantize %0 scale given(%g : !braid.value<[] x f32>) : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @quantize_given_subnormal axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %g = braid.constant 1.0e-39 : <[] x f32>
  // expected-error @below {{[BR0282] 1e-39 is not usable as a scale}}
  // expected-note @below {{argument: scale}}
  // expected-note @below {{why: a scale is positive, and a normal number so that its reciprocal is finite}}
  // expected-note @below {{fix: use a number of at least 1.1754944e-38}}
  %c, %s = braid.quantize %0 scale given(%g : !braid.value<[] x f32>) : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @quantize_given_infinite axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %g = braid.constant 0x7F800000 : <[] x f32>
  // expected-error @below {{[BR0282] inf is not usable as a scale}}
  // expected-note @below {{argument: scale}}
  // expected-note @below {{why: a scale is positive, and a normal number so that its reciprocal is finite}}
  // expected-note @below {{fix: use a number of at least 1.1754944e-38}}
  %c, %s = braid.quantize %0 scale given(%g : !braid.value<[] x f32>) : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @quantize_group axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0283] groups of 16 elements are not supported}}
  // expected-note @below {{argument: group}}
  // expected-note @below {{why: a group is the whole row, or what kernels that read the codes take at once}}
  // expected-note @below {{fix: use group = row, 32, 64 or 128}}
  %c, %s = braid.quantize %0 scale ue8m0 floor 1.0e-4 group 16 : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token, 8] x f32>
}

// -----

braid.kernel @quantize_f4 axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0285] f4e2m1 needs scale = ue8m0 and group = 32}}
  // expected-note @below {{argument: format}}
  // expected-note @below {{why: a code of 4 bits has so small a range that its format fixes both}}
  // expected-note @below {{fix: write quantize(x, f4e2m1, scale = ue8m0, floor = 1e-10, group = 32)}}
  %c, %s = braid.quantize %0 scale ue8m0 floor 1.0e-4 group 64 : <[token, 128] x f32> -> <[token, 128] x f4E2M1FN>, <[token, 2] x f32>
}

// -----

braid.kernel @quantize_no_given axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{'braid.quantize' op has an operand for its scales where their rule is given, and only there}}
  %c, %s = braid.quantize %0 scale given : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @quantize_own_and_given axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %g = braid.constant 1.0 : <[] x f32>
  // expected-error @below {{'braid.quantize' op has an operand for its scales where their rule is given, and only there}}
  %c, %s = braid.quantize %0 scale ue8m0(%g : !braid.value<[] x f32>) floor 1.0e-4 : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @quantize_group_scales axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{'braid.quantize' op codes have the row's axes; scales its axes less the last, and for groups an unnamed one of the groups}}
  %c, %s = braid.quantize %0 scale ue8m0 floor 1.0e-4 group 32 : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @quantize_no_floor axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0137] `quantize` needs `floor`}}
  // expected-note @below {{why: floor: least amax, so that the scale of a zero row is finite}}
  // expected-note @below {{fix: add floor = 1e-10}}
  %c, %s = braid.quantize %0 scale f32_divide : <[token, 128] x f32> -> <[token, 128] x f8E4M3FN>, <[token] x f32>
}

// -----

braid.kernel @round_integers axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x i64>
  %0 = braid.load %x : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{[BR0213] integers are only indices, but this value of i64 is used as a number}}
  // expected-note @below {{why: slots and positions address tables and caches; they are never rounded to f32}}
  // expected-note @below {{fix: use an f32, bf16 or f16 tensor}}
  %1 = braid.round %0 : <[token] x i64> -> <[token] x bf16>
}

// -----

braid.kernel @round_dtype axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0212] `fp8` is not a dtype that round can make}}
  // expected-note @below {{argument: dtype}}
  // expected-note @below {{why: rounding points are f32, bf16 and f16; fp8 codes need a scale}}
  // expected-note @below {{fix: round to bf16 or f16, or use quantize}}
  %1 = braid.round %0 : <[token, 128] x f32> -> <[token, 128] x !braid.fp8>
}

// -----

braid.kernel @round_axes axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{'braid.round' op keeps the axes of its operand}}
  %1 = braid.round %0 : <[token, 128] x f32> -> <[token] x bf16>
}

// -----

braid.kernel @add_integers axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x i64>
  %0 = braid.load %x : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{[BR0213] integers are only indices, but this value of i64 is used as a number}}
  // expected-note @below {{why: slots and positions address tables and caches; they are never rounded to f32}}
  // expected-note @below {{fix: use an f32, bf16 or f16 tensor}}
  %1 = braid.add %0, %0 : <[token] x i64>, <[token] x i64> -> <[token] x f32>
}

// -----

braid.kernel @mul_do_not_meet axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, heads = 4] x f32>
  %y = braid.operand input "y" : !braid.tensor<[token, groups = 4] x f32>
  %0 = braid.load %x : <[token, heads = 4] x f32> -> <[token, heads = 4] x f32>
  %1 = braid.load %y : <[token, groups = 4] x f32> -> <[token, groups = 4] x f32>
  // expected-error @below {{[BR0204] values over [token, groups] and [token, heads] cannot be combined}}
  // expected-note @below {{why: the axes of each operand must be a subsequence of the axes of the one that has them all; two named axes match by name, others by equal extent}}
  // expected-note @below {{fix: rename an axis or change an extent so that one operand has the axes of all}}
  %2 = braid.mul %0, %1 : <[token, heads = 4] x f32>, <[token, groups = 4] x f32> -> <[token, heads = 4] x f32>
}

// -----

braid.kernel @max_ambiguous axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 4, 4] x f32>
  %y = braid.operand input "y" : !braid.tensor<[token, 4] x f32>
  %0 = braid.load %x : <[token, 4, 4] x f32> -> <[token, 4, 4] x f32>
  %1 = braid.load %y : <[token, 4] x f32> -> <[token, 4] x f32>
  // expected-error @below {{[BR0205] the axes [token, 4] fit into [token, 4, 4] in more than one way}}
  // expected-note @below {{why: unnamed axes match by extent, and here two of them have the same extent}}
  // expected-note @below {{fix: name the axes with int parameters}}
  %2 = braid.max %0, %1 : <[token, 4, 4] x f32>, <[token, 4] x f32> -> <[token, 4, 4] x f32>
}

// -----

braid.kernel @fma_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 4] x f32>
  %y = braid.operand input "y" : !braid.tensor<[token] x f32>
  %0 = braid.load %x : <[token, 4] x f32> -> <[token, 4] x f32>
  %1 = braid.load %y : <[token] x f32> -> <[token] x f32>
  // expected-error @below {{'braid.fma' op result is f32 over the axes of the operand that has them all}}
  %2 = braid.fma %1, %0, %1 : <[token] x f32>, <[token, 4] x f32>, <[token] x f32> -> <[token] x f32>
}

// -----

braid.kernel @constant_axes axes ["token"] parameters {} {
  // expected-error @below {{'braid.constant' op has no axes}}
  %0 = braid.constant 1.0 : <[token] x f32>
}

// -----

braid.kernel @load_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x bf16>
  // expected-error @below {{'braid.load' op result is f32 or has the tensor's dtype}}
  %0 = braid.load %x : <[token, 128] x bf16> -> <[token, 128] x f16>
}

// -----

braid.kernel @gather_position axes ["token"] parameters {} {
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x f32>
  %0 = braid.load %p : <[token] x f32> -> <[token] x f32>
  // expected-error @below {{[BR0214] an index must be i32 or i64, but this one is f32}}
  // expected-note @below {{why: rows of tables and slots of caches are addressed by integers}}
  // expected-note @below {{fix: declare the index tensor as i32 or i64}}
  %1 = braid.gather %t[%0] : <[position, 64] x f32>, <[token] x f32> -> <[token, 64] x f32>
}

// -----

braid.kernel @gather_constant_axis axes ["token"] parameters {} {
  %t = braid.operand input "t" : !braid.tensor<[rows = 8, 64] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %0 = braid.load %p : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{[BR0217] `t` cannot be indexed: its leading axis is not a run-time axis}}
  // expected-note @below {{why: `table[pos]` replaces an undeclared leading axis, whose extent is known at launch only}}
  // expected-note @below {{fix: declare the leading axis of the table with a name that is neither an axis nor a parameter}}
  %1 = braid.gather %t[%0] : <[rows = 8, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
}

// -----

braid.kernel @gather_integers axes ["token"] parameters {} {
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x i32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %0 = braid.load %p : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{[BR0213] integers are only indices, but this value of i32 is used as a number}}
  // expected-note @below {{why: slots and positions address tables and caches; they are never rounded to f32}}
  // expected-note @below {{fix: use an f32, bf16 or f16 tensor}}
  %1 = braid.gather %t[%0] : <[position, 64] x i32>, <[token] x i64> -> <[token, 64] x f32>
}

// -----

braid.kernel @store_dtype axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x bf16>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0206] a value of f32 cannot be stored to `y`, which is bf16}}
  // expected-note @below {{why: a store never rounds by itself; rounding points are written in the program}}
  // expected-note @below {{fix: round the value to bf16 (fp8 codes come from quantize, e8m0 from its ue8m0 scales), or declare `y` as f32}}
  braid.store %0, %y : <[token, 128] x f32>, <[token, 128] x bf16>
}

// -----

// store: only the scales of the ue8m0 rule are powers of two.
braid.kernel @store_e8m0 axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 128] x f8E8M0FNU>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0206] a value of f32 cannot be stored to `y`, which is e8m0}}
  // expected-note @below {{why: a store never rounds by itself; rounding points are written in the program}}
  // expected-note @below {{fix: round the value to e8m0 (fp8 codes come from quantize, e8m0 from its ue8m0 scales), or declare `y` as f32}}
  braid.store %0, %y : <[token, 128] x f32>, <[token, 128] x f8E8M0FNU>
}

// -----

braid.kernel @store_axes axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 64] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0207] a value over [token, 128] cannot be stored to `y`, which is over [token, 64]}}
  // expected-note @below {{why: a stored value has exactly the axes of its tensor}}
  // expected-note @below {{fix: declare `y` over [token, 128]}}
  braid.store %0, %y : <[token, 128] x f32>, <[token, 64] x f32>
}

// -----

braid.kernel @entry_slot axes ["token"] parameters {} {
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>
  %v = braid.operand input "v" : !braid.tensor<[token] x f32>
  %0 = braid.load %v : <[token] x f32> -> <[token] x f32>
  // expected-error @below {{[BR0214] an index must be i32 or i64, but this one is f32}}
  // expected-note @below {{why: rows of tables and slots of caches are addressed by integers}}
  // expected-note @below {{fix: declare the index tensor as i32 or i64}}
  braid.cache_store %p[%0] ["f"](%0) : <<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>, <[token] x f32>, !braid.value<[token] x f32>
}

// -----

braid.kernel @entry_value_missing axes ["token"] parameters {} {
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>
  %s = braid.operand input "s" : !braid.tensor<[token] x i64>
  %v = braid.operand input "v" : !braid.tensor<[token] x f32>
  %0 = braid.load %v : <[token] x f32> -> <[token] x f32>
  %1 = braid.load %s : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{'braid.cache_store' op needs one value for each field}}
  braid.cache_store %p[%1] ["f", "g"](%0) : <<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>, <[token] x i64>, !braid.value<[token] x f32>
}

// -----

braid.kernel @entry_field_unknown axes ["token"] parameters {} {
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>
  %s = braid.operand input "s" : !braid.tensor<[token] x i64>
  %v = braid.operand input "v" : !braid.tensor<[token] x f32>
  %0 = braid.load %v : <[token] x f32> -> <[token] x f32>
  %1 = braid.load %s : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{[BR0219] layout one has no field `g`}}
  // expected-note @below {{argument: g}}
  // expected-note @below {{why: its fields are: f}}
  // expected-note @below {{fix: use one of these}}
  braid.cache_store %p[%1] ["g"](%0) : <<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>, <[token] x i64>, !braid.value<[token] x f32>
}

// -----

braid.kernel @entry_field_missing axes ["token"] parameters {} {
  %p = braid.operand cache "p" : !braid.cache<<"two", page_size = 4, page_bytes = 32, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>, <"g", f32, [], buffer = 0, at = (d0) -> (d0 * 4 + 16)>]>>
  %s = braid.operand input "s" : !braid.tensor<[token] x i64>
  %v = braid.operand input "v" : !braid.tensor<[token] x f32>
  %0 = braid.load %v : <[token] x f32> -> <[token] x f32>
  %1 = braid.load %s : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{[BR0218] field `g` of layout two is not given}}
  // expected-note @below {{why: an entry of a cache is stored whole}}
  // expected-note @below {{fix: add `g: <value>`}}
  braid.cache_store %p[%1] ["f"](%0) : <<"two", page_size = 4, page_bytes = 32, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>, <"g", f32, [], buffer = 0, at = (d0) -> (d0 * 4 + 16)>]>>, <[token] x i64>, !braid.value<[token] x f32>
}

// -----

braid.kernel @entry_field_dtype axes ["token"] parameters {} {
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 8, alignment = 2, fields = [<"f", bf16, [], buffer = 0, at = (d0) -> (d0 * 2)>]>>
  %s = braid.operand input "s" : !braid.tensor<[token] x i64>
  %v = braid.operand input "v" : !braid.tensor<[token] x f32>
  %0 = braid.load %v : <[token] x f32> -> <[token] x f32>
  %1 = braid.load %s : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{[BR0220] field `f` holds bf16, but the value is f32}}
  // expected-note @below {{argument: f}}
  // expected-note @below {{why: a cache field stores only a value of its own dtype}}
  // expected-note @below {{fix: write the value with that dtype (round, or the format of quantize), or another layout argument}}
  braid.cache_store %p[%1] ["f"](%0) : <<"one", page_size = 4, page_bytes = 8, alignment = 2, fields = [<"f", bf16, [], buffer = 0, at = (d0) -> (d0 * 2)>]>>, <[token] x i64>, !braid.value<[token] x f32>
}

// -----

braid.kernel @entry_field_axes axes ["token"] parameters {} {
  %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 128, alignment = 4, fields = [<"f", f32, [8], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1 * 4)>]>>
  %s = braid.operand input "s" : !braid.tensor<[token] x i64>
  %v = braid.operand input "v" : !braid.tensor<[token, 16] x f32>
  %0 = braid.load %v : <[token, 16] x f32> -> <[token, 16] x f32>
  %1 = braid.load %s : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{[BR0221] field `f` takes [8] after the slot's axes, but the value is over [token, 16]}}
  // expected-note @below {{argument: f}}
  // expected-note @below {{why: the axes of a stored value are the slot's axes and then the field's indices}}
  // expected-note @below {{fix: give the layout the extent of the value, or store another value}}
  braid.cache_store %p[%1] ["f"](%0) : <<"one", page_size = 4, page_bytes = 128, alignment = 4, fields = [<"f", f32, [8], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1 * 4)>]>>, <[token] x i64>, !braid.value<[token, 16] x f32>
}

// -----

// load: what templates/ cannot convert is no number.
braid.kernel @load_dtype axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f8E8M0FNU>
  // expected-error @below {{[BR0223] a tensor of e8m0 cannot be read as numbers}}
  // expected-note @below {{why: kernels convert f32, bf16, f16, the 8-bit floats and rows of f4e2m1; e8m0 holds scales only}}
  // expected-note @below {{fix: declare `x` with one of these dtypes}}
  %0 = braid.load %x : <[token, 128] x f8E8M0FNU> -> <[token, 128] x f32>
}

// -----

braid.kernel @gather_dtype axes ["token"] parameters {} {
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f8E8M0FNU>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %0 = braid.load %p : <[token] x i64> -> <[token] x i64>
  // expected-error @below {{[BR0223] a tensor of e8m0 cannot be read as numbers}}
  // expected-note @below {{why: kernels convert f32, bf16, f16, the 8-bit floats and rows of f4e2m1; e8m0 holds scales only}}
  // expected-note @below {{fix: declare `t` with one of these dtypes}}
  %1 = braid.gather %t[%0] : <[position, 64] x f8E8M0FNU>, <[token] x i64> -> <[token, 64] x f32>
}

// -----

braid.kernel @rope_split_without_sines axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[position, 32] x f32>
  %s = braid.operand input "s" : !braid.tensor<[position, 32] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 32] x f32>, <[token] x i64> -> <[token, 32] x f32>
  %2 = braid.gather %s[%i] : <[position, 32] x f32>, <[token] x i64> -> <[token, 32] x f32>
  // expected-error @below {{[BR0262] table = split needs sines}}
  // expected-note @below {{argument: table}}
  // expected-note @below {{why: split tables hold cosines and sines in two tensors}}
  // expected-note @below {{fix: write `rope(x, cosines[pos], ..., table = split, sines = sines[pos])`}}
  %3 = braid.rope %0, %1 neox dims 0 to 64 table split : <[token, 128] x f32>, <[token, 32] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rope_joined_with_sines axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %s = braid.operand input "s" : !braid.tensor<[position, 32] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
  %2 = braid.gather %s[%i] : <[position, 32] x f32>, <[token] x i64> -> <[token, 32] x f32>
  // expected-error @below {{[BR0262] table = joined takes no sines}}
  // expected-note @below {{argument: sines}}
  // expected-note @below {{why: }}
  // expected-note @below {{fix: }}
  %3 = braid.rope %0, %1, %2 neox dims 0 to 64 table joined : <[token, 128] x f32>, <[token, 64] x f32>, !braid.value<[token, 32] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rope_split_width axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[position, 32] x f32>
  %s = braid.operand input "s" : !braid.tensor<[position, 64] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 32] x f32>, <[token] x i64> -> <[token, 32] x f32>
  %2 = braid.gather %s[%i] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
  // expected-error @below {{[BR0202] the table row has 64 elements, but 64 dims are rotated}}
  // expected-note @below {{argument: sines}}
  // expected-note @below {{why: a split table row holds one number for each pair of dims}}
  // expected-note @below {{fix: declare the table with a last axis of 32, or rotate 128 dims}}
  %3 = braid.rope %0, %1, %2 neox dims 0 to 64 table split : <[token, 128] x f32>, <[token, 32] x f32>, !braid.value<[token, 64] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rope_split_dtypes axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[position, 32] x f32>
  %s = braid.operand input "s" : !braid.tensor<[position, 32] x bf16>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 32] x f32>, <[token] x i64> -> <[token, 32] x f32>
  %2 = braid.gather %s[%i] : <[position, 32] x bf16>, <[token] x i64> -> <[token, 32] x f32>
  // expected-error @below {{[BR0264] the cosines are f32, but the sines bf16}}
  // expected-note @below {{argument: sines}}
  // expected-note @below {{why: both tables of the form split are read alike}}
  // expected-note @below {{fix: declare them with one dtype}}
  %3 = braid.rope %0, %1, %2 neox dims 0 to 64 table split : <[token, 128] x f32>, <[token, 32] x f32>, !braid.value<[token, 32] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rope_computed_angles axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
  %s = braid.operand input "s" : !braid.tensor<[position, 64] x f32>
  %p = braid.operand input "p" : !braid.tensor<[token] x i64>
  %i = braid.load %p : <[token] x i64> -> <[token] x i64>
  %1 = braid.gather %t[%i] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
  %2 = braid.gather %s[%i] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
  %3 = braid.mul %1, %2 : <[token, 64] x f32>, <[token, 64] x f32> -> <[token, 64] x f32>
  // expected-error @below {{[BR0263] rope reads its angles from a table, and this is no row of one}}
  // expected-note @below {{argument: angles}}
  // expected-note @below {{why: lanes load the cosines and sines that they need}}
  // expected-note @below {{fix: give it `table[pos]` of an input}}
  %4 = braid.rope %0, %3 neox dims 0 to 64 table joined : <[token, 128] x f32>, <[token, 64] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rms_weight axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %g = braid.operand input "g" : !braid.tensor<[64] x f32>
  %1 = braid.load %g : <[64] x f32> -> <[64] x f32>
  // expected-error @below {{[BR0215] `gamma` has 64 elements, but the rows have 128}}
  // expected-note @below {{argument: gamma}}
  // expected-note @below {{why: the weights of a norm hold one value for each element of a row}}
  // expected-note @below {{fix: declare it with axis 128}}
  %2 = braid.rms_norm %0, %1 eps 1.0e-6 weight plain : <[token, 128] x f32>, <[64] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rms_eps axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %g = braid.operand input "g" : !braid.tensor<[128] x f32>
  %1 = braid.load %g : <[128] x f32> -> <[128] x f32>
  // expected-error @below {{[BR0216] eps -1 is not usable}}
  // expected-note @below {{argument: eps}}
  // expected-note @below {{why: eps is added to a variance or a mean square, so it must be finite and not negative}}
  // expected-note @below {{fix: use the model's own value, for example 1e-6}}
  %2 = braid.rms_norm %0, %1 eps -1.0 weight plain : <[token, 128] x f32>, <[128] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @rms_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  %g = braid.operand input "g" : !braid.tensor<[128] x f32>
  %1 = braid.load %g : <[128] x f32> -> <[128] x f32>
  // expected-error @below {{'braid.rms_norm' op result is f32 over the row's axes}}
  %2 = braid.rms_norm %0, %1 eps 1.0 weight plain : <[token, 128] x f32>, <[128] x f32> -> <[token, 128] x bf16>
}

// -----

braid.kernel @rstd_eps axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0216] eps -1 is not usable}}
  // expected-note @below {{argument: eps}}
  // expected-note @below {{why: eps is added to a variance or a mean square, so it must be finite and not negative}}
  // expected-note @below {{fix: use the model's own value, for example 1e-6}}
  %2 = braid.rms_rstd %0 eps -1.0 : <[token, 128] x f32> -> <[token] x f32>
}

// -----

braid.kernel @rstd_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{'braid.rms_rstd' op result is f32 over the row's axes less the last}}
  %2 = braid.rms_rstd %0 eps 1.0 : <[token, 128] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @sum_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{'braid.sum' op result is f32 over the row's axes less the last}}
  %2 = braid.sum %0 : <[token, 128] x f32> -> <[128] x f32>
}

// -----

braid.kernel @amax_row axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x f32>
  %0 = braid.load %x : <[token] x f32> -> <[token] x f32>
  // expected-error @below {{[BR0208] `amax` needs rows, but its operand is over [token]}}
  // expected-note @below {{why: row operations act on the last axis}}
  // expected-note @below {{fix: give it a value whose last axis is no run-time axis}}
  %2 = braid.amax %0 : <[token] x f32> -> <[] x f32>
}

// -----

braid.kernel @hadamard_length axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 96] x f32>
  %0 = braid.load %x : <[token, 96] x f32> -> <[token, 96] x f32>
  // expected-error @below {{[BR0260] hadamard cannot transform rows of 96 elements}}
  // expected-note @below {{argument: x}}
  // expected-note @below {{why: the transform is defined for powers of two}}
  // expected-note @below {{fix: use rows of 128 elements, or transform a part}}
  %2 = braid.hadamard %0 scale 1.0 : <[token, 96] x f32> -> <[token, 96] x f32>
}

// -----

braid.kernel @hadamard_scale axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{[BR0261] scale 1e+39 is not usable}}
  // expected-note @below {{argument: scale}}
  // expected-note @below {{why: it is rounded to f32 and multiplies every element}}
  // expected-note @below {{fix: use a finite number}}
  %2 = braid.hadamard %0 scale 1.0e39 : <[token, 128] x f32> -> <[token, 128] x f32>
}

// -----

braid.kernel @hadamard_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{'braid.hadamard' op result is f32 over the row's axes}}
  %2 = braid.hadamard %0 scale 1.0 : <[token, 128] x f32> -> <[token, 128] x f16>
}

// -----

braid.kernel @silu_result axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 128] x f32>
  %0 = braid.load %x : <[token, 128] x f32> -> <[token, 128] x f32>
  // expected-error @below {{'braid.silu' op result is f32 over the axes of the operand that has them all}}
  %2 = braid.silu %0 : <[token, 128] x f32> -> <[token, 128] x bf16>
}
