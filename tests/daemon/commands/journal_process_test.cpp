// `surtitle journal` on the journal of a running daemon, and of one that has ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/daemon/support/command_process.h"
#include "tests/daemon/support/damaged_journal.h"
#include "tests/daemon/support/wire.h"
#include "tests/model/support/run_program.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class JournalCommand : public ::testing::Test {
 protected:
  JournalCommand() : daemon_(std::vector<std::string>{"--journal-path", file()}) {}

  std::string file() const { return folder_.journal(); }

  // Translates on a stream and ends it; returns its name.
  std::string talk() {
    TestClient client(daemon_->port(), "/v1/stream");
    send(client, start_message("main"));
    const std::string name = text_of(client.read_until("ready"), "stream");
    translate(client, 1, "Guten Morgen.");
    send(client, protocol::Finish{});
    client.read_to_end();
    return name;
  }

  void end_daemon() {
    daemon_->signal(SIGTERM);
    daemon_->wait();
  }

  void damage(const std::string& sql) {
    JournalLock lock(file());
    lock.run(sql);
    lock.commit();
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

TEST_F(JournalCommand, FailsIfItsOutputCannotBeWritten) {
  const std::string name = talk();
  for (const std::string& what : {std::string("list"), "export " + name, std::string("check")}) {
    const ProgramEnd ended =
        run_program("/bin/sh", {"-c", std::string(SURTITLE_BINARY_DIR) + "/surtitle journal " +
                                          what + " --journal " + file() + " >/dev/full"});
    EXPECT_EQ(ended.exit_code, 1) << what;
    EXPECT_EQ(ended.err, "surtitle journal: standard output cannot be written\n");
  }
}

TEST_F(JournalCommand, ExportCanBeReplayed) {
  const std::string name = talk();
  const std::string log = folder_.path("talk.jsonl");
  std::ofstream(log) << run("export", {name}).out;
  const Ended replayed =
      CommandProcess::run({"replay", log, "--url", url_of(*daemon_), "--speed", "100"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
}

TEST_F(JournalCommand, CheckReportsASoundJournal) {
  talk();
  const Ended sound = run("check");
  EXPECT_EQ(sound.exit_code, 0) << sound.err;
  EXPECT_THAT(sound.out, StartsWith("sound: 1 streams, "));
}

// A change of a journal, by hand or by a failing disk, and the fault that is reported.
struct Damage {
  const char* name;
  const char* sql;
  const char* expected;  // after the stream's name; "" if no stream is named
  const char* also = "";
};

class JournalDamage : public JournalCommand, public ::testing::WithParamInterface<Damage> {};

TEST_P(JournalDamage, IsReportedWithStreamAndRow) {
  const std::string name = talk();
  end_daemon();
  damage(GetParam().sql);
  const Ended check = run("check");
  EXPECT_EQ(check.exit_code, 1) << check.out;
  const std::string expected = GetParam().expected;
  EXPECT_THAT(check.out, HasSubstr(expected.empty() ? expected : name + ": " + expected));
  EXPECT_THAT(check.out, HasSubstr(GetParam().also));
  EXPECT_EQ(check.err, "surtitle journal: 1 fault was found\n") << check.out;
}

INSTANTIATE_TEST_SUITE_P(
    All, JournalDamage,
    ::testing::Values(
        Damage{"TheFirstRowIsGone", "DELETE FROM row WHERE number = 0", "row 0 is missing"},
        Damage{"ARowIsGone", "DELETE FROM row WHERE number = 2", "row 2 is missing"},
        Damage{"RowsAreGone", "DELETE FROM row WHERE number IN (1, 2)", "rows 1 to 2 are missing"},
        Damage{"EveryRowIsGone", "DELETE FROM row", "it has no rows"},
        Damage{"TheEndIsGone", "DELETE FROM row WHERE number = (SELECT max(number) FROM row)",
               "row ", "the stream has ended, but not with this row: rows after it are missing\n"},
        Damage{"RowsAreNobodys", "INSERT INTO row SELECT 99, number, at, input, lines FROM row", "",
               "stream number 99 is missing, but it has rows; the first is row 0\n"},
        Damage{"SettingsAreUnreadable", "UPDATE stream SET settings = '{'",
               "its settings cannot be read"},
        Damage{"AnInputIsUnreadable", "UPDATE row SET input = '{}' WHERE number = 2",
               "row 2: a row cannot be read"},
        Damage{"TheFirstLineIsAnother",
               "UPDATE row SET lines = replace(lines, 'stream_log', 'other') WHERE number = 0",
               "row 0: a log begins with a line of type stream_log"},
        Damage{"ALineIsUnreadable", "UPDATE row SET lines = '{' || char(10) WHERE number = 1",
               "row 1: "},
        Damage{"ALineIsCutOff", "UPDATE row SET lines = rtrim(lines, char(10)) WHERE number = 0",
               "row 0: its last line is cut off"}),
    [](const auto& damage) { return std::string(damage.param.name); });

TEST_F(JournalCommand, CheckIgnoresPartlyPurgedStreams) {
  talk();
  end_daemon();
  damage("UPDATE stream SET ended = -1; DELETE FROM row WHERE number < 2");
  const Ended check = run("check");
  EXPECT_EQ(check.out, "sound: 0 streams, 0 rows\n");
}

TEST_F(JournalCommand, ReadsTheRestOfADamagedFile) {
  const std::string name = talk();
  end_daemon();
  damage_table(file(), "row");
  const Ended list = run("list");
  EXPECT_EQ(list.exit_code, 1);
  EXPECT_THAT(list.out, HasSubstr(name));
  EXPECT_THAT(list.out, HasSubstr("damaged"));
  const std::string damaged = "surtitle journal: " + file() + ": " + kDamaged + "\n";
  EXPECT_EQ(list.err, damaged);
  const Ended check = run("check");
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.out, HasSubstr(name + ": its rows cannot be read: "));
  EXPECT_THAT(check.err, HasSubstr(" faults were found\n"));
  const Ended exported = run("export", {name});
  EXPECT_EQ(exported.exit_code, 1);
  EXPECT_EQ(exported.err, damaged);
}

TEST_F(JournalCommand, ShrinksOnlyAJournalWithoutADaemon) {
  talk();
  const Ended refused = run("vacuum");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("another daemon uses this journal"));
  end_daemon();
  damage(
      "CREATE TABLE ballast(b); INSERT INTO ballast VALUES (zeroblob(1000000));"
      "DROP TABLE ballast");
  const std::string listed = run("list").out;
  ASSERT_GT(std::filesystem::file_size(file()), 1000000U);
  const Ended done = run("vacuum");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr(" bytes before, "));
  EXPECT_LT(std::filesystem::file_size(file()), 500000U);
  EXPECT_EQ(run("list").out, listed);
  EXPECT_EQ(run("check").exit_code, 0);
}

// --- files that are no journals ---

// All subcommands of `surtitle journal`.
const std::vector<std::vector<std::string>> kAll{
    {"list"}, {"check"}, {"vacuum"}, {"export", "s-1"}};

class NoJournal : public ::testing::Test {
 protected:
  // Expects all of them to reject the file with this error.
  void refused(const std::string& file, const std::string& sentence) {
    for (std::vector<std::string> arguments : kAll) {
      arguments.insert(arguments.begin(), "journal");
      arguments.insert(arguments.end(), {"--journal", file});
      const Ended ended = CommandProcess::run(arguments);
      EXPECT_EQ(ended.exit_code, 1) << arguments[1];
      EXPECT_EQ(ended.err, "surtitle journal: " + file + ": " + sentence + "\n") << arguments[1];
      EXPECT_EQ(ended.out, "") << arguments[1];
    }
  }
  void refused_by_the_daemon(const std::string& file, const std::string& sentence) {
    const Ended daemon = DaemonProcess::run({"--journal-path", file, "--port", "0"});
    EXPECT_EQ(daemon.exit_code, 1);
    EXPECT_EQ(daemon.err, "surtitled: " + file + ": " + sentence + "\n");
  }

  std::string database(const std::string& sql) {
    const std::string file = folder_.path("other.sqlite");
    JournalLock lock(file);
    lock.run(sql);
    lock.commit();
    return file;
  }

  const StateFolder folder_{};
};

TEST_F(NoJournal, MissingFileIsNotCreated) {
  const std::string file = folder_.path("none/j.sqlite");
  refused(file, "the journal does not exist");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("none")));
}

TEST_F(NoJournal, ForeignDataBaseStaysUnchanged) {
  const std::string file = database("CREATE TABLE song (title TEXT)");
  const std::string before = folder_.read("other.sqlite");
  refused(file, "the file is not a journal of surtitled");
  refused_by_the_daemon(file, "the file is not a journal of surtitled");
  EXPECT_EQ(folder_.read("other.sqlite"), before);
}

TEST_F(NoJournal, ForeignDataBaseWithTheSameVersionStaysUnchanged) {
  const std::string file = database("CREATE TABLE song (title TEXT); PRAGMA user_version = 1");
  const std::string before = folder_.read("other.sqlite");
  refused(file, "the file is not a journal of surtitled");
  refused_by_the_daemon(file, "the file is not a journal of surtitled");
  EXPECT_EQ(folder_.read("other.sqlite"), before);
}

TEST_F(NoJournal, OnlyTheDaemonMakesAJournalOfAnEmptyFile) {
  const std::string file = folder_.write("empty.sqlite", "");
  refused(file, "the file is not a journal of surtitled");
  EXPECT_EQ(std::filesystem::file_size(file), 0U);
  { const DaemonProcess daemon({"--journal-path", file}); }
  EXPECT_EQ(CommandProcess::run({"journal", "check", "--journal", file}).out,
            "sound: 0 streams, 0 rows\n");
}

TEST_F(NoJournal, NewerJournalIsReportedWithItsVersion) {
  const std::string file = folder_.path("newer.sqlite");
  { const DaemonProcess daemon({"--journal-path", file}); }
  JournalLock newer(file);
  newer.run("PRAGMA user_version = 2");
  newer.commit();
  const std::string sentence = "the journal has version 2, but this program supports version 1";
  refused(file, sentence);
  refused_by_the_daemon(file, sentence);
}

TEST_F(NoJournal, AFolderIsNone) { refused(folder_.path(), "the journal must be a regular file"); }

}  // namespace
}  // namespace surtitle
