// A scheduled kernel becomes one function whose arguments follow the signature: for each operand its
// pointer and the strides of what is not a row, then the counts; its sections follow one another in the grid.
// RUN: braid-opt %s --braid-lower-to-emitc | FileCheck %s
// RUN: braid-opt %s --braid-lower-to-emitc -o %t.once
// RUN: braid-opt %t.once -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK: module attributes {braid.target = "gfx942"}
// CHECK-NOT: braid.kernel
// CHECK: emitc.func @braid_two(
// x, its strides over token and heads
// CHECK-SAME: %[[X:[^:]*]]: !emitc.ptr<!emitc.opaque<"const bf16">>, %[[XT:[^:]*]]: !emitc.opaque<"u32">, %[[XH:[^:]*]]: !emitc.opaque<"u32">,
// g, slot
// CHECK-SAME: %[[G:[^:]*]]: !emitc.ptr<!emitc.opaque<"const f32">>, %[[GT:[^:]*]]: !emitc.opaque<"u32">,
// CHECK-SAME: %[[SLOT:[^:]*]]: !emitc.ptr<!emitc.opaque<"const i32">>, %[[ST:[^:]*]]: !emitc.opaque<"u32">,
// t, its row stride and number of rows
// CHECK-SAME: %[[T:[^:]*]]: !emitc.ptr<!emitc.opaque<"const f32">>, %[[TP:[^:]*]]: !emitc.opaque<"u32">, %[[TROWS:[^:]*]]: !emitc.opaque<"u32">,
// y is written
// CHECK-SAME: %[[Y:[^:]*]]: !emitc.ptr<!emitc.opaque<"bf16">>, %[[YT:[^:]*]]: !emitc.opaque<"u32">, %[[YH:[^:]*]]: !emitc.opaque<"u32">,
// p, its pages and page stride
// CHECK-SAME: %[[P:[^:]*]]: !emitc.ptr<!emitc.opaque<"u8">>, %[[PAGES:[^:]*]]: !emitc.opaque<"u64">, %[[PSTRIDE:[^:]*]]: !emitc.opaque<"u64">,
// CHECK-SAME: %[[COUNT:[^:]*]]: !emitc.opaque<"u32">) attributes
// CHECK-SAME: braid.headers = ["page.h", "rope.h", "row.h"]
// CHECK-SAME: specifiers = ["extern \22C\22", "__global__", "__launch_bounds__(64)"]

// The first section has ceil(count / 64) workgroups.
// CHECK: %[[WG:.*]] = call_opaque "workgroupId"()
// CHECK: %[[THREAD:.*]] = call_opaque "threadId"()
// CHECK: %[[MORE:.*]] = literal "63"
// CHECK: %[[UP:.*]] = add %[[COUNT]], %[[MORE]]
// CHECK: %[[PER:.*]] = literal "64"
// CHECK: %[[FIRST:.*]] = div %[[UP]], %[[PER]]
// CHECK: %[[MINE:.*]] = cmp lt, %[[WG]], %[[FIRST]]
// CHECK: if %[[MINE]] {
// CHECK: verbatim "using Rows = RowMap<1, 0x0>;"
// CHECK: call_opaque "loadScalar"{{.*}} -> !emitc.opaque<"f32">
// CHECK: %[[ENTRY:.*]] = call_opaque "loadScalar"{{.*}} -> !emitc.opaque<"i32">

// The entry, as an unsigned number, must lie in the cache.
// CHECK: %[[UNSIGNED:.*]] = cast %[[ENTRY]] : !emitc.opaque<"i32"> to !emitc.opaque<"u64">
// CHECK: %[[CAPACITY:.*]] = mul %[[PAGES]], %{{.*}}
// CHECK: %[[INSIDE:.*]] = cmp lt, %[[UNSIGNED]], %[[CAPACITY]]
// CHECK: %[[STORES:.*]] = logical_and %{{.*}}, %[[INSIDE]]
// CHECK: if %[[STORES]] {
// CHECK: mul %{{.*}}, %[[PSTRIDE]]
// CHECK: call_opaque "storeScalar"

// The second section counts its workgroups from where the first one ends.
// CHECK: } else {
// CHECK: %[[REST:.*]] = sub %[[WG]], %[[FIRST]]
// CHECK: verbatim "using Rows = RowMap<64, 0x38>;"
// CHECK: %[[LANE:.*]] = rem %[[THREAD]], %{{.*}}
// CHECK: %[[CLAMPED:.*]] = call_opaque "clampIndex"(%{{.*}}, %[[TROWS]])
// CHECK: %[[ANGLES:.*]] = call_opaque "loadAnglesJoined"
// CHECK: %[[ROW:.*]] = call_opaque "loadRow"(%{{.*}}, %[[LANE]]) {{.*}} -> !emitc.opaque<"Frag<bf16, 8>">
// CHECK: call_opaque "rope"(%[[ROW]], %[[ANGLES]], %[[LANE]]) {template_args = [#emitc.opaque<"Rows">, #emitc.opaque<"RopeStyle::gptj">, #emitc.opaque<"0">, #emitc.opaque<"64">, #emitc.opaque<"bf16">]}
// CHECK: call_opaque "storeRow"
// CHECK: return
// CHECK-NOT: emitc.func
module attributes {braid.target = "gfx942"} {
  braid.kernel @two axes ["token"] parameters {} {
    %x = braid.operand input "x" : !braid.tensor<[token, heads = 4, 64] x bf16>
    %g = braid.operand input "g" : !braid.tensor<[token] x f32>
    %slot = braid.operand input "slot" : !braid.tensor<[token] x i32>
    %t = braid.operand input "t" : !braid.tensor<[position, 64] x f32>
    %y = braid.operand output "y" : !braid.tensor<[token, heads = 4, 64] x bf16>
    %p = braid.operand cache "p" : !braid.cache<<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>
    braid.section [#braid.axis<token>] schedule <row = 1, bits = "", workgroup = 64, token_groups = 64, row_groups = 1, in_flight = 1> {
      %0 = braid.load %g : <[token] x f32> -> <[token] x f32>
      %1 = braid.load %slot : <[token] x i32> -> <[token] x i32>
      braid.cache_store %p[%1] ["f"](%0) : <<"one", page_size = 4, page_bytes = 16, alignment = 4, fields = [<"f", f32, [], buffer = 0, at = (d0) -> (d0 * 4)>]>>, <[token] x i32>, !braid.value<[token] x f32>
    }
    braid.section [#braid.axis<token>, #braid.axis<heads = 4>] schedule <row = 64, bits = "rrrlll", workgroup = 64, token_groups = 2, row_groups = 4, in_flight = 1> {
      %0 = braid.load %slot : <[token] x i32> -> <[token] x i32>
      %1 = braid.gather %t[%0] : <[position, 64] x f32>, <[token] x i32> -> <[token, 64] x f32>
      %2 = braid.load %x : <[token, heads = 4, 64] x bf16> -> <[token, heads = 4, 64] x f32>
      %3 = braid.rope %2, %1 gptj dims 0 to 64 table joined : <[token, heads = 4, 64] x f32>, <[token, 64] x f32> -> <[token, heads = 4, 64] x bf16>
      braid.store %3, %y : <[token, heads = 4, 64] x bf16>, <[token, heads = 4, 64] x bf16>
    }
  }
}
