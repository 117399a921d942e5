// `surtitle token` as a process: the daemon accepts the tokens and links that it makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>
#include <string>

#include "daemon/access/link_keys.h"
#include "daemon/access/token_file.h"
#include "tests/daemon/support/command_process.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(TokenCommand, PrintsATokenAndItsLine) {
  const TemporaryFolder folder;
  const Ended made = CommandProcess::run({"token", "--name", "stage", "--role", "send,view",
                                          "--channels", "hall-*,main", "--expires", "30d"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  const auto lines = lines_of(made.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], MatchesRegex("st\\.stage\\.[A-Za-z0-9_-]{43}"));
  EXPECT_THAT(lines[1], StartsWith("stage send,view hmac-sha256:"));
  const auto grant = TokenFile::read(folder.write("tokens", lines[1])).find(lines[0]);
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->channels, "hall-*,main");
  const auto left = *grant->expires - std::chrono::system_clock::now();
  EXPECT_GT(left, std::chrono::hours(29 * 24));
  EXPECT_LE(left, std::chrono::hours(30 * 24));
}

TEST(TokenCommand, AddsTheLineToAFileForItsOwnerOnly) {
  const TemporaryFolder folder;
  const std::string file = folder.path("tokens");
  const auto add = [&](const std::string& name) {
    return CommandProcess::run({"token", "--name", name, "--add", file});
  };
  const std::string one = lines_of(add("one").out).at(0);
  const std::string two = lines_of(add("two").out).at(0);
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  const TokenFile tokens = TokenFile::read(file);
  EXPECT_EQ(tokens.find(one)->name, "one");
  EXPECT_EQ(tokens.find(two)->roles.text(), "view");
  const Ended again = add("one");
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.out, "");
  EXPECT_EQ(again.err,
            "surtitle token: " + file + ": token 'one' exists already; remove its line first\n");
}

TEST(TokenCommand, SignsLinksWithAKey) {
  const TemporaryFolder folder;
  const Ended key = CommandProcess::run({"token", "key"});
  EXPECT_THAT(key.out, MatchesRegex("[A-Za-z0-9_-]{43}\n"));
  const std::string file = folder.write("keys", key.out);
  const auto link = [&](const std::string& role, const std::string& url) {
    std::vector<std::string> arguments{"token", "link",  "--channel", "hall-2",    "--role",
                                       role,    "--key", file,        "--expires", "12h"};
    if (!url.empty()) {
      arguments.insert(arguments.end(), {"--url", url});
    }
    const Ended ended = CommandProcess::run(arguments);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return lines_of(ended.out).at(0);
  };
  EXPECT_EQ(LinkKeys::read(file).find(link("view", ""))->channels, "hall-2");
  EXPECT_THAT(link("view", "https://subtitles.example.org/live/"),
              StartsWith("https://subtitles.example.org/live/c/hall-2?token=sl.view."));
  EXPECT_THAT(link("send", "http://127.0.0.1:8765"),
              StartsWith("http://127.0.0.1:8765/console?channel=hall-2&token=sl.send."));
}

TEST(TokenCommand, ReportsErrors) {
  const auto error = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "token");
    const Ended ended = CommandProcess::run(arguments);
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_THAT(error({}), HasSubstr("--name is required"));
  EXPECT_THAT(error({"--name", "a.b"}), HasSubstr("must be 1 to 64 characters"));
  EXPECT_THAT(error({"--name", "a", "--role", "root"}), HasSubstr("must be send, view or admin"));
  EXPECT_THAT(error({"--name", "a", "--expires", "tomorrow"}),
              HasSubstr("such as 90m, 12h or 30d"));
  EXPECT_THAT(error({"--name", "a", "--channels", "a/b"}),
              HasSubstr("channel names separated by commas"));
  EXPECT_THAT(error({"link", "--channel", "main", "--expires", "1h"}), HasSubstr("--key"));
  EXPECT_THAT(error({"link", "--channel", "main", "--expires", "1h", "--key", "/nowhere"}),
              HasSubstr("/nowhere: the file cannot be read"));
}

}  // namespace
}  // namespace surtitle
