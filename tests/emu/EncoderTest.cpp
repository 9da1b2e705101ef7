// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fp8 encoder of templates/ itself on the emulated wave, with the saturation that a given scale
// needs: the codes that a program cannot reach, because its own scale follows the row, are here
// too.

#include "EmuFixture.h"

#include "templates/EmbeddedTemplates.h"

#include <cmath>
#include <sstream>
#include <vector>

namespace braid {
namespace {

// The device headers, inlined once, and a kernel that encodes four values a lane.
std::string encoderText(const std::string &format, const std::string &max) {
  std::string text;
  for (const EmbeddedTemplate &header : embeddedTemplates()) {
    std::istringstream lines{std::string(header.text)};
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("#include") && line != "#pragma once")
        text += line + "\n";
  }
  return text +
         "using namespace braid;\n"
         "extern \"C\" __global__ __launch_bounds__(64) void k(const f32 *x, u32 *codes) {\n"
         "  const f32 *own = x + 4 * threadId();\n"
         "  codes[threadId()] = encodeFp8Word<" +
         format + ">(saturate(own[0], " + max + "), saturate(own[1], " + max +
         "), saturate(own[2], " + max + "), saturate(own[3], " + max + "));\n}\n";
}

struct Encoded {
  float value;
  uint8_t fn, fnuz;
};

const std::vector<Encoded> kAtScaleOne = {
    {0, 0x00, 0x00},   {0.3f, 0x2A, 0x32}, {1, 0x38, 0x40},     {-1, 0xB8, 0xC0},
    {17, 0x58, 0x60},  {18, 0x59, 0x61},   {240, 0x77, 0x7F},   {448, 0x7E, 0x7F},
    {500, 0x7E, 0x7F}, {-500, 0xFE, 0xFF}, {-0.0f, 0x80, 0x00}, {-1e-9f, 0x80, 0x00},
};

class Encoder : public EmuTest, public testing::WithParamInterface<const char *> {
protected:
  std::vector<uint8_t> encode(const std::string &format, const std::string &max,
                              const std::vector<float> &values) {
    std::vector<float> x(256, 0.0f);
    std::copy(values.begin(), values.end(), x.begin());
    std::vector<uint32_t> words(64, 0xA5A5A5A5u);
    // The texts of the device headers declare the lane functions themselves.
    hipFunction_t function = load(encoderText(format, max), GetParam());
    EXPECT_EQ(launch(function, 1, 64, x.data(), words.data()), hipSuccess) << lastError();
    std::vector<uint8_t> codes;
    for (size_t i = 0; i < values.size(); ++i)
      codes.push_back(static_cast<uint8_t>(words[i / 4] >> 8 * (i % 4)));
    return codes;
  }
};

TEST_P(Encoder, AC1_ScaleOneBothFlavours) {
  std::vector<float> values;
  for (const Encoded &encoded : kAtScaleOne)
    values.push_back(encoded.value);
  values.push_back(std::nanf(""));
  values.push_back(INFINITY);
  std::vector<uint8_t> fn = encode("f8e4m3fn", "448.0f", values);
  std::vector<uint8_t> fnuz = encode("f8e4m3fnuz", "240.0f", values);
  for (size_t i = 0; i < kAtScaleOne.size(); ++i) {
    EXPECT_EQ(fn[i], kAtScaleOne[i].fn) << values[i];
    EXPECT_EQ(fnuz[i], kAtScaleOne[i].fnuz) << values[i];
  }
  for (size_t i = kAtScaleOne.size(); i < values.size(); ++i) {
    EXPECT_EQ(fn[i] & 0x7F, 0x7F) << values[i];
    EXPECT_EQ(fnuz[i], 0x80) << values[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Encoder, testing::Values("gfx942", "gfx950", "sm_90"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace braid
