// An assignment of bits that is given is taken instead of a chosen one.
// RUN: braid-opt %s --braid-assign-schedule=bits=96=lrlrlrl | FileCheck %s
// RUN: not braid-opt %s --braid-assign-schedule=bits=96:lrl 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not braid-opt %s --braid-assign-schedule=bits=96=lrl 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not braid-opt %s --braid-assign-schedule=bits=96=lwlrlrl 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not braid-opt %s --braid-assign-schedule=bits=96=wlrrrrr 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not braid-opt %s --braid-assign-schedule=bits=96=lwrrrrr --braid-lower-to-emitc 2>&1 | FileCheck %s --check-prefix=WAVE

// CHECK: schedule <row = 96, bits = "lrlrlrl", workgroup = 64, token_groups = 4, row_groups = 1, in_flight = 1>
// FORM: bits are given as LENGTH=LETTERS, not as 96:lrl
// COUNT: schedule needs one letter for each bit of the element index
// ORDER: schedule needs letters r, l and w only, no l after a w
// WAVE: the schedule's lanes and waves do not fit waves of 64 lanes
module attributes {braid.target = "gfx942"} {
  braid.kernel @k axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 96] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 96] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 96] x f32> -> <[token, 96] x f32>
      braid.store %0, %y : <[token, 96] x f32>, <[token, 96] x f32>
    }
  }
}
