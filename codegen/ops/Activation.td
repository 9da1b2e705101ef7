// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_ExpOp : Braid_UnaryOp<"exp", "e to the power of value, by the shared implementation">;
def Braid_SigmoidOp : Braid_UnaryOp<"sigmoid", "1 / (1 + exp(-value))">;
def Braid_SiluOp : Braid_UnaryOp<"silu", "value / (1 + exp(-value))">;
