// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def Braid_Relu2Op : Braid_UnaryOp<"relu2", "max(value, 0)^2, by the max and the product of the language">;
