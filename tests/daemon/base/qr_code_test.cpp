#include "daemon/base/qr_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(QrCode, HasThePatternsThatScannersLookFor) {
  const auto code = QrCode::make("http://192.0.2.7:8765/c/main");
  ASSERT_TRUE(code);
  EXPECT_EQ((code->size() - 17) % 4, 0);
  const int last = code->size() - 1;
  for (const auto& [column, row] :
       {std::pair(0, 0), std::pair(last - 6, 0), std::pair(0, last - 6)}) {
    for (int i = 0; i < 7; ++i) {
      EXPECT_TRUE(code->is_dark(column + i, row));
      EXPECT_TRUE(code->is_dark(column, row + i));
    }
    EXPECT_FALSE(code->is_dark(column + 1, row + 1));
    EXPECT_TRUE(code->is_dark(column + 3, row + 3));
  }
  EXPECT_FALSE(code->is_dark(-1, 0));
  EXPECT_FALSE(code->is_dark(0, last + 1));
}

TEST(QrCode, EncodesOnlyTextsThatAPhoneCanRead) {
  EXPECT_FALSE(QrCode::make(""));
  EXPECT_TRUE(QrCode::make(std::string(QrCode::kMaxBytes, 'x')));
  EXPECT_FALSE(QrCode::make(std::string(QrCode::kMaxBytes + 1, 'x')));
}

// Returns the modules with the margin of four, row by row, as the characters of a terminal show
// them.
std::vector<std::string> read_terminal(const std::string& text) {
  std::vector<std::string> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, StartsWith("\x1b[40;97m"));
    std::string upper;
    std::string lower;
    for (std::size_t i = 8; line.compare(i, 4, "\x1b[0m") != 0;) {
      const std::string_view character = line[i] == ' ' ? " " : std::string_view(line).substr(i, 3);
      upper += character == "\u2580" || character == "\u2588" ? '.' : '#';
      lower += character == "\u2584" || character == "\u2588" ? '.' : '#';
      i += character.size();
    }
    rows.push_back(upper);
    rows.push_back(lower);
  }
  return rows;
}

TEST(QrCode, HasTheSameModulesInATerminal) {
  const auto code = QrCode::make("http://192.0.2.7:8765/c/main");
  const std::vector<std::string> rows = read_terminal(code->terminal_text());
  ASSERT_GE(rows.size(), static_cast<std::size_t>(code->size() + 8));
  for (int row = -4; row < code->size() + 4; ++row) {
    for (int column = -4; column < code->size() + 4; ++column) {
      EXPECT_EQ(rows.at(row + 4).at(column + 4) == '#', code->is_dark(column, row));
    }
  }
}

TEST(QrCode, IsBlackOnWhiteInAnImage) {
  const auto code = QrCode::make("http://192.0.2.7/c/main");
  const std::string side = std::to_string(code->size() + 8);
  EXPECT_THAT(code->svg(), HasSubstr("viewBox=\"0 0 " + side + " " + side + "\""));
  EXPECT_THAT(code->svg(), HasSubstr("<path fill=\"#fff\" d=\"M0 0h" + side));
  EXPECT_THAT(code->svg(), HasSubstr("<path d=\"M4 4h7v1h-7z")) << "the first corner";
}

}  // namespace
}  // namespace surtitle
