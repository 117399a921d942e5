// `surtitle transcript` with a daemon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "daemon/access/token_file.h"
#include "tests/daemon/support/command_process.h"
#include "tests/daemon/support/wire.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string speak(const DaemonProcess& daemon, const std::string& sentence,
                  const std::string& query = "") {
  TestClient sender(daemon.port(), "/v1/stream" + query);
  send(sender, start_message("main"));
  std::string stream = text_of(sender.read_until("ready"), "stream");
  translate(sender, 1, sentence);
  send(sender, protocol::Finish{});
  sender.read_to_end();
  return stream;
}

std::string contents(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Ended transcript(const DaemonProcess& daemon, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"transcript", "main", "--url", url_of(daemon)});
  return CommandProcess::run(arguments);
}

TEST(TranscriptCommand, PrintsOneStreamOrAll) {
  const DaemonProcess daemon;
  const std::string first = speak(daemon, "Eins.");
  speak(daemon, "Zwei.");
  EXPECT_EQ(transcript(daemon, {}).out, "ZWEI.\n");
  EXPECT_EQ(transcript(daemon, {"--stream", first, "--bilingual"}).out, "Eins.\nEINS.\n");
  EXPECT_EQ(transcript(daemon, {"--all"}).out, "EINS.\n\nZWEI.\n");
  EXPECT_THAT(transcript(daemon, {"--all", "--format", "srt"}).out, HasSubstr("\n\n2\n"));
  EXPECT_EQ(transcript(daemon, {"--track", "first"}).out, "ZWEI.\n");
  const Ended unknown = transcript(daemon, {"--track", "xx"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("This channel has no track 'xx'."));
  EXPECT_NE(transcript(daemon, {"--stream", first, "--all"}).exit_code, 0);
  EXPECT_NE(transcript(daemon, {"--format", "doc"}).exit_code, 0);
  EXPECT_NE(transcript(daemon, {"--stream", "a/b"}).exit_code, 0);
}

TEST(TranscriptCommand, ListsTheStreams) {
  const DaemonProcess daemon;
  const std::string first = speak(daemon, "Eins zwei.");
  EXPECT_THAT(
      transcript(daemon, {"--list"}).out,
      AllOf(HasSubstr("kept until"), HasSubstr(first), HasSubstr("de > en"), HasSubstr("0:00:00")));
  EXPECT_THAT(transcript(daemon, {"--json"}).out, HasSubstr("\"stream\":\"" + first + "\""));
}

TEST(TranscriptCommand, ReplacesAFileOnlyIfForced) {
  const DaemonProcess daemon;
  speak(daemon, "Eins.");
  const TemporaryFolder folder;
  const std::string file = folder.path("evening.html");
  EXPECT_EQ(transcript(daemon, {"--output", file}).exit_code, 0);
  EXPECT_THAT(contents(file), AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("EINS.")));
  speak(daemon, "Zwei.");
  const Ended refused = transcript(daemon, {"--output", file});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("exists already"));
  EXPECT_THAT(contents(file), HasSubstr("EINS."));
  EXPECT_EQ(transcript(daemon, {"--output", file, "--force", "--format", "txt"}).exit_code, 0);
  EXPECT_EQ(contents(file), "ZWEI.\n");
}

TEST(TranscriptCommand, SendsTheToken) {
  const TemporaryFolder folder;
  const NewToken token = make_token({"all", Roles::parse("send,view")});
  const DaemonProcess daemon({"--access-tokens", folder.write("tokens", token.line + "\n")});
  speak(daemon, "Eins.", "?token=" + token.token);
  const Ended refused = transcript(daemon, {});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("401"));
  EXPECT_EQ(transcript(daemon, {"--token-file", folder.write("token", token.token)}).out,
            "EINS.\n");
}

}  // namespace
}  // namespace surtitle
