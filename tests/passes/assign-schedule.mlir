// Bit i of `bits`, from the left, says where bit i of the element index goes: to a register, a lane or a
// wave.
// RUN: sed s/TARGET/gfx942/ %s | braid-opt --braid-assign-schedule | FileCheck %s
// RUN: sed s/TARGET/gfx950/ %s | braid-opt --braid-assign-schedule | FileCheck %s
// A wave of 32 has the same schedules: what is a lane bit on one target is a wave bit on another.
// RUN: sed s/TARGET/sm_90/ %s | braid-opt --braid-assign-schedule | FileCheck %s
// RUN: sed s/TARGET/gfx942/ %s | braid-opt --braid-assign-schedule -o %t.once
// RUN: braid-opt %t.once --braid-assign-schedule -o %t.twice
// RUN: diff %t.once %t.twice

module attributes {braid.target = "TARGET"} {

  // Partners lie 32 apart: bit 5 is a register bit, so that both sit in one lane; 8 lanes a row.
  // CHECK-LABEL: braid.kernel @neox_64_of_128
  // CHECK: schedule <row = 128, bits = "rrrllrl", workgroup = 64, token_groups = 1, row_groups = 8, in_flight = 4>
  braid.kernel @neox_64_of_128 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, heads = 64, 128] x bf16>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, heads = 64, 128] x f32>
    braid.section [#braid.axis<token>, #braid.axis<heads = 64>] {
      %0 = braid.load %x : <[token, heads = 64, 128] x bf16> -> <[token, heads = 64, 128] x f32>
      %p = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %1 = braid.gather %t[%p] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
      %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, heads = 64, 128] x f32>, <[token, 64] x f32> -> <[token, heads = 64, 128] x f32>
      braid.store %2, %y : <[token, heads = 64, 128] x f32>, <[token, heads = 64, 128] x f32>
    }
  }

  // Partners are neighbours and share a lane's 8 elements anyway; 16 lanes a row.
  // CHECK-LABEL: braid.kernel @gptj_64_of_128
  // CHECK: schedule <row = 128, bits = "rrrllll", workgroup = 64, token_groups = 1, row_groups = 4, in_flight = 4>
  braid.kernel @gptj_64_of_128 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, heads = 32, 128] x bf16>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, heads = 32, 128] x f32>
    braid.section [#braid.axis<token>, #braid.axis<heads = 32>] {
      %0 = braid.load %x : <[token, heads = 32, 128] x bf16> -> <[token, heads = 32, 128] x f32>
      %p = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %1 = braid.gather %t[%p] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
      %2 = braid.rope %0, %1 gptj dims 0 to 64 table joined : <[token, heads = 32, 128] x f32>, <[token, 64] x f32> -> <[token, heads = 32, 128] x f32>
      braid.store %2, %y : <[token, heads = 32, 128] x f32>, <[token, heads = 32, 128] x f32>
    }
  }

  // The rotated range begins inside a block of 64: partners do not differ in one bit, and are exchanged.
  // CHECK-LABEL: braid.kernel @neox_unaligned
  // CHECK: schedule <row = 128, bits = "rrrllll", workgroup = 64, token_groups = 1, row_groups = 4, in_flight = 4>
  braid.kernel @neox_unaligned axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, heads = 64, 128] x bf16>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, heads = 64, 128] x f32>
    braid.section [#braid.axis<token>, #braid.axis<heads = 64>] {
      %0 = braid.load %x : <[token, heads = 64, 128] x bf16> -> <[token, heads = 64, 128] x f32>
      %p = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %1 = braid.gather %t[%p] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
      %2 = braid.rope %0, %1 neox dims 16 to 80 table joined : <[token, heads = 64, 128] x f32>, <[token, 64] x f32> -> <[token, heads = 64, 128] x f32>
      braid.store %2, %y : <[token, heads = 64, 128] x f32>, <[token, heads = 64, 128] x f32>
    }
  }

  // A distance of 48 is no single bit.
  // CHECK-LABEL: braid.kernel @neox_96_of_128
  // CHECK: schedule <row = 128, bits = "rrrllll", workgroup = 64, token_groups = 1, row_groups = 4, in_flight = 4>
  braid.kernel @neox_96_of_128 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, heads = 64, 128] x bf16>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 96] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, heads = 64, 128] x f32>
    braid.section [#braid.axis<token>, #braid.axis<heads = 64>] {
      %0 = braid.load %x : <[token, heads = 64, 128] x bf16> -> <[token, heads = 64, 128] x f32>
      %p = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %1 = braid.gather %t[%p] : <[position, 96] x f32>, <[token] x i64> -> <[token, 96] x f32>
      %2 = braid.rope %0, %1 neox dims 0 to 96 table joined : <[token, heads = 64, 128] x f32>, <[token, 96] x f32> -> <[token, heads = 64, 128] x f32>
      braid.store %2, %y : <[token, heads = 64, 128] x f32>, <[token, heads = 64, 128] x f32>
    }
  }

  // 33 rows in two steps of 8 lane groups: 17 a step fill 3 in flight, where 4 would leave the second idle.
  // CHECK-LABEL: braid.kernel @heads_33
  // CHECK: schedule <row = 128, bits = "rrrllrl", workgroup = 64, token_groups = 1, row_groups = 8, in_flight = 3>
  braid.kernel @heads_33 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, heads = 33, 128] x bf16>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, heads = 33, 128] x f32>
    braid.section [#braid.axis<token>, #braid.axis<heads = 33>] {
      %0 = braid.load %x : <[token, heads = 33, 128] x bf16> -> <[token, heads = 33, 128] x f32>
      %p = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %1 = braid.gather %t[%p] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
      %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, heads = 33, 128] x f32>, <[token, 64] x f32> -> <[token, heads = 33, 128] x f32>
      braid.store %2, %y : <[token, heads = 33, 128] x f32>, <[token, heads = 33, 128] x f32>
    }
  }

  // One row a token: the lane groups of a workgroup take neighbouring tokens.
  // CHECK-LABEL: braid.kernel @heads_1
  // CHECK: schedule <row = 128, bits = "rrrllrl", workgroup = 64, token_groups = 8, row_groups = 1, in_flight = 1>
  braid.kernel @heads_1 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, heads = 1, 128] x bf16>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, heads = 1, 128] x f32>
    braid.section [#braid.axis<token>, #braid.axis<heads = 1>] {
      %0 = braid.load %x : <[token, heads = 1, 128] x bf16> -> <[token, heads = 1, 128] x f32>
      %p = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %1 = braid.gather %t[%p] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
      %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, heads = 1, 128] x f32>, <[token, 64] x f32> -> <[token, heads = 1, 128] x f32>
      braid.store %2, %y : <[token, heads = 1, 128] x f32>, <[token, heads = 1, 128] x f32>
    }
  }

  // Row groups are a power of two.
  // CHECK-LABEL: braid.kernel @heads_3
  // CHECK: schedule <row = 128, bits = "rrrllrl", workgroup = 64, token_groups = 2, row_groups = 4, in_flight = 1>
  braid.kernel @heads_3 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, heads = 3, 128] x bf16>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, heads = 3, 128] x f32>
    braid.section [#braid.axis<token>, #braid.axis<heads = 3>] {
      %0 = braid.load %x : <[token, heads = 3, 128] x bf16> -> <[token, heads = 3, 128] x f32>
      %p = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %1 = braid.gather %t[%p] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
      %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, heads = 3, 128] x f32>, <[token, 64] x f32> -> <[token, heads = 3, 128] x f32>
      braid.store %2, %y : <[token, heads = 3, 128] x f32>, <[token, heads = 3, 128] x f32>
    }
  }

  // Longer rows keep 16 lanes.
  // CHECK-LABEL: braid.kernel @head_dim_256
  // CHECK: schedule <row = 256, bits = "rrrllrll", workgroup = 64, token_groups = 1, row_groups = 4, in_flight = 4>
  braid.kernel @head_dim_256 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, heads = 64, 256] x bf16>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, heads = 64, 256] x f32>
    braid.section [#braid.axis<token>, #braid.axis<heads = 64>] {
      %0 = braid.load %x : <[token, heads = 64, 256] x bf16> -> <[token, heads = 64, 256] x f32>
      %p = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %1 = braid.gather %t[%p] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
      %2 = braid.rope %0, %1 neox dims 0 to 64 table joined : <[token, heads = 64, 256] x f32>, <[token, 64] x f32> -> <[token, heads = 64, 256] x f32>
      braid.store %2, %y : <[token, heads = 64, 256] x f32>, <[token, heads = 64, 256] x f32>
    }
  }

  // The lowest lane bit becomes a register bit where there would be more than 16 lanes.
  // CHECK-LABEL: braid.kernel @gptj_head_dim_256
  // CHECK: schedule <row = 256, bits = "rrrrllll", workgroup = 64, token_groups = 1, row_groups = 4, in_flight = 4>
  braid.kernel @gptj_head_dim_256 axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, heads = 64, 256] x bf16>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, heads = 64, 256] x f32>
    braid.section [#braid.axis<token>, #braid.axis<heads = 64>] {
      %0 = braid.load %x : <[token, heads = 64, 256] x bf16> -> <[token, heads = 64, 256] x f32>
      %p = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %1 = braid.gather %t[%p] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
      %2 = braid.rope %0, %1 gptj dims 0 to 64 table joined : <[token, heads = 64, 256] x f32>, <[token, 64] x f32> -> <[token, heads = 64, 256] x f32>
      braid.store %2, %y : <[token, heads = 64, 256] x f32>, <[token, heads = 64, 256] x f32>
    }
  }

  // gamma and beta are loaded once for all rows, but take registers: with 16 elements a lane they would
  // take more than half of what eight waves have, so partners are exchanged among 16 lanes.
  // CHECK-LABEL: braid.kernel @key_with_weights
  // CHECK: schedule <row = 128, bits = "rrrllll", workgroup = 64, token_groups = 4, row_groups = 1, in_flight = 1>
  braid.kernel @key_with_weights axes ["token"] parameters {} {
    %k = braid.operand input "k" : !braid.tensor<[token, 128] x bf16>
    %g = braid.operand input "g" : !braid.tensor<[128] x f32>
    %b = braid.operand input "b" : !braid.tensor<[128] x f32>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 128] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %k : <[token, 128] x bf16> -> <[token, 128] x f32>
      %1 = braid.load %g : <[128] x f32> -> <[128] x f32>
      %2 = braid.load %b : <[128] x f32> -> <[128] x f32>
      %3 = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %4 = braid.gather %t[%3] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
      %5 = braid.layer_norm %0, %1, %2 eps 1.0e-6 : <[token, 128] x f32>, <[128] x f32>, <[128] x f32> -> <[token, 128] x f32>
      %6 = braid.rope %5, %4 neox dims 0 to 64 table joined : <[token, 128] x f32>, <[token, 64] x f32> -> <[token, 128] x f32>
      braid.store %6, %y : <[token, 128] x f32>, <[token, 128] x f32>
    }
  }

  // Without the weights the same rows have what rope wants.
  // CHECK-LABEL: braid.kernel @key_without_weights
  // CHECK: schedule <row = 128, bits = "rrrllrl", workgroup = 64, token_groups = 8, row_groups = 1, in_flight = 1>
  braid.kernel @key_without_weights axes ["token"] parameters {} {
    %k = braid.operand input "k" : !braid.tensor<[token, 128] x bf16>
    %pos = braid.operand input "pos" : !braid.tensor<[token] x i64>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 128] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %k : <[token, 128] x bf16> -> <[token, 128] x f32>
      %1 = braid.load %pos : <[token] x i64> -> <[token] x i64>
      %2 = braid.gather %t[%1] : <[position, 64] x f32>, <[token] x i64> -> <[token, 64] x f32>
      %3 = braid.rope %0, %2 neox dims 0 to 64 table joined : <[token, 128] x f32>, <[token, 64] x f32> -> <[token, 128] x f32>
      braid.store %3, %y : <[token, 128] x f32>, <[token, 128] x f32>
    }
  }

  // A long row that one wave holds, and the shortest row.
  // CHECK-LABEL: braid.kernel @one_wave
  // CHECK: schedule <row = 1024, bits = "rrrrrlllll", workgroup = 64, token_groups = 2, row_groups = 1, in_flight = 1>
  braid.kernel @one_wave axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 1024] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 1024] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 1024] x f32> -> <[token, 1024] x f32>
      braid.store %0, %y : <[token, 1024] x f32>, <[token, 1024] x f32>
    }
  }
  // CHECK-LABEL: braid.kernel @shortest
  // CHECK: schedule <row = 2, bits = "r", workgroup = 64, token_groups = 64, row_groups = 1, in_flight = 1>
  braid.kernel @shortest axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 2] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 2] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 2] x f32> -> <[token, 2] x f32>
      braid.store %0, %y : <[token, 2] x f32>, <[token, 2] x f32>
    }
  }

  // The highest bits are register bits where the length is no power of two: whole
  // registers vanish.
  // CHECK-LABEL: braid.kernel @no_power_of_two
  // CHECK: schedule <row = 576, bits = "rrrlllllrr", workgroup = 64, token_groups = 2, row_groups = 1, in_flight = 1>
  braid.kernel @no_power_of_two axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 576] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 576] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 576] x f32> -> <[token, 576] x f32>
      braid.store %0, %y : <[token, 576] x f32>, <[token, 576] x f32>
    }
  }
  // An odd row has single elements, neighbours in neighbouring lanes.
  // CHECK-LABEL: braid.kernel @odd
  // CHECK: schedule <row = 65, bits = "llllrrr", workgroup = 64, token_groups = 4, row_groups = 1, in_flight = 1>
  braid.kernel @odd axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 65] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 65] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 65] x f32> -> <[token, 65] x f32>
      braid.store %0, %y : <[token, 65] x f32>, <[token, 65] x f32>
    }
  }
  // More than a wave holds: as many lanes as keep 32 elements in each. The bits above a strip
  // are register bits; `w` is a bit of the number of the wave.
  // CHECK-LABEL: braid.kernel @several_waves
  // CHECK: schedule <row = 7168, bits = "rrrlllll{{lww|www}}rr", workgroup = 256 lds 8192, token_groups = 1, row_groups = 1, in_flight = 1>
  braid.kernel @several_waves axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 7168] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 7168] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 7168] x f32> -> <[token, 7168] x f32>
      braid.store %0, %y : <[token, 7168] x f32>, <[token, 7168] x f32>
    }
  }
  // The longest row: chunks of four elements leave 512 lanes.
  // CHECK-LABEL: braid.kernel @longest
  // CHECK: schedule <row = 16384, bits = "rrlllll{{lwww|wwww}}rrr", workgroup = 512 lds 16384, token_groups = 1, row_groups = 1, in_flight = 1>
  braid.kernel @longest axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 16384] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 16384] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 16384] x f32> -> <[token, 16384] x f32>
      braid.store %0, %y : <[token, 16384] x f32>, <[token, 16384] x f32>
    }
  }

  // Scalars only: a thread for each.
  // CHECK-LABEL: braid.kernel @scalars
  // CHECK: schedule <row = 1, bits = "", workgroup = 64, token_groups = 64, row_groups = 1, in_flight = 1>
  braid.kernel @scalars axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token] x f32> -> <[token] x f32>
      braid.store %0, %y : <[token] x f32>, <[token] x f32>
    }
  }

  // Rows of two lengths share lane groups: the longest takes most lanes, the other the first of them.
  // CHECK-LABEL: braid.kernel @two_lengths
  // CHECK: schedule <row = 512, bits = "rrrrrllll", workgroup = 64, token_groups = 4, row_groups = 1, in_flight = 1, sides = [<row = 64, bits = "rrrlll">]>
  braid.kernel @two_lengths axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 64] x f32>
    %z = braid.operand input "z" : !braid.tensor<[token, 512] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 64] x f32>
    %w = braid.operand output "w" : !braid.tensor<[token, 512] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 64] x f32> -> <[token, 64] x f32>
      %1 = braid.load %z : <[token, 512] x f32> -> <[token, 512] x f32>
      braid.store %0, %y : <[token, 64] x f32>, <[token, 64] x f32>
      braid.store %1, %w : <[token, 512] x f32>, <[token, 512] x f32>
    }
  }

  // The sections of a launch share the size of their workgroups.
  // CHECK-LABEL: braid.kernel @long_and_short
  // CHECK: schedule <row = 64, bits = "rrrlll", workgroup = 128, token_groups = 16, row_groups = 1, in_flight = 1>
  // CHECK: schedule <row = 4096, bits = "rrrrlllll{{lw|ww}}r", workgroup = 128 lds 4096, token_groups = 1, row_groups = 1, in_flight = 1>
  braid.kernel @long_and_short axes ["token", "key"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, 64] x f32>
    %z = braid.operand input "z" : !braid.tensor<[key, 4096] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, 64] x f32>
    %w = braid.operand output "w" : !braid.tensor<[key, 4096] x f32>
    braid.section [#braid.axis<token>] {
      %0 = braid.load %x : <[token, 64] x f32> -> <[token, 64] x f32>
      braid.store %0, %y : <[token, 64] x f32>, <[token, 64] x f32>
    }
    braid.section [#braid.axis<key>] {
      %0 = braid.load %z : <[key, 4096] x f32> -> <[key, 4096] x f32>
      braid.store %0, %w : <[key, 4096] x f32>, <[key, 4096] x f32>
    }
  }
}
