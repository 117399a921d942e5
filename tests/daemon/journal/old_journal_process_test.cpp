// The journal of an earlier version: this version reads it and continues its streams.
//
// tests/data/journal has a dump of each version's journal. Of its two streams, the first one is
// finished, and the daemon was killed within a sentence of the second one. A version that changes
// the format adds its own dump and keeps the earlier ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/daemon/support/command_process.h"
#include "tests/daemon/support/journal_lock.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFinished = "s-799cbc32451e845cb866d37dae3643cb";
constexpr const char* kOpen = "s-c4c5602fadb48d1c27777b07ef211406";
constexpr const char* kKey = "KoBxbGpRVxcEDgtwREBFpg";

class OldJournal : public ::testing::TestWithParam<const char*> {
 protected:
  OldJournal() {
    const std::string dump =
        std::string(SURTITLE_SOURCE_DIR "/tests/data/journal/") + GetParam() + ".sql";
    std::ostringstream sql;
    sql << std::ifstream(dump).rdbuf();
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(state_.journal().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.str().c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  Ended journal(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "journal");
    arguments.insert(arguments.end(), {"--journal-path", state_.journal()});
    return CommandProcess::run(arguments);
  }

  const StateFolder state_;
};

TEST_P(OldJournal, IsReadByTheCommands) {
  const Ended checked = journal({"check"});
  EXPECT_EQ(checked.out, "sound: 2 streams, 21 rows\n") << checked.err;
  const std::string log = state_.write("talk.jsonl", journal({"export", kFinished}).out);
  const Ended replayed = CommandProcess::run({"compare", log, "--json"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("\"sentences\":2"));
}

TEST_P(OldJournal, HasStreamsThatContinueWithinASentence) {
  const DaemonProcess daemon(
      {"--journal-path", state_.journal(), "--journal-retention", "0", "--sentence-silence", "0"});
  protocol::Resume resume{kOpen, kKey};
  resume.seq = 1;
  resume.event = 7;
  TestClient client = come_back(daemon.port(), resume);
  const boost::json::object ready = client.read_until("ready");
  EXPECT_EQ(text_of(ready, "policy"), "wait-k:k=2");
  EXPECT_EQ(text_of(client.read_until("write"), "text"), "DER");
  client.send(R"({"type": "source", "seq": 2, "text": "gut."})");
  client.send(R"({"type": "finish"})");
  EXPECT_EQ(text_of(client.read_until("sentence"), "target"), "DER ZWEITE SATZ IST GUT.");
  EXPECT_EQ(text_of(client.read_until("bye"), "reason"), "finished");
}

INSTANTIATE_TEST_SUITE_P(Versions, OldJournal, ::testing::Values("0.1"));

}  // namespace
}  // namespace surtitle
