// `surtitle translate` on shipped models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/daemon/support/command_process.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class TranslateCommand : public testing::Test {
 protected:
  Ended translate(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"translate", "--model", "de-en-gma-small", "--threads", "1"};
    all.insert(all.end(), more.begin(), more.end());
    const auto add = [&](const std::string& option, const std::string& value) {
      if (std::find(more.begin(), more.end(), option) == more.end())
        all.insert(all.end(), {option, value});
    };
    add("--source", source_);
    add("--output", output_);
    return CommandProcess::run(all);
  }

  const TemporaryFolder folder_;
  const std::string source_ =
      folder_.write("de", "Guten Morgen.\n\nIch habe keine Zeit.\nWo ist der Bahnhof?\n");
  const std::string output_ = folder_.path("en");
};

TEST_F(TranslateCommand, WritesALineForEachLineAndContinuesWhatIsThere) {
  ASSERT_EQ(translate().exit_code, 0);
  const auto whole = folder_.read("en");
  EXPECT_THAT(whole, testing::MatchesRegex("[^\n]+\n\n[^\n]+\n[^\n]+\n"));
  EXPECT_THAT(whole, HasSubstr("I don't have time.\n"));

  // A stopped run may have left a part of a line.
  const auto third = whole.find("\n\n") + 2;
  folder_.write("en", "kept\n\n" + whole.substr(third, 4));
  EXPECT_THAT(translate().err,
              EndsWith("exists; allowed: a new file, or --resume to continue it\n"));
  ASSERT_EQ(translate({"--resume"}).exit_code, 0);
  EXPECT_EQ(folder_.read("en"), "kept\n\n" + whole.substr(third));
  ASSERT_EQ(translate({"--resume"}).exit_code, 0);
  EXPECT_EQ(folder_.read("en"), "kept\n\n" + whole.substr(third)) << "nothing is left to do";
}

TEST_F(TranslateCommand, LeavesFilesThatItCannotContinueAsTheyAre) {
  const auto error = [&](const std::string& output) {
    const Ended ended = translate({"--resume", "--output", output});
    EXPECT_EQ(ended.exit_code, 1);
    return ended.err;
  };
  const auto longer = folder_.write("notes", "1\n2\n3\n4\n5\nthe last words");
  EXPECT_THAT(error(longer), HasSubstr("notes has 5 lines, more than "));
  EXPECT_THAT(folder_.read("notes"), EndsWith("the last words"));
  folder_.write("de", "Guten Morgen.\nOhne Ende");
  EXPECT_THAT(error(source_), EndsWith("de is the source; allowed: another file\n"));
  EXPECT_EQ(folder_.read("de"), "Guten Morgen.\nOhne Ende");
  EXPECT_THAT(error(folder_.path().string()), EndsWith(" is not a regular file\n"));
}

TEST_F(TranslateCommand, NamesWhatIsWrongBeforeItWrites) {
  const auto error = [&](const std::vector<std::string>& more) {
    const Ended ended = translate(more);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_FALSE(std::filesystem::exists(output_));
    return ended.err;
  };
  EXPECT_THAT(error({"--target", "fr"}),
              EndsWith("the model does not translate into 'fr'; allowed: en\n"));
  ASSERT_EQ(mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(error({"--source", folder_.path("pipe")}), EndsWith("pipe is not a regular file\n"));
  EXPECT_THAT(error({"--source", folder_.path("none")}), EndsWith("none: cannot be read\n"));
  std::string words = "eins";
  for (int i = 0; i < 600; ++i) words += " eins";
  folder_.write("de", "Guten Morgen.\n" + words + "\n");
  EXPECT_THAT(error({}), HasSubstr("de:2 has 1202 tokens; allowed: 512\n"));
}

}  // namespace
}  // namespace surtitle
