// Every op, type and attribute prints what it parses; printing again changes nothing, and neither does
// the generic form in between.
// RUN: braid-opt %s -o %t.once
// RUN: braid-opt %t.once -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: braid-opt %s --mlir-print-op-generic | braid-opt -o %t.generic
// RUN: diff %t.once %t.generic
// RUN: FileCheck %s < %t.once

// CHECK-LABEL: braid.kernel @elementwise axes ["token"] parameters {}
braid.kernel @elementwise axes ["token"] parameters {} {
  // CHECK: %[[X:.*]] = braid.operand input "x" : !braid.tensor<[token, heads = 4, 64] x bf16>
  %x = braid.operand input "x" : !braid.tensor<[token, heads = 4, 64] x bf16>
  // CHECK: %[[Y:.*]] = braid.operand output "y" : !braid.tensor<[token, heads = 4, 64] x f16>
  %y = braid.operand output "y" : !braid.tensor<[token, heads = 4, 64] x f16>
  // CHECK: %[[A:.*]] = braid.load %[[X]] : <[token, heads = 4, 64] x bf16> -> <[token, heads = 4, 64] x f32>
  %a = braid.load %x : <[token, heads = 4, 64] x bf16> -> <[token, heads = 4, 64] x f32>
  // CHECK: %[[C:.*]] = braid.constant 2.500000e-01 : <[] x f32>
  %c = braid.constant 2.5e-1 : <[] x f32>
  // CHECK: %[[ADD:.*]] = braid.add %[[A]], %[[C]] : <[token, heads = 4, 64] x f32>, <[] x f32> -> <[token, heads = 4, 64] x f32>
  %0 = braid.add %a, %c : <[token, heads = 4, 64] x f32>, <[] x f32> -> <[token, heads = 4, 64] x f32>
  // CHECK: %[[SUB:.*]] = braid.sub %[[ADD]], %[[A]] : <[token, heads = 4, 64] x f32>, <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  %1 = braid.sub %0, %a : <[token, heads = 4, 64] x f32>, <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  // CHECK: %[[MUL:.*]] = braid.mul %[[SUB]], %[[C]] :
  %2 = braid.mul %1, %c : <[token, heads = 4, 64] x f32>, <[] x f32> -> <[token, heads = 4, 64] x f32>
  // CHECK: %[[DIV:.*]] = braid.div %[[C]], %[[MUL]] : <[] x f32>, <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  %3 = braid.div %c, %2 : <[] x f32>, <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  // CHECK: %[[MAX:.*]] = braid.max %[[DIV]], %[[A]] :
  %4 = braid.max %3, %a : <[token, heads = 4, 64] x f32>, <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  // CHECK: %[[MIN:.*]] = braid.min %[[MAX]], %[[C]] :
  %5 = braid.min %4, %c : <[token, heads = 4, 64] x f32>, <[] x f32> -> <[token, heads = 4, 64] x f32>
  // CHECK: %[[NEG:.*]] = braid.neg %[[MIN]] : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  %6 = braid.neg %5 : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  // CHECK: %[[ABS:.*]] = braid.abs %[[NEG]] : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  %7 = braid.abs %6 : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  // CHECK: %[[FMA:.*]] = braid.fma %[[ABS]], %[[C]], %[[A]] : <[token, heads = 4, 64] x f32>, <[] x f32>, <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  %8 = braid.fma %7, %c, %a : <[token, heads = 4, 64] x f32>, <[] x f32>, <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
  // CHECK: %[[ROUND:.*]] = braid.round %[[FMA]] : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f16>
  %9 = braid.round %8 : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f16>
  // CHECK: braid.store %[[ROUND]], %[[Y]] : <[token, heads = 4, 64] x f16>, <[token, heads = 4, 64] x f16>
  braid.store %9, %y : <[token, heads = 4, 64] x f16>, <[token, heads = 4, 64] x f16>
}

// CHECK-LABEL: braid.kernel @rows axes ["token"] parameters {eps = "1e-06", heads = "4"}
braid.kernel @rows axes ["token"] parameters {eps = "1e-06", heads = "4"} {
  %k = braid.operand input "k" : !braid.tensor<[token, dim = 32] x bf16>
  %gamma = braid.operand input "gamma" : !braid.tensor<[dim = 32] x f32>
  %angle = braid.operand input "angle" : !braid.tensor<[position, 16] x f32>
  %pos = braid.operand input "pos" : !braid.tensor<[token] x i32>
  %slot = braid.operand input "slot" : !braid.tensor<[token] x i64>
  // CHECK: %[[CACHE:.*]] = braid.operand cache "page" : !braid.cache<<"pairs", page_size = 2, page_bytes = 72, alignment = 4, fields = [<"value", !braid.fp8, [32], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1)>, <"scale", f32, [], buffer = 0, at = (d0) -> (d0 * 4 + 64)>]>>
  %page = braid.operand cache "page" : !braid.cache<<"pairs", page_size = 2, page_bytes = 72, alignment = 4, fields = [<"value", !braid.fp8, [32], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1)>, <"scale", f32, [], buffer = 0, at = (d0) -> (d0 * 4 + 64)>]>>
  // CHECK: %[[K:.*]] = braid.load %{{.*}} : <[token, dim = 32] x bf16> -> <[token, dim = 32] x f32>
  %0 = braid.load %k : <[token, dim = 32] x bf16> -> <[token, dim = 32] x f32>
  %1 = braid.load %gamma : <[dim = 32] x f32> -> <[dim = 32] x f32>
  // CHECK: %[[POS:.*]] = braid.load %{{.*}} : <[token] x i32> -> <[token] x i32>
  %2 = braid.load %pos : <[token] x i32> -> <[token] x i32>
  // CHECK: %[[SLOT:.*]] = braid.load %{{.*}} : <[token] x i64> -> <[token] x i64>
  %3 = braid.load %slot : <[token] x i64> -> <[token] x i64>
  // CHECK: %[[ROW:.*]] = braid.gather %{{.*}}[%[[POS]]] : <[position, 16] x f32>, <[token] x i32> -> <[token, 16] x f32>
  %4 = braid.gather %angle[%2] : <[position, 16] x f32>, <[token] x i32> -> <[token, 16] x f32>
  // CHECK: %[[NORM:.*]] = braid.layer_norm %[[K]], %[[G:.*]], %[[G]] eps 9.9999999999999995E-7 : <[token, dim = 32] x f32>, <[dim = 32] x f32>, <[dim = 32] x f32> -> <[token, dim = 32] x f32>
  %5 = braid.layer_norm %0, %1, %1 eps 1.0e-6 : <[token, dim = 32] x f32>, <[dim = 32] x f32>, <[dim = 32] x f32> -> <[token, dim = 32] x f32>
  // CHECK: %[[NEOX:.*]] = braid.rope %[[NORM]], %[[ROW]] neox dims 0 to 16 table joined : <[token, dim = 32] x f32>, <[token, 16] x f32> -> <[token, dim = 32] x f32>
  %6 = braid.rope %5, %4 neox dims 0 to 16 table joined : <[token, dim = 32] x f32>, <[token, 16] x f32> -> <[token, dim = 32] x f32>
  // CHECK: %[[GPTJ:.*]] = braid.rope %[[NEOX]], %[[ROW]] gptj dims 16 to 32 table joined :
  %7 = braid.rope %6, %4 gptj dims 16 to 32 table joined : <[token, dim = 32] x f32>, <[token, 16] x f32> -> <[token, dim = 32] x f32>
  // CHECK: %[[CODES:.*]], %[[SCALE:.*]] = braid.quantize %[[GPTJ]] scale ue8m0 floor 1.000000e-04 : <[token, dim = 32] x f32> -> <[token, dim = 32] x !braid.fp8>, <[token] x f32>
  %codes, %scale = braid.quantize %7 scale ue8m0 floor 1.0e-4 : <[token, dim = 32] x f32> -> <[token, dim = 32] x !braid.fp8>, <[token] x f32>
  // CHECK: braid.quantize %[[GPTJ]] scale ue8m0 floor 1.000000e-10 max 2.240000e+02 : <[token, dim = 32] x f32> -> <[token, dim = 32] x f8E4M3FN>, <[token] x f32>
  %codes2, %scale2 = braid.quantize %7 scale ue8m0 floor 1.0e-10 max 224.0 : <[token, dim = 32] x f32> -> <[token, dim = 32] x f8E4M3FN>, <[token] x f32>
  // CHECK: %[[ONE:.*]] = braid.constant 1.000000e+00
  // CHECK: braid.quantize %[[GPTJ]] scale given(%[[ONE]] : !braid.value<[] x f32>) max 2.000000e+02 divide : <[token, dim = 32] x f32> -> <[token, dim = 32] x f8E5M2>, <[token] x f32>
  %one = braid.constant 1.0 : <[] x f32>
  %codes3, %scale3 = braid.quantize %7 scale given(%one : !braid.value<[] x f32>) max 200.0 divide : <[token, dim = 32] x f32> -> <[token, dim = 32] x f8E5M2>, <[token] x f32>
  // CHECK: braid.quantize %[[GPTJ]] scale f32_reciprocal floor 1.000000e-10 group 32 : <[token, dim = 32] x f32> -> <[token, dim = 32] x f8E5M2FNUZ>, <[token, 1] x f32>
  %codes4, %scale4 = braid.quantize %7 scale f32_reciprocal floor 1.0e-10 group 32 : <[token, dim = 32] x f32> -> <[token, dim = 32] x f8E5M2FNUZ>, <[token, 1] x f32>
  // CHECK: braid.cache_store %[[CACHE]][%[[SLOT]]] ["value", "scale"](%[[CODES]], %[[SCALE]]) : <<"pairs", {{.*}}>>, <[token] x i64>, !braid.value<[token, dim = 32] x !braid.fp8>, !braid.value<[token] x f32>
  braid.cache_store %page[%3] ["value", "scale"](%codes, %scale) : <<"pairs", page_size = 2, page_bytes = 72, alignment = 4, fields = [<"value", !braid.fp8, [32], buffer = 0, at = (d0, d1) -> (d0 * 32 + d1)>, <"scale", f32, [], buffer = 0, at = (d0) -> (d0 * 4 + 64)>]>>, <[token] x i64>, !braid.value<[token, dim = 32] x !braid.fp8>, !braid.value<[token] x f32>
}

// CHECK-LABEL: braid.kernel @row_ops
braid.kernel @row_ops axes ["token"] parameters {} {
  // CHECK: braid.operand inout "x" : !braid.tensor<[token, 32] x f32>
  %x = braid.operand inout "x" : !braid.tensor<[token, 32] x f32>
  %gamma = braid.operand input "gamma" : !braid.tensor<[32] x f32>
  %cosine = braid.operand input "cosine" : !braid.tensor<[position, 1, 8] x f32>
  %sine = braid.operand input "sine" : !braid.tensor<[position, 8] x f32>
  %both = braid.operand input "both" : !braid.tensor<[position, 16] x f32>
  %pos = braid.operand input "pos" : !braid.tensor<[token] x i32>
  // CHECK: %[[X:.*]] = braid.load
  %0 = braid.load %x : <[token, 32] x f32> -> <[token, 32] x f32>
  // CHECK: %[[G:.*]] = braid.load
  %1 = braid.load %gamma : <[32] x f32> -> <[32] x f32>
  %2 = braid.load %pos : <[token] x i32> -> <[token] x i32>
  // CHECK: braid.rms_norm %[[X]], %[[G]] eps 9.9999999999999995E-7 weight plain : <[token, 32] x f32>, <[32] x f32> -> <[token, 32] x f32>
  %3 = braid.rms_norm %0, %1 eps 1.0e-6 weight plain : <[token, 32] x f32>, <[32] x f32> -> <[token, 32] x f32>
  // CHECK: %[[N:.*]] = braid.rms_norm %{{.*}}, %[[G]] eps 0.000000e+00 weight one_plus :
  %4 = braid.rms_norm %3, %1 eps 0.0 weight one_plus : <[token, 32] x f32>, <[32] x f32> -> <[token, 32] x f32>
  // CHECK: braid.rms_rstd %[[N]] eps 1.000000e-05 : <[token, 32] x f32> -> <[token] x f32>
  %5 = braid.rms_rstd %4 eps 1.0e-5 : <[token, 32] x f32> -> <[token] x f32>
  // CHECK: braid.sum %[[N]] : <[token, 32] x f32> -> <[token] x f32>
  %6 = braid.sum %4 : <[token, 32] x f32> -> <[token] x f32>
  // CHECK: braid.amax %[[N]] : <[token, 32] x f32> -> <[token] x f32>
  %7 = braid.amax %4 : <[token, 32] x f32> -> <[token] x f32>
  // CHECK: %[[H:.*]] = braid.hadamard %[[N]] scale 2.500000e-01 : <[token, 32] x f32> -> <[token, 32] x f32>
  %8 = braid.hadamard %4 scale 0.25 : <[token, 32] x f32> -> <[token, 32] x f32>
  // CHECK: braid.exp %[[H]] : <[token, 32] x f32> -> <[token, 32] x f32>
  %9 = braid.exp %8 : <[token, 32] x f32> -> <[token, 32] x f32>
  // CHECK: braid.sigmoid %
  %10 = braid.sigmoid %9 : <[token, 32] x f32> -> <[token, 32] x f32>
  // CHECK: braid.silu %
  %11 = braid.silu %10 : <[token, 32] x f32> -> <[token, 32] x f32>
  // CHECK: %[[C:.*]] = braid.gather %{{.*}}[%{{.*}}] : <[position, 1, 8] x f32>, <[token] x i32> -> <[token, 8] x f32>
  %12 = braid.gather %cosine[%2] : <[position, 1, 8] x f32>, <[token] x i32> -> <[token, 8] x f32>
  // CHECK: %[[S:.*]] = braid.gather
  %13 = braid.gather %sine[%2] : <[position, 8] x f32>, <[token] x i32> -> <[token, 8] x f32>
  // CHECK: %[[B:.*]] = braid.gather
  %14 = braid.gather %both[%2] : <[position, 16] x f32>, <[token] x i32> -> <[token, 16] x f32>
  // CHECK: %[[R:.*]] = braid.rope %{{.*}}, %[[C]], %[[S]] gptj dims 0 to 16 table split : <[token, 32] x f32>, <[token, 8] x f32>, !braid.value<[token, 8] x f32> -> <[token, 32] x f32>
  %15 = braid.rope %11, %12, %13 gptj dims 0 to 16 table split : <[token, 32] x f32>, <[token, 8] x f32>, !braid.value<[token, 8] x f32> -> <[token, 32] x f32>
  // CHECK: braid.rope %[[R]], %[[B]] neox dims 8 to 24 table pairs : <[token, 32] x f32>, <[token, 16] x f32> -> <[token, 32] x f32>
  %16 = braid.rope %15, %14 neox dims 8 to 24 table pairs : <[token, 32] x f32>, <[token, 16] x f32> -> <[token, 32] x f32>
  braid.store %16, %x : <[token, 32] x f32>, <[token, 32] x f32>
}

// CHECK-LABEL: braid.kernel @sections
braid.kernel @sections axes ["token"] parameters {} {
  %x = braid.operand input "x" : !braid.tensor<[token, heads = 4, 64] x f32>
  %y = braid.operand output "y" : !braid.tensor<[token, heads = 4, 64] x f32>
  // CHECK: braid.section [#braid.axis<token>, #braid.axis<heads = 4>] {
  braid.section [#braid.axis<token>, #braid.axis<heads = 4>] {
    %a = braid.load %x : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
    braid.store %a, %y : <[token, heads = 4, 64] x f32>, <[token, heads = 4, 64] x f32>
  }
  // CHECK: braid.section [#braid.axis<token>, #braid.axis<4>] schedule <row = 64, bits = "rrrlll", workgroup = 64, token_groups = 2, row_groups = 4, in_flight = 1> {
  braid.section [#braid.axis<token>, #braid.axis<4>] schedule <row = 64, bits = "rrrlll", workgroup = 64, token_groups = 2, row_groups = 4, in_flight = 1> {
    %a = braid.load %x : <[token, heads = 4, 64] x f32> -> <[token, heads = 4, 64] x f32>
    braid.store %a, %y : <[token, heads = 4, 64] x f32>, <[token, heads = 4, 64] x f32>
  }
}

// An axis whose name is no MLIR keyword is quoted.
// CHECK-LABEL: braid.kernel @quoted_axis axes ["a b"]
braid.kernel @quoted_axis axes ["a b"] parameters {} {
  // CHECK: braid.operand input "x" : !braid.tensor<["a b", "0" = 3] x i64>
  %x = braid.operand input "x" : !braid.tensor<["a b", "0" = 3] x i64>
}

// The attributes of enumerations and of a whole layout stand alone too.
// CHECK-LABEL: module @attributes attributes
// CHECK-SAME: braid.layout = #braid.layout<"one", page_size = 1, page_bytes = 4, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>
// CHECK-SAME: braid.layout_of_two = #braid.layout<"two", page_size = 1, page_bytes = [4, 2], alignment = [4, 1], fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>, <"g", f8E4M3FN, [2], buffer = 1, at = (d0, d1) -> (d1)>]>
// CHECK-SAME: braid.role = #braid<operand_role cache>
// CHECK-SAME: braid.rule = #braid<scale_rule ue8m0>
// CHECK-SAME: braid.schedule = #braid.schedule<row = 1, bits = "", workgroup = 64, token_groups = 64, row_groups = 1, in_flight = 1>
// CHECK-SAME: braid.style = #braid<rope_style gptj>
// CHECK-SAME: braid.table = #braid<table_form joined>
// CHECK-SAME: braid.weight = #braid<norm_weight one_plus>
module @attributes attributes {
  braid.layout = #braid.layout<"one", page_size = 1, page_bytes = 4, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>,
  braid.layout_of_two = #braid.layout<"two", page_size = 1, page_bytes = [4, 2], alignment = [4, 1], fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>, <"g", f8E4M3FN, [2], buffer = 1, at = (d0, d1) -> (d1)>]>,
  braid.schedule = #braid.schedule<row = 1, bits = "", workgroup = 64, token_groups = 64, row_groups = 1, in_flight = 1>,
  braid.role = #braid<operand_role cache>,
  braid.rule = #braid<scale_rule ue8m0>,
  braid.style = #braid<rope_style gptj>,
  braid.table = #braid<table_form joined>,
  braid.weight = #braid<norm_weight one_plus>
} {}

// CHECK-LABEL: braid.kernel @between_kernels
braid.kernel @between_kernels axes ["token"] parameters {} {
  // CHECK: %[[S:.*]] = braid.operand workspace "s" {powers_of_two} : !braid.tensor<[token] x f32>
  %s = braid.operand workspace "s" {powers_of_two} : !braid.tensor<[token] x f32>
  // CHECK: %[[H:.*]] = braid.operand workspace "h" : !braid.tensor<[token] x bf16>
  %h = braid.operand workspace "h" : !braid.tensor<[token] x bf16>
  // CHECK: %[[E:.*]] = braid.operand output "e" : !braid.tensor<[token] x f8E8M0FNU>
  %e = braid.operand output "e" : !braid.tensor<[token] x f8E8M0FNU>
  // CHECK: %[[SCALE:.*]] = braid.load %[[S]] {is_row = false} : <[token] x f32> -> <[token] x f32>
  %0 = braid.load %s {is_row = false} : <[token] x f32> -> <[token] x f32>
  // CHECK: braid.store %[[SCALE]], %[[E]]
  braid.store %0, %e : <[token] x f32>, <[token] x f8E8M0FNU>
  // CHECK: braid.load %[[H]] : <[token] x bf16> -> <[token] x bf16>
  %1 = braid.load %h : <[token] x bf16> -> <[token] x bf16>
}
