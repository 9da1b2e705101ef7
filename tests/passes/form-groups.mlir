// RUN: braid-opt %s --braid-form-groups='grouping=y|codes' | FileCheck %s --check-prefix=TWO
// RUN: braid-opt %s --braid-form-groups='grouping=n|codes,y' | FileCheck %s --check-prefix=LOCAL
// RUN: braid-opt %s --braid-form-groups='grouping=codes,y' | FileCheck %s --check-prefix=FUSED
// RUN: braid-opt %s --braid-form-groups | FileCheck %s --check-prefix=FUSED
// RUN: braid-opt %s --braid-form-groups='grouping=n|codes,y' --braid-fold-rounding --braid-form-sections -o %t
// RUN: braid-opt %t | diff %t -

// The first group stores `y`; the second loads it from its tensor, in the value's own dtype. Kernels are
// named after what they store. What the whole program makes of a load stays known.
// TWO:       module attributes {braid.grouping = "y | codes", braid.operands = ["x", "g", "y", "codes"], braid.program = "k"}
// TWO-LABEL: braid.kernel @k_y
// TWO-NEXT:    %[[X:.*]] = braid.operand input "x"
// TWO-NEXT:    %[[G:.*]] = braid.operand input "g"
// TWO-NEXT:    %[[Y:.*]] = braid.operand output "y"
// TWO-NEXT:    braid.load %[[X]] {is_row = true}
// TWO-NEXT:    braid.load %[[G]] {is_row = false}
// TWO-NEXT:    braid.mul
// TWO-NEXT:    %[[N:.*]] = braid.round
// TWO-NEXT:    braid.store %[[N]], %[[Y]]
// TWO-NEXT:  }
// TWO-LABEL: braid.kernel @k_codes
// TWO-NEXT:    %[[Y:.*]] = braid.operand input "y" : !braid.tensor<[token, 64] x bf16>
// TWO-NEXT:    %[[C:.*]] = braid.operand output "codes"
// TWO-NEXT:    %[[N:.*]] = braid.load %[[Y]] {is_row = true} : <[token, 64] x bf16> -> <[token, 64] x bf16>
// TWO-NEXT:    %[[Q:.*]], %{{.*}} = braid.quantize %[[N]]
// TWO-NEXT:    braid.store %[[Q]], %[[C]]
// TWO-NEXT:  }

// A local goes through a workspace operand of its name and dtype, behind the operands of the program.
// LOCAL-LABEL: braid.kernel @k_n
// LOCAL:         braid.operand input "g"
// LOCAL-NEXT:    %[[W:.*]] = braid.operand workspace "n" : !braid.tensor<[token, 64] x bf16>
// LOCAL:         braid.store %{{.*}}, %[[W]]
// LOCAL-LABEL: braid.kernel @k_codes_y
// LOCAL-NEXT:    braid.operand output "y"
// LOCAL-NEXT:    braid.operand output "codes"
// LOCAL-NEXT:    %[[W:.*]] = braid.operand workspace "n"
// LOCAL-NEXT:    %[[N:.*]] = braid.load %[[W]] {is_row = true}
// LOCAL-NEXT:    braid.quantize %[[N]]
// LOCAL-NEXT:    braid.store
// LOCAL-NEXT:    braid.store %[[N]]

// One group changes nothing.
// FUSED:       module {
// FUSED-NEXT:  braid.kernel @k axes
// FUSED-NOT:   is_row
// FUSED-NOT:   braid.kernel
braid.kernel @k axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, 64] x f32>
  %g = braid.operand input "g" : !braid.tensor<[token] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, 64] x bf16>
  %codes = braid.operand output "codes" : !braid.tensor<[token, 64] x f8E4M3FN>
  %0 = braid.load %x : <[token, 64] x f32> -> <[token, 64] x f32>
  %1 = braid.load %g : <[token] x f32> -> <[token] x f32>
  %2 = braid.mul %0, %1 : <[token, 64] x f32>, <[token] x f32> -> <[token, 64] x f32>
  %3 = braid.round %2 : <[token, 64] x f32> -> <[token, 64] x bf16> loc("n"("p.braid":3:3))
  %q, %s = braid.quantize %3 scale ue8m0 floor 1.0e-4 : <[token, 64] x bf16> -> <[token, 64] x f8E4M3FN>, <[token] x f32>
  braid.store %q, %codes : <[token, 64] x f8E4M3FN>, <[token, 64] x f8E4M3FN>
  braid.store %3, %y : <[token, 64] x bf16>, <[token, 64] x bf16>
}
