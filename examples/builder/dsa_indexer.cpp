// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/dsa_indexer.braid with the parameters of preset deepseek_v32, through the C++ builder.
// Prints the program as MLIR, which every command takes in place of text.
#include "dsl/Ops.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace braid;
using namespace braid::dsl;

static Program buildIndexer(mlir::MLIRContext &context) {
  Builder b(context, "dsa_indexer");
  IntParam heads = b.intParameter("heads", 64);
  IntParam headDim = b.intParameter("head_dim", 128);
  IntParam ropeDim = b.intParameter("rope_dim", 64);
  std::string style = b.wordParameter("style", "neox");
  double eps = b.f32Parameter("eps", 1e-6);
  mlir::Type io = b.dtypeParameter("io", "bf16");
  mlir::Type ids = b.dtypeParameter("ids", "i64");
  mlir::Type fp = b.dtypeParameter("fp", "fp8");
  mlir::Type f32 = b.dtype("f32");
  LayoutAttr page =
      b.layoutParameter("page", "linear", {{"page_size", 64}, {"dim", headDim}, {"value", fp}});

  b.axis("token");
  Expr q = b.input("q", io, {"token", heads, headDim});
  Expr k = b.input("k", io, {"token", headDim});
  Expr gate = b.input("gate", io, {"token", heads});
  Expr gamma = b.input("gamma", f32, {headDim});
  Expr beta = b.input("beta", f32, {headDim});
  Expr angle = b.input("angle", f32, {"position", ropeDim});
  Expr pos = b.input("pos", ids, {"token"});
  Expr slot = b.input("slot", ids, {"token"});
  b.output("q8", fp, {"token", heads, headDim});
  b.output("w", f32, {"token", heads});
  Expr indexK = b.cache("index_k", page);

  const IntRange rotated = {0, ropeDim};
  Expr qr = b.assign("qr", round(rope(q, angle[pos], style, rotated), io));
  auto [q8, qs] = quantize(qr, fp, "ue8m0", 1e-10);
  b.assign({"q8", "qs"}, {q8, qs});
  b.assign("w", gate * qs * (1 / std::sqrt(double(headDim * heads))));

  Expr kn = b.assign("kn", round(layerNorm(k, gamma, beta, eps), io));
  Expr kr = b.assign("kr", round(rope(kn, angle[pos], style, rotated), io));
  auto [kc, ks] = quantize(kr, fp, "ue8m0", 1e-4);
  b.assign({"kc", "ks"}, {kc, ks});
  b.storeEntry(indexK, slot, {{"value", kc}, {"scale", ks}});
  return b.finish();
}

int main() {
  mlir::MLIRContext context;
  Program program = buildIndexer(context);
  for (const Diagnostic &diagnostic : program.diagnostics)
    llvm::errs() << renderText(diagnostic);
  if (!program.module)
    return 2;
  program.module->print(llvm::outs());
  return 0;
}
