// RUN: braid-opt %s --braid-form-sections | FileCheck %s

// Stores over the same leading axes share a section; the section with the fewest rows a token comes
// first, whatever the order of the program. Each section has its own copy of what both need.
// CHECK-LABEL: braid.kernel @two_sections
// CHECK: %[[X:.*]] = braid.operand input "x"
// CHECK: %[[ROWS:.*]] = braid.operand output "rows"
// CHECK: %[[SCALES:.*]] = braid.operand output "scales"
// CHECK: %[[ONE:.*]] = braid.operand output "one"
// CHECK-NEXT: braid.section [#braid.axis<token>] {
// CHECK-NEXT:   braid.load %[[G:.*]] : <[token] x f32>
// CHECK-NEXT:   braid.neg
// CHECK-NEXT:   braid.store %{{.*}}, %[[ONE]]
// CHECK-NEXT: }
// CHECK-NEXT: braid.section [#braid.axis<token>, #braid.axis<heads = 4>] {
// CHECK-NEXT:   braid.load %[[X]]
// CHECK-NEXT:   braid.load %[[G]]
// CHECK-NEXT:   %[[N:.*]] = braid.neg
// CHECK-NEXT:   %[[CODES:.*]], %[[SCALE:.*]] = braid.quantize
// CHECK-NEXT:   %[[PRODUCT:.*]] = braid.mul %[[SCALE]], %[[N]]
// CHECK-NEXT:   braid.store %[[CODES]], %[[ROWS]]
// CHECK-NEXT:   braid.store %[[PRODUCT]], %[[SCALES]]
// CHECK-NEXT: }
// CHECK-NEXT: }
braid.kernel @two_sections axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, heads = 4, 64] x f32>
  %g = braid.operand input "g" : !braid.tensor<[token] x f32>
  %rows = braid.operand output "rows" : !braid.tensor<[token, heads = 4, 64] x f8E4M3FN>
  %scales = braid.operand output "scales" : !braid.tensor<[token, heads = 4] x f32>
  %one = braid.operand output "one" : !braid.tensor<[token] x f32>
  %0 = braid.load %x : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  %1 = braid.load %g : <[token] x f32> -> <[token] x f32>
  %2 = braid.neg %1 : <[token] x f32> -> <[token] x f32>
  %codes, %scale = braid.quantize %0 scale ue8m0 floor 1.0e-4 : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f8E4M3FN>, <[token, heads = 4] x f32>
  %3 = braid.mul %scale, %2 : <[token, heads = 4] x f32>, <[token] x f32> -> <[token, heads = 4] x f32>
  braid.store %codes, %rows : <[token, heads = 4, 64] x f8E4M3FN>, <[token, heads = 4, 64] x f8E4M3FN>
  braid.store %3, %scales : <[token, heads = 4] x f32>, <[token, heads = 4] x f32>
  braid.store %2, %one : <[token] x f32>, <[token] x f32>
}

// Two run-time axes of one kernel: a section each, the order of the program where they have as many rows.
// CHECK-LABEL: braid.kernel @two_runtime_axes
// CHECK: braid.section [#braid.axis<token>] {
// CHECK: braid.section [#braid.axis<key>] {
braid.kernel @two_runtime_axes axes ["token", "key"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token] x f32>
  %k = braid.operand input "k" : !braid.tensor<[key] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token] x f32>
  %z = braid.operand output "z" : !braid.tensor<[key] x f32>
  %0 = braid.load %x : <[token] x f32> -> <[token] x f32>
  %1 = braid.load %k : <[key] x f32> -> <[key] x f32>
  braid.store %0, %y : <[token] x f32>, <[token] x f32>
  braid.store %1, %z : <[key] x f32>, <[key] x f32>
}
