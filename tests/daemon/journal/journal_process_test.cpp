// The daemon with a file of its journal that is damaged, or that other users can read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/damaged_journal.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DamagedJournal : public ::testing::Test {
 protected:
  // Runs a daemon that writes a journal, and ends it. If `open`, its stream has not ended.
  void make_journal(bool open) {
    DaemonProcess daemon(flags("off"));
    TestClient client = start_stream(daemon.port(), "main");
    translate(client, 1, "Eins.");
    if (open) {
      daemon.signal(SIGKILL);
      daemon.wait();
      return;
    }
    send(client, protocol::Finish{});
    client.read_to_end();
    daemon.signal(SIGTERM);
    daemon.wait();
  }

  // Streams that have ended are not restored, and so not read.
  std::vector<std::string> flags(const std::string& level) const {
    return {"--journal-path", file(), "--log-level", level, "--resume-timeout", "0"};
  }
  std::string file() const { return state_.journal(); }

  void expect_no_start() {
    const Ended daemon = DaemonProcess::run({"--journal-path", file(), "--port", "0"});
    EXPECT_EQ(daemon.exit_code, 1);
    EXPECT_EQ(daemon.err, "surtitled: " + file() + ": " + kDamaged + "\n");
  }

  StateFolder state_;
};

TEST_F(DamagedJournal, FailsTheStartWithARemedy) {
  make_journal(/*open=*/true);
  damage_table(file(), "row");
  expect_no_start();
}

TEST_F(DamagedJournal, FailsTheStartIfTheFileIsTruncated) {
  make_journal(/*open=*/true);
  { const JournalLock merges_the_log(file()); }
  fs::resize_file(file(), 4096);
  expect_no_start();
}

TEST_F(DamagedJournal, HoldsUpStreamsAndLogsARemedy) {
  make_journal(/*open=*/false);
  damage_table(file(), "row");
  DaemonProcess daemon(flags("error"));
  TestClient client(daemon.port(), "/v1/stream");
  send(client, start_message());
  while (ask_http(daemon.port(), "GET /readyz HTTP/1.1").status != 503) {
  }
  daemon.signal(SIGKILL);
  EXPECT_THAT(daemon.wait().err,
              HasSubstr("Journal commit failed; streams wait until it succeeds error=\"" + file() +
                        ": " + kDamaged + "\"\n"));
}

TEST_F(DamagedJournal, CanBeMovedAwayForANewOne) {
  make_journal(/*open=*/true);
  damage_table(file(), "row");
  fs::rename(file(), file() + ".damaged");
  make_journal(/*open=*/false);
}

TEST(ReadableJournal, IsLoggedWhenTheDaemonStarts) {
  const StateFolder state;
  const std::string sentence =
      "Journal is readable by all users of this machine; run chmod 600 file=" + state.journal() +
      "\n";
  const auto logged = [&] {
    DaemonProcess daemon({"--journal-path", state.journal(), "--log-level", "warning"});
    // Under ThreadSanitizer, a signal that arrives before the daemon waits may be lost.
    ask_http(daemon.port(), "GET /readyz HTTP/1.1");
    daemon.signal(SIGTERM);
    return daemon.wait().err;
  };
  EXPECT_EQ(logged(), "");
  fs::permissions(state.journal(), fs::perms{0644});
  const std::string log = logged();
  EXPECT_THAT(log, HasSubstr(sentence));
  EXPECT_EQ(log.find("Journal is readable"), log.rfind("Journal is readable")) << "once";
}

}  // namespace
}  // namespace surtitle
