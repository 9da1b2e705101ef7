// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dsl/Ops.h"

#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>

using namespace braid;
using namespace braid::dsl;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class BuilderTest : public testing::Test {
protected:
  std::vector<std::string> ids(const Program &program) {
    std::vector<std::string> all;
    for (const dsl::Diagnostic &diagnostic : program.diagnostics)
      all.push_back(diagnostic.id);
    return all;
  }
  size_t count(const Program &program, llvm::StringRef op) {
    size_t found = 0;
    const_cast<Program &>(program).module->walk(
        [&](mlir::Operation *other) { found += other->getName().getStringRef() == op; });
    return found;
  }

  mlir::MLIRContext context;
  Builder b{context, "k"};
  mlir::Type f32 = b.dtype("f32"), bf16 = b.dtype("bf16"), i64 = b.dtype("i64");
};

TEST_F(BuilderTest, BuildsAVerifiedKernel) {
  b.axis("token");
  Expr x = b.input("x", bf16, {"token", 64});
  b.output("y", f32, {"token", 64});
  b.assign("y", (x + 1) * x / 2 - (-x));
  Program program = b.finish();
  ASSERT_THAT(program.diagnostics, IsEmpty());
  EXPECT_TRUE(succeeded(mlir::verify(*program.module)));
  EXPECT_EQ(count(program, "braid.load"), 1u);
  EXPECT_EQ(count(program, "braid.constant"), 2u);
  EXPECT_EQ(count(program, "braid.neg"), 1u);
}

// S-ARITH-3.
TEST_F(BuilderTest, FoldsConstantsInDouble) {
  Expr third = Expr(1) / 3;
  ASSERT_TRUE(third.number());
  EXPECT_EQ(third.number()->value, 1.0 / 3.0);
  EXPECT_FALSE(third.number()->integer);
  EXPECT_TRUE((Expr(2) * 3 - 1).number()->integer);
}

// The named input may come later; every store over its axis is masked, others are not.
TEST_F(BuilderTest, SkipAllMasksStores) {
  b.skipAll("slot");
  b.axis("token");
  b.axis("key");
  Expr x = b.input("x", f32, {"token", 64});
  b.output("y", f32, {"token", 64});
  b.assign("y", x * 2);
  b.output("z", f32, {"key", 64});
  b.assign("z", b.input("u", f32, {"key", 64}) * 2);
  mlir::Type fp8 = b.dtype("fp8");
  Expr slot = b.input("slot", i64, {"token"});
  Expr pages =
      b.cache("pages", b.layoutParameter("page", "linear", {{"page_size", 4}, {"dim", 64}}));
  Quantized entry = quantize(x, fp8, "ue8m0", 1e-4);
  b.storeEntry(pages, slot, {{"value", entry.codes}, {"scale", entry.scale}});
  Program program = b.finish();
  ASSERT_THAT(ids(program), IsEmpty());
  EXPECT_EQ(count(program, "braid.in_cache"), 1u);
  std::map<std::string, bool> masked;
  program.module->walk([&](StoreOp store) {
    masked[store.getTensor().getDefiningOp<OperandOp>().getName().str()] = bool(store.getMask());
  });
  program.module->walk([&](CacheStoreOp store) { masked["pages"] = bool(store.getMask()); });
  EXPECT_EQ(masked, (std::map<std::string, bool>{{"y", true}, {"z", false}, {"pages", true}}));
  std::vector<std::string> order;
  program.module->walk([&](OperandOp operand) { order.push_back(operand.getName().str()); });
  EXPECT_THAT(order, ElementsAre("x", "y", "z", "u", "slot", "pages"));
}

TEST_F(BuilderTest, SkipAllNamesASlotTensor) {
  b.skipAll("x");
  b.axis("token");
  Expr x = b.input("x", f32, {"token", 64});
  b.output("y", f32, {"token", 64});
  b.assign("y", x * 2);
  Program program = b.finish();
  EXPECT_THAT(ids(program), ElementsAre("BR0160"));
  EXPECT_FALSE(program.module);
}

// What is read of an inout is loaded before it is stored, also by a statement behind the store.
TEST_F(BuilderTest, LoadsAnInoutBeforeItsStore) {
  b.axis("token");
  Expr x = b.input("x", f32, {"token", 64});
  Expr both = b.inout("both", f32, {"token", 64});
  b.output("y", f32, {"token", 64});
  b.assign("both", x * 2);
  b.assign("y", both + x);
  Program program = b.finish();
  ASSERT_THAT(program.diagnostics, IsEmpty());
  EXPECT_EQ(count(program, "braid.load"), 2u);
  EXPECT_TRUE(succeeded(mlir::verify(*program.module)));
}

TEST_F(BuilderTest, SpellsTheNormsAndTheTablesOfRope) {
  b.axis("token");
  Expr x = b.input("x", f32, {"token", 64});
  Expr gamma = b.input("gamma", bf16, {64});
  Expr cosine = b.input("cosine", f32, {"position", 1, 16});
  Expr sine = b.input("sine", f32, {"position", 16});
  Expr pos = b.input("pos", i64, {"token"});
  b.output("y", f32, {"token", 64});
  b.assign("y",
           ropeSplit(rmsNorm(x, gamma, 1e-6, "one_plus"), cosine[pos], sine[pos], "gptj", {0, 32}));
  Program program = b.finish();
  ASSERT_THAT(program.diagnostics, IsEmpty());
  EXPECT_EQ(count(program, "braid.rms_norm"), 1u);
  EXPECT_EQ(count(program, "braid.rope"), 1u);
}

TEST_F(BuilderTest, GathersATableOnce) {
  b.axis("token");
  Expr x = b.input("x", f32, {"token", 64});
  Expr angle = b.input("angle", f32, {"position", 64});
  Expr pos = b.input("pos", i64, {"token"});
  b.output("y", f32, {"token", 64});
  Expr once = rope(x, angle[pos], "neox", {0, 64});
  b.assign("y", rope(once, angle[pos], "gptj", {0, 64}));
  Program program = b.finish();
  ASSERT_THAT(program.diagnostics, IsEmpty());
  EXPECT_EQ(count(program, "braid.gather"), 1u);
}

TEST_F(BuilderTest, NamesOpsByLocation) {
  b.axis("token");
  Expr x = b.input("x", f32, {"token", 64});
  b.output("c", b.dtype("fp8"), {"token", 64});
  auto [codes, scale] = quantize(x, b.dtype("fp8"), "ue8m0", 1e-4);
  b.assign({"c", "s"}, {codes, scale});
  EXPECT_EQ(mlir::cast<mlir::NameLoc>(codes.handle().getLoc()).getName(), "c,s");
  EXPECT_THAT(b.finish().diagnostics, IsEmpty());
}

TEST_F(BuilderTest, QuantizesByEveryRule) {
  b.axis("token");
  Expr x = b.input("x", f32, {"token", 64});
  Expr g = b.input("g", f32, {2});
  mlir::Type fp8 = b.dtype("fp8");
  b.output("c", fp8, {"token", 64});
  b.output("d", fp8, {"token", 64});
  b.output("e", fp8, {"token", 64});
  b.assign("c", quantize(x, fp8, {.scale = "f32_divide", .floor = 1e-4, .divide = true}).codes);
  b.assign("d", quantize(x, fp8, {.max = 200, .group = 32, .given = g}).codes);
  b.assign("e", quantize(x, fp8, {.given = 0.5}).codes);
  Program program = b.finish();
  ASSERT_THAT(ids(program), IsEmpty());
  std::vector<std::string> rules;
  program.module->walk([&](QuantizeOp op) {
    rules.push_back(stringifyScaleRule(op.getRule()).str() + (op.getDivide() ? " divide" : "") +
                    (op.getGroup() ? " groups" : "") + (op.getGiven() ? " given" : "") +
                    (op.getMax() ? " max" : ""));
  });
  EXPECT_EQ(rules, (std::vector<std::string>{"f32_divide divide", "given groups given max",
                                             "given given"}));
}

TEST_F(BuilderTest, PlacesAreInTheCallersFile) {
  b.call("rond", {1});
  const unsigned line = __LINE__ - 1;
  Program program = b.finish();
  ASSERT_EQ(program.diagnostics.size(), 1u);
  EXPECT_EQ(program.diagnostics[0].id, "BR0135");
  EXPECT_EQ(program.diagnostics[0].file, "BuilderTest.cpp");
  EXPECT_EQ(program.diagnostics[0].line, line);
}

TEST_F(BuilderTest, GoesOnAfterErrors) {
  b.axis("token");
  Expr x = b.input("x", f32, {"token", 64});
  b.output("y", f32, {"token", 64});
  Expr bad = b.callOne("rond", {x, bf16});
  EXPECT_FALSE(bad);
  Expr worse = (bad + 1) * x[bad] / rope(bad, bad, "neox", {0, 2});
  b.assign("z", worse);
  b.assign("y", round(x, i64));
  b.assign("y", x);
  Program program = b.finish();
  EXPECT_FALSE(program.module);
  EXPECT_THAT(ids(program), ElementsAre("BR0135", "BR0212", "BR0108"));
}

TEST_F(BuilderTest, ChecksArguments) {
  b.axis("token");
  Expr x = b.input("x", f32, {"token", 64});
  b.call("rope", {x, x, "neox", kw("dimz", IntRange{0, 64}), kw("table", "joined")});
  b.call("rope", {x, x, "neox", kw("table", "joined")});
  b.call("rope", {x, x, "nexo", kw("dims", IntRange{0, 64}), kw("table", "joined")});
  b.call("rope", {x, x, "neox", kw("dims", 64), kw("table", "joined")});
  b.call("rope",
         {x, x, "neox", kw("dims", IntRange{0, 64}), kw("style", "neox"), kw("table", "joined")});
  b.call("round", {x, bf16, 3});
  b.call("round", {kw("x", x), bf16});
  b.call("round", {"word", bf16});
  b.call("round", {1e300, bf16});
  EXPECT_THAT(ids(b.finish()), ElementsAre("BR0136", "BR0137", "BR0140", "BR0139", "BR0138",
                                           "BR0141", "BR0142", "BR0139", "BR0123"));
}

TEST_F(BuilderTest, EveryOutputAndCacheIsStored) {
  b.axis("token");
  LayoutAttr page = b.layoutParameter("page", "linear", {{"page_size", 16}, {"dim", 64}});
  b.output("y", f32, {"token", 64});
  b.cache("keys", page);
  Program program = b.finish();
  EXPECT_THAT(ids(program), ElementsAre("BR0145", "BR0145"));
}

TEST_F(BuilderTest, RefusesWrongDeclarations) {
  b.axis("token");
  b.input("x", f32, {"token", -1});
  b.input("x", f32, {"token", 4});
  b.input("s", f32, {});
  b.output("y", f32, {"tokn", 4});
  b.input("z", b.dtype("f33"), {"token"});
  EXPECT_FALSE(b.layoutParameter("page", "tiled16", {{"page_size", 1}, {"dim", 64}}));
  EXPECT_THAT(ids(b.finish()),
              ElementsAre("BR0130", "BR0108", "BR0149", "BR0131", "BR0133", "BR0305"));
}

TEST_F(BuilderTest, ATableIsIndexed) {
  b.axis("token");
  b.input("angle", f32, {"position", 64});
  EXPECT_THAT(ids(b.finish()), ElementsAre("BR0131"));
}

TEST_F(BuilderTest, ReportsAtMostTwenty) {
  for (int i = 0; i < 30; ++i)
    b.call("op" + std::to_string(i), {});
  Program program = b.finish();
  EXPECT_EQ(program.diagnostics.size(), DiagnosticList::kMax + 1);
}

} // namespace
