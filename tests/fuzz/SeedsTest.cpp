// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged copies of every program of the repository: refused in words or compiled, never a crash.
// Each text is in fuzz_parse.braid of the working folder before it is tried, so that a crash leaves
// its cause behind. The sequence is fixed; how far it goes is a matter of time (20 s,
// BRAID_FUZZ_SECONDS).

#include "codegen/Compiler.h"
#include "tests/fuzz/FuzzTime.h"
#include "tests/fuzz/ParseOne.h"
#include "tests/fuzz/Randomness.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace braid::fuzz {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::filesystem::path> paths;
  for (const char *folder : {"/examples", "/tests/dsl", "/tests/emit"})
    for (const auto &entry :
         std::filesystem::directory_iterator(std::string(BRAID_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".braid")
        paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (const auto &path : paths) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// Words, numbers and single characters, with the blanks behind them.
std::vector<std::string> piecesOf(const std::string &text) {
  std::vector<std::string> pieces;
  auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    while (end < text.size() && isWord(text[at]) && isWord(text[end]))
      ++end;
    while (end < text.size() && text[end] == ' ')
      ++end;
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

const std::vector<std::string> kEdges = {"0",
                                         "-1",
                                         "1",
                                         "1024",
                                         "1025",
                                         "2147483648",
                                         "9223372036854775807",
                                         "18446744073709551616",
                                         "1e308",
                                         "1e-320",
                                         "0.0",
                                         "\0",
                                         "\xff",
                                         "neox",
                                         "fp8",
                                         "e8m0",
                                         "token",
                                         "..",
                                         "(",
                                         ")",
                                         "\n",
                                         "//"};

std::string damaged(const std::vector<std::vector<std::string>> &programs, Randomness &random) {
  std::vector<std::string> pieces = random.of(programs);
  for (int edits = random.between(1, 4); edits > 0 && !pieces.empty(); --edits) {
    auto at = pieces.begin() + random.below(static_cast<int>(pieces.size()));
    const std::vector<std::string> &other = random.oneIn(2) ? random.of(programs) : pieces;
    switch (random.below(6)) {
    case 0:
      pieces.erase(at, at + std::min<ptrdiff_t>(pieces.end() - at, random.between(1, 8)));
      break;
    case 1:
      *at = random.of(kEdges) + " ";
      break;
    case 2:
      if (!other.empty())
        *at = random.of(other);
      break;
    case 3: { // a run of another program
      if (other.empty())
        break;
      size_t begin = static_cast<size_t>(random.below(static_cast<int>(other.size())));
      std::vector<std::string> run(other.begin() + begin,
                                   other.begin() +
                                       std::min(other.size(), begin + random.between(1, 30)));
      pieces.insert(at, run.begin(), run.end());
      break;
    }
    case 4:
      std::iter_swap(at, pieces.begin() + random.below(static_cast<int>(pieces.size())));
      break;
    default:
      (*at)[static_cast<size_t>(random.below(static_cast<int>(at->size())))] =
          static_cast<char>(random.below(256));
    }
  }
  std::string text;
  for (const std::string &piece : pieces)
    text += piece;
  return text;
}

TEST(Seeds, DamagedPrograms) {
  std::vector<std::vector<std::string>> programs;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadBraidDialects(context);
  for (const std::string &text : seeds()) {
    programs.push_back(piecesOf(text));
    EXPECT_EQ(parseOne(context, text), "") << text;
  }
  ASSERT_GT(programs.size(), 50u);
  FuzzTime time(20);
  uint64_t seed = 0;
  for (; !time.isOver() && !HasFailure(); ++seed) {
    Randomness random(seed);
    std::string text = damaged(programs, random);
    std::ofstream("fuzz_parse.braid", std::ios::binary) << text;
    EXPECT_EQ(parseOne(context, text), "") << "seed " << seed << "\n" << text;
  }
  std::filesystem::remove("fuzz_parse.braid");
  std::printf("%llu damaged programs\n", static_cast<unsigned long long>(seed));
}

} // namespace
} // namespace braid::fuzz
