// A returning viewer receives exactly what it missed, whether it, the sender or the daemon was
// away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "tests/daemon/support/crashable_daemon.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/fault_count.h"
#include "tests/daemon/support/state_folder.h"
#include "tests/daemon/support/steady_sender.h"
#include "tests/daemon/support/steady_viewer.h"
#include "tests/daemon/support/talk.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string after(const std::string& stream, std::int64_t event) {
  return "/v1/channels/main?after=" + stream + ":" + std::to_string(event);
}

// Returns the messages up to the end of this many sentences: "ready", "source 1", "write 2", ...
std::vector<std::string> received(TestClient& client, int sentences) {
  std::vector<std::string> list;
  while (sentences > 0) {
    const auto message = client.read();
    if (!message) {
      list.emplace_back("the end");
      break;
    }
    const std::string type = type_of(*message);
    sentences -= type == "sentence" ? 1 : 0;
    if (type == "metrics") {
      continue;
    }
    std::string line = type;
    for (const char* field : {"event", "after", "stream"}) {
      line += message->contains(field) && type != "ready"
                  ? " " + boost::json::serialize(message->at(field))
                  : "";
    }
    list.push_back(line);
  }
  return list;
}

TEST(ViewerResume, SendsMissedMessagesAndThenContinues) {
  const DaemonProcess daemon;
  TestClient sender(daemon.port(), "/v1/stream");
  send(sender, start_message("main"));
  const std::string stream = text_of(sender.read_until("ready"), "stream");
  EXPECT_EQ(translate(sender, 1, "Ja doch."), "JA DOCH.");
  TestClient viewer(daemon.port(), after(stream, 2));
  const boost::json::object ready = *viewer.read();
  EXPECT_EQ(ready.at("after").as_int64(), 2);
  EXPECT_EQ(text_of(ready, "stream"), stream);
  EXPECT_FALSE(ready.contains("backlog"));
  EXPECT_TRUE(ready.at("warnings").as_array().empty());
  EXPECT_EQ(translate(sender, 2, "Ja."), "JA.");
  const std::vector<std::string> missed = received(viewer, 2);
  TestClient all(daemon.port(), after(stream, 0));
  std::vector<std::string> whole = received(all, 2);
  EXPECT_EQ(whole.front(), "ready");
  whole.erase(whole.begin(), whole.begin() + 3);
  EXPECT_EQ(missed, whole);
}

TEST(ViewerResume, SendsANewViewerItsPosition) {
  const DaemonProcess daemon;
  TestClient early(daemon.port(), "/v1/channels/main");
  EXPECT_FALSE(early.read_until("ready").contains("backlog"));
  TestClient sender(daemon.port(), "/v1/stream");
  send(sender, start_message("main"));
  const std::string stream = text_of(sender.read_until("ready"), "stream");
  translate(sender, 1, "Ja doch.");
  TestClient viewer(daemon.port(), "/v1/channels/main");
  const boost::json::object backlog = viewer.read_until("ready").at("backlog").as_object();
  EXPECT_EQ(text_of(backlog, "stream"), stream);
  std::int64_t last = 0;
  for (int i = 0; i < number_of(backlog, "messages"); ++i) {
    const auto message = viewer.read();
    EXPECT_NE(type_of(*message), "metrics");
    last = std::max(last, message->at("event").as_int64());
  }
  EXPECT_EQ(backlog.at("event").as_int64(), last);
}

TEST(ViewerResume, OfAnUnknownStreamBeginsAgainWithAWarning) {
  const DaemonProcess daemon;
  TestClient sender = start_stream(daemon.port(), "main");
  translate(sender, 1, "Ja.");
  TestClient viewer(daemon.port(), after("s-other", 7));
  const boost::json::object ready = *viewer.read();
  EXPECT_FALSE(ready.contains("after"));
  EXPECT_THAT(boost::json::serialize(ready.at("warnings")),
              HasSubstr("not all messages after event 7 of stream s-other are kept"));
  EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "JA.");
  for (const std::string wrong : {"main", ":7", "s-", "s-:", "s-:x", "s-:-1", "s-:1.5"}) {
    EXPECT_THROW(TestClient(daemon.port(), "/v1/channels/main?after=" + wrong), std::runtime_error)
        << wrong;
  }
}

TEST(ViewerResume, IsImpossibleWithoutAJournal) {
  const DaemonProcess daemon({"--journal-path", "none"});
  TestClient sender(daemon.port(), "/v1/stream");
  send(sender, start_message("main"));
  const std::string stream = text_of(sender.read_until("ready"), "stream");
  translate(sender, 1, "Ja.");
  TestClient viewer(daemon.port(), after(stream, 0));
  const boost::json::object ready = *viewer.read();
  EXPECT_FALSE(ready.contains("after"));
  EXPECT_FALSE(ready.contains("backlog"));
}

TEST(ViewerResume, ContinuesWithTheNextStreamAlsoInAnotherProcess) {
  const StateFolder state;
  const std::vector<std::string> flags{"--journal-path", state.journal()};
  std::string first;
  std::string second;
  {
    DaemonProcess daemon(flags);
    TestClient sender(daemon.port(), "/v1/stream");
    send(sender, start_message("main"));
    first = text_of(sender.read_until("ready"), "stream");
    translate(sender, 1, "Eins.");
    send(sender, protocol::Finish{});
    sender.read_to_end();
    TestClient next(daemon.port(), "/v1/stream");
    send(next, start_message("main"));
    second = text_of(next.read_until("ready"), "stream");
    translate(next, 1, "Zwei.");
    TestClient viewer(daemon.port(), after(first, 1));
    EXPECT_THAT(received(viewer, 2),
                ElementsAre("ready", "write 2", "write 3", "sentence 4", "state \"" + second + "\"",
                            "source 1", "write 2", "write 3", "sentence 4"));
    daemon.signal(SIGKILL);
    daemon.wait();
  }
  const DaemonProcess daemon(flags);
  TestClient viewer(daemon.port(), after(first, 2));
  const boost::json::object ready = *viewer.read();
  EXPECT_EQ(text_of(ready, "stream"), first) << "the stream of the last received event";
  EXPECT_THAT(received(viewer, 2), ElementsAre("write 3", "sentence 4", "state \"" + second + "\"",
                                               "source 1", "write 2", "write 3", "sentence 4"));
}

// The daemon is killed at random moments. Every viewer receives what an undisturbed one receives.
TEST(ViewerChaos, NothingIsLostOrDoubledWhenTheDaemonIsKilledAtAnyMoment) {
  constexpr std::size_t kChannels = 8;
  constexpr int kAtTheStart = 4;  // every fourth kill does not wait for a received event
  const unsigned seed = chosen_seed();
  SCOPED_TRACE("SURTITLE_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  CrashableDaemon daemon({"--sentence-silence", "0", "--log-level", "error"});
  std::atomic<std::size_t> running = 2 * kChannels;
  const auto where = [&daemon] { return daemon.port_now(); };

  Progress progress;  // a viewer receives an event, or a client is done
  std::vector<std::vector<std::string>> talks;
  std::vector<std::unique_ptr<SteadySender>> senders;
  std::vector<std::unique_ptr<SteadyViewer>> viewers;
  for (std::size_t i = 0; i < kChannels; ++i) {
    const std::string channel = "channel-" + std::to_string(i);
    talks.push_back(talk(random, 60));
    senders.push_back(std::make_unique<SteadySender>(where, start_message(channel)));
    viewers.push_back(std::make_unique<SteadyViewer>(where, channel));
    viewers.back()->tell(progress);
    viewers.back()->begin();
  }
  std::vector<std::string> failures(2 * kChannels);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2 * kChannels; ++i) {
    threads.emplace_back([&, i] {
      try {
        i < kChannels ? senders[i]->run(talks[i])
                      : viewers[i - kChannels]->run(translation_of(talks[i - kChannels]).size());
      } catch (const std::exception& failure) {
        failures[i] = failure.what();
      }
      --running;
      progress.happened();
    });
  }
  std::uniform_int_distribution<int> microseconds(0, 30000);
  int before = 0;
  const int kills = fault_count(30);
  for (int killed = 0; killed < kills && running > 0; ++killed) {
    if (killed % kAtTheStart != 0) {
      progress.wait_past(before);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
    before = progress.so_far();
    daemon.kill();
    daemon.come_back();
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  int resumed = 0;
  for (std::size_t i = 0; i < kChannels; ++i) {
    EXPECT_EQ(failures[i], "");
    EXPECT_EQ(failures[kChannels + i], "");
    const SteadyViewer& viewer = *viewers[i];
    EXPECT_EQ(viewer.received().written(), translation_of(talks[i])) << "channel " << i;
    EXPECT_EQ(viewer.received().finished(), translation_of(talks[i])) << "channel " << i;
    EXPECT_THAT(viewer.received().faults(), IsEmpty());
    EXPECT_EQ(viewer.received().source(), source_of(talks[i])) << "channel " << i;
    resumed += viewer.resumed();
  }
  EXPECT_GT(resumed, kills / 4);
}

}  // namespace
}  // namespace surtitle
