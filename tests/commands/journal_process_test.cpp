// `surtitle journal` on the journal of a daemon that runs, and of one that does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/commands/command_process.h"
#include "tests/daemon/wire.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class JournalCommand : public ::testing::Test {
 protected:
  JournalCommand() : daemon_(std::vector<std::string>{"--journal-path", file()}) {}

  std::string file() const { return folder_.journal(); }

  // A stream that was translated and has ended; returns its name.
  std::string talk() {
    TestClient client(daemon_->port(), "/v1/stream");
    send(client, start_message("main"));
    const std::string name = text_of(client.read_until("ready"), "stream");
    translate(client, 1, "Guten Morgen.");
    send(client, protocol::Finish{});
    client.read_to_end();
    return name;
  }

  Ended run(const std::string& what, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"journal", what, "--journal", file()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return CommandProcess::run(arguments);
  }

  const StateFolder folder_;
  std::optional<DaemonProcess> daemon_;
};

TEST_F(JournalCommand, ListsAndExportsWhileTheDaemonRuns) {
  const std::string name = talk();
  const Ended list = run("list");
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, StartsWith("stream "));
  EXPECT_THAT(list.out, HasSubstr(name));
  EXPECT_THAT(list.out, HasSubstr(" main\n"));
  const Ended json = run("list", {"--json"});
  EXPECT_THAT(json.out, StartsWith("{\"stream\":\"" + name + "\",\"channel\":\"main\","));
  const Ended exported = run("export", {name});
  EXPECT_THAT(exported.out, StartsWith("{\"type\":\"stream_log\","));
  EXPECT_THAT(exported.out, HasSubstr("\"text\":\"GUTE\""));
  EXPECT_THAT(exported.out, HasSubstr("{\"type\":\"end\",\"reason\":\"finished\""));
  const Ended unknown = run("export", {"s-unknown"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_EQ(unknown.err,
            "surtitle journal: stream 's-unknown' is not in this journal; see: surtitle journal "
            "list\n");
}

TEST_F(JournalCommand, ExportsWhatReplayReads) {
  const std::string name = talk();
  const std::string log = folder_.path("talk.jsonl");
  std::ofstream(log) << run("export", {name}).out;
  const Ended replayed =
      CommandProcess::run({"replay", log, "--url", url_of(*daemon_), "--speed", "100"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
}

TEST_F(JournalCommand, ChecksEveryRow) {
  talk();
  const Ended sound = run("check");
  EXPECT_EQ(sound.exit_code, 0) << sound.err;
  EXPECT_THAT(sound.out, StartsWith("sound: 1 streams, "));
}

TEST_F(JournalCommand, ShrinksOnlyWhatNoDaemonHas) {
  talk();
  const Ended refused = run("vacuum");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("another daemon has this journal"));
  daemon_->signal(SIGTERM);
  daemon_->wait();
  const Ended done = run("vacuum");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr(" bytes before, "));
}

TEST_F(JournalCommand, SaysWhereThereIsNone) {
  const Ended ended = CommandProcess::run({"journal", "list", "--journal", "/nowhere/j.sqlite"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "surtitle journal: /nowhere/j.sqlite: there is no such journal\n");
}

}  // namespace
}  // namespace surtitle
