// The layouts of the module's caches: tests/dialect/layout-errors.mlir.
// RUN: not braid-opt %s --braid-resolve-target=target=gfx999 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not braid-opt %s --braid-resolve-target 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not braid-opt %s --braid-resolve-target=target=GFX942 2>&1 | FileCheck %s --check-prefix=CASE

// UNKNOWN: error: [BR0401] there is no target `gfx999`
// UNKNOWN: note: why: a target fixes the wave size, the fp8 flavour and the instructions
// UNKNOWN: note: fix: did you mean `gfx942`? the targets are: gfx942, gfx950, sm_90
// NONE: error: [BR0401] there is no target ``
// CASE: error: [BR0401] there is no target `GFX942`
module {}
