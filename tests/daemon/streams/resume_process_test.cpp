// A stream survives its connection and its daemon: no word is lost, doubled or out of order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "tests/daemon/support/crashable_daemon.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/fault_count.h"
#include "tests/daemon/support/journal_lock.h"
#include "tests/daemon/support/raw_websocket.h"
#include "tests/daemon/support/state_folder.h"
#include "tests/daemon/support/steady_sender.h"
#include "tests/daemon/support/talk.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Resume, ContinuesWithinASentenceAfterACut) {
  const DaemonProcess daemon;
  std::optional<Begun> begun = begin_stream(daemon.port());
  send(begun->client, protocol::Source{1, "guten lieben", {}});
  const boost::json::object write = begun->client.read_until("write");
  EXPECT_EQ(text_of(write, "text"), "GUTE");
  protocol::Resume resume = begun->resume;
  resume.seq = 1;
  resume.event = write.at("event").as_int64();
  begun.reset();  // without a close frame

  TestClient client = come_back(daemon.port(), resume);
  const boost::json::object ready = client.read_until("ready");
  EXPECT_EQ(text_of(ready, "stream"), resume.stream);
  EXPECT_EQ(ready.at("resume").as_object().at("seq").as_int64(), 1);
  EXPECT_EQ(text_of(client.read_until("write"), "text"), "N");
  send(client, protocol::Source{2, "Morgen.", {}});
  EXPECT_EQ(text_of(client.read_until("sentence"), "target"), "GUTEN LIEBEN MORGEN.");
  send(client, protocol::Finish{});
  EXPECT_EQ(how_it_ends(client), "- finished 1000");
  EXPECT_EQ(metric(daemon.port(), "surtitle_stream_resumes_total"), 1);
}

TEST(Resume, PreviousConnectionReceivesTakenOver) {
  const DaemonProcess daemon;
  Begun first = begin_stream(daemon.port());
  TestClient second = come_back(daemon.port(), first.resume);
  second.read_until("ready");
  EXPECT_EQ(how_it_ends(first.client), "taken-over error 4409");
  EXPECT_EQ(translate(second, 1, "Ja."), "JA.");
}

// The request is read late, as by a daemon that was stopped. Its sender may have returned since,
// and must keep its stream.
TEST(Resume, IgnoresASenderThatLeftBeforeItsRequestIsRead) {
  const DaemonProcess daemon;
  Begun begun = begin_stream(daemon.port());
  const Begun other = begin_stream(daemon.port());
  ask_and_leave(daemon, begun.resume);
  TestClient later = come_back(daemon.port(), other.resume);
  later.read_until("ready");
  EXPECT_EQ(translate(begun.client, 1, "Ja."), "JA.");
}

TEST(Resume, RequiresTheKey) {
  const DaemonProcess daemon;
  Begun begun = begin_stream(daemon.port(), start_message("main"));
  TestClient viewer(daemon.port(), "/v1/channels/main");
  const boost::json::object ready = viewer.read_until("ready");
  EXPECT_EQ(text_of(ready, "stream"), begun.resume.stream);
  EXPECT_FALSE(ready.contains("resume")) << "a viewer has no right to the stream";
  protocol::Resume wrong = begun.resume;
  wrong.key.back() = wrong.key.back() == '0' ? '1' : '0';
  TestClient thief = come_back(daemon.port(), wrong);
  EXPECT_EQ(how_it_ends(thief), "resume-unavailable error 4400");
  EXPECT_EQ(translate(begun.client, 1, "Ja."), "JA.");
}

TEST(Resume, OfAnEndedStreamReturnsItsEnd) {
  const DaemonProcess daemon;
  Begun begun = begin_stream(daemon.port());
  begun.client.close();  // on purpose
  TestClient client = come_back(daemon.port(), begun.resume);
  EXPECT_EQ(how_it_ends(client), "- sender-left 1000");
}

TEST(Resume, SentenceOfASenderThatStaysAwayIsTranslated) {
  const DaemonProcess daemon({"--resume-timeout", "0.05", "--sentence-silence", "0"});
  TestClient viewer(daemon.port(), "/v1/channels/main");
  std::optional<Begun> begun = begin_stream(daemon.port(), start_message("main", "full-sentence"));
  send(begun->client, protocol::Source{1, "ein halber Satz", {}});
  begun->client.read_until("ack");
  begun.reset();
  EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "EIN HALBER SATZ");
  while (viewer.read_until("state").at("sender").as_bool()) {
  }
}

// Sends half a sentence, which is translated after the silence that ends a sentence.
void wait_for_silence(int port) {
  TestClient other = start_stream(port);
  EXPECT_EQ(translate(other, 1, "eine Pause"), "EINE PAUSE");
}

TEST(Resume, AbsenceIsNoSilence) {
  const StateFolder state;
  const std::vector<std::string> flags{"--sentence-silence", "0.2", "--journal-path",
                                       state.journal()};
  for (const bool killed : {false, true}) {
    SCOPED_TRACE(killed ? "the daemon was killed" : "the connection was cut");
    auto daemon = std::make_unique<DaemonProcess>(flags);
    std::optional<Begun> begun = begin_stream(daemon->port(), start_message({}, "full-sentence"));
    send(begun->client, protocol::Source{1, "ein halber", {}});
    begun->client.read_until("ack");
    protocol::Resume resume = begun->resume;
    resume.seq = 1;
    begun.reset();
    if (killed) {
      daemon->signal(SIGKILL);
      daemon->wait();
      daemon = std::make_unique<DaemonProcess>(flags);
    }
    wait_for_silence(daemon->port());
    wait_for_silence(daemon->port());
    TestClient client = come_back(daemon->port(), resume);
    client.read_until("ready");
    EXPECT_EQ(translate(client, 2, "Satz."), "EIN HALBER SATZ.");
  }
}

TEST(Resume, DetachedStreamMakesRoomForAnotherSenderOfTheChannel) {
  const DaemonProcess daemon({"--limits-streams", "1"});
  TestClient viewer(daemon.port(), "/v1/channels/main");
  viewer.read_until("ready");
  std::optional<Begun> begun = begin_stream(daemon.port(), start_message("main"));
  EXPECT_EQ(translate(begun->client, 1, "Eins."), "EINS.");
  begun.reset();
  // The daemon may not have noticed the cut yet.
  for (bool begun_again = false; !begun_again;) {
    TestClient other(daemon.port(), "/v1/stream");
    send(other, start_message("main"));
    const auto answer = other.read();
    begun_again = answer && type_of(*answer) == "ready";
    if (begun_again) {
      EXPECT_EQ(translate(other, 1, "Zwei."), "ZWEI.");
    }
  }
}

TEST(Resume, IsNotOfferedWithoutAJournal) {
  const DaemonProcess daemon({"--journal-path", "none"});
  TestClient client(daemon.port(), "/v1/stream");
  send(client, start_message());
  EXPECT_FALSE(client.read_until("ready").contains("resume"));
  send(client, protocol::Source{1, "Ja.", {}});
  EXPECT_FALSE(client.read_until("write").contains("event"));
}

// --- another process ---

TEST(Restart, ContinuesEveryOpenStream) {
  const StateFolder state;
  const std::vector<std::string> flags{"--journal-path", state.journal(), "--models",
                                       "scripted,scripted-fr"};
  protocol::Start start = start_message("main");
  start.tracks = {{"fr", "fr", {}, "wait-k:k=2"}};
  start.agreement = 2;
  protocol::Resume resume;
  {
    DaemonProcess daemon(flags);
    Begun begun = begin_stream(daemon.port(), start);
    EXPECT_EQ(translate(begun.client, 1, "Erster Satz."), "ERSTER SATZ.");
    send(begun.client, protocol::Configure{{}, {}, "gma:delta=3", {}});
    send(begun.client, protocol::Hypothesis{"das ist", false, {}, true, 2});
    send(begun.client, protocol::Hypothesis{"das ist ein haus am", false, {}, true, 3});
    while (begun.client.read_until("ack").at("seq").as_int64() != 3) {
    }
    resume = begun.resume;
    daemon.signal(SIGKILL);
    daemon.wait();
  }
  DaemonProcess daemon(flags);
  {
    TestClient viewer(daemon.port(), "/v1/channels/main?backlog=10");
    EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "ERSTER SATZ.");
  }
  resume.seq = 3;
  TestClient client = come_back(daemon.port(), resume);
  const boost::json::object ready = client.read_until("ready");
  EXPECT_EQ(ready.at("resume").as_object().at("seq").as_int64(), 3);
  EXPECT_EQ(text_of(ready, "policy"), "gma:delta=3");
  ReceivedMessages received;
  for (bool complete = false; !complete;) {
    const boost::json::object message = client.read_until("write");
    received.add(message);
    complete = received.written()[0] == "ERSTER SATZ.";
  }
  // The words on which two hypotheses agreed were read; the rest of the last one is pending.
  send(client, protocol::Hypothesis{"das ist ein haus am see.", true, {}, true, 4});
  std::map<std::string, std::string> targets;
  while (targets.size() < 2) {
    const boost::json::object sentence = client.read_until("sentence");
    if (number_of(sentence, "sentence") == 1) {
      targets[sentence.contains("track") ? "fr" : ""] = text_of(sentence, "target");
    }
  }
  EXPECT_EQ(targets[""], "DAS IST EIN HAUS AM SEE.");
  EXPECT_EQ(targets["fr"], "DAS IST EIN HAUS AM SEE.");
  client.close();
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

TEST(Restart, ContinuesStreamsAfterAHandoff) {
  const StateFolder state;
  const std::vector<std::string> flags{"--journal-path", state.journal(), "--drain-mode",
                                       "handoff"};
  DaemonProcess first(flags);
  TestClient viewer(first.port(), "/v1/channels/main");
  viewer.read_until("ready");
  Begun begun = begin_stream(first.port(), start_message("main"));
  send(begun.client, protocol::Source{1, "guten lieben", {}});
  begun.resume.event = begun.client.read_until("write").at("event").as_int64();
  begun.resume.seq = 1;
  first.signal(SIGTERM);
  EXPECT_EQ(how_it_ends(begun.client), "- - 1012");
  EXPECT_EQ(how_it_ends(viewer), "- draining 1001");
  EXPECT_EQ(first.wait().exit_code, 0);
  const DaemonProcess second(flags);
  TestClient client = come_back(second.port(), begun.resume);
  client.read_until("ready");
  send(client, protocol::Source{2, "Morgen.", {}});
  EXPECT_EQ(text_of(client.read_until("sentence"), "target"), "GUTEN LIEBEN MORGEN.");
}

TEST(Restart, ShowsTheLastTalkOfAChannelAlsoAfterSeveralStarts) {
  const StateFolder state;
  const std::vector<std::string> flags{"--journal-path", state.journal(), "--resume-timeout",
                                       "0.01"};
  std::string after;
  {
    DaemonProcess daemon(flags);
    Begun begun = begin_stream(daemon.port(), start_message("main"));
    EXPECT_EQ(translate(begun.client, 1, "Ein Satz."), "EIN SATZ.");
    send(begun.client, protocol::Finish{});
    EXPECT_EQ(how_it_ends(begun.client), "- finished 1000");
    after = "?after=" + begun.resume.stream + ":1";
    daemon.signal(SIGTERM);
    daemon.wait();
  }
  for (int start = 0; start < 2; ++start) {
    DaemonProcess daemon(flags);
    TestClient viewer(daemon.port(), "/v1/channels/main");
    EXPECT_FALSE(viewer.read_until("ready").contains("stream"));
    EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "EIN SATZ.");
    TestClient back(daemon.port(), "/v1/channels/main" + after);
    EXPECT_EQ(back.read_until("ready").at("after").as_int64(), 1);
    EXPECT_THAT(ask_http(daemon.port(), "GET /v1/channels HTTP/1.1").body,
                HasSubstr(R"("name":"main","live":false)"));
    daemon.signal(SIGTERM);
    daemon.wait();
  }
}

TEST(Restart, TranslatesAcknowledgedWordsAlthoughTheSenderStaysAway) {
  const StateFolder state;
  const std::vector<std::string> flags{"--journal-path", state.journal(), "--resume-timeout",
                                       "0.05"};
  {
    DaemonProcess daemon(flags);
    Begun begun = begin_stream(daemon.port(), start_message("main", "full-sentence"));
    send(begun.client, protocol::Source{1, "nie zu Ende", {}});
    begun.client.read_until("ack");
    daemon.signal(SIGKILL);
    daemon.wait();
  }
  const DaemonProcess daemon(flags);
  TestClient viewer(daemon.port(), "/v1/channels/main");
  EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "NIE ZU ENDE");
}

TEST(Restart, EndsAStreamThatItCannotContinue) {
  const StateFolder state;
  {
    DaemonProcess daemon({"--journal-path", state.journal()});
    const Begun begun = begin_stream(daemon.port());
    daemon.signal(SIGKILL);
    daemon.wait();
  }
  DaemonProcess daemon(
      {"--journal-path", state.journal(), "--models", "other", "--log-level", "error"});
  TestClient client = start_stream(daemon.port());
  EXPECT_EQ(translate(client, 1, "Ja."), "JA.");
  client.close();
  daemon.signal(SIGTERM);
  EXPECT_THAT(daemon.wait().err,
              AllOf(HasSubstr("Stream recovery failed"), HasSubstr("model 'scripted' is unknown")));
}

TEST(Restart, CountsWordsFromTheStartOfTheStream) {
  const StateFolder state;
  protocol::Resume resume;
  {
    DaemonProcess daemon({"--journal-path", state.journal()});
    Begun begun = begin_stream(daemon.port());
    EXPECT_EQ(translate(begun.client, 1, "Guten Tag."), "GUTEN TAG.");
    resume = begun.resume;
    daemon.signal(SIGKILL);
    daemon.wait();
  }
  DaemonProcess daemon({"--journal-path", state.journal(), "--log-level", "info"});
  resume.seq = 1;
  TestClient client = come_back(daemon.port(), resume);
  client.read_until("ready");
  send(client, protocol::Source{2, "Ja.", {}});
  send(client, protocol::Finish{});
  client.read_to_end();
  daemon.signal(SIGTERM);
  EXPECT_THAT(daemon.wait().err, HasSubstr(" words_in=3 words_out=3 sentences=2 "));
}

TEST(Restart, AllowsOneDaemonPerJournal) {
  const StateFolder state;
  const DaemonProcess daemon({"--journal-path", state.journal()});
  const Ended second = DaemonProcess::run({"--journal-path", state.journal(), "--port", "0"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("another daemon uses this journal"));
}

TEST(Restart, AllowsOneDaemonPerJournalAlsoThroughALink) {
  const StateFolder state;
  const DaemonProcess daemon({"--journal-path", state.journal()});
  const std::string link = state.journal() + "-link";
  std::filesystem::create_symlink(state.journal(), link);
  const Ended second = DaemonProcess::run({"--journal-path", link, "--port", "0"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("another daemon uses this journal"));
}

TEST(LostBeginning, EndsOneStreamAndDelaysNoOther) {
  const StateFolder state;
  const DaemonProcess daemon({"--journal-path", state.journal(), "--log-level", "off"});
  TestClient other = start_stream(daemon.port(), "other");
  TestClient client = start_stream(daemon.port(), "main");
  EXPECT_EQ(translate(client, 1, "Eins."), "EINS.");
  {
    JournalLock lock(state.journal());
    lock.run("DELETE FROM stream WHERE channel = 'main'");
    lock.commit();
  }
  send(client, protocol::Source{2, "Zwei.", {}});
  EXPECT_EQ(how_it_ends(client), "internal error 1011");
  EXPECT_EQ(translate(other, 1, "Ja."), "JA.");
  EXPECT_EQ(metric(daemon.port(), "surtitle_journal_failing"), 0);
}

TEST(FullDisk, WithholdsWhatIsNotInTheJournal) {
  const DaemonProcess daemon;
  const auto message = [](const protocol::ClientMessage& content) {
    return bytes_of({.payload = protocol::to_json(content)});
  };
  RawWebsocket viewer(daemon.port(), {.path = "/v1/channels/main"});
  RawWebsocket sender(daemon.port());
  sender.send(message(start_message("main")));
  sender.send(message(protocol::Source{1, "Eins.", {}}));
  sender.up_to("sentence");
  viewer.up_to("sentence");
  rlimit room{};
  ASSERT_EQ(prlimit(daemon.id(), RLIMIT_FSIZE, nullptr, &room), 0);
  const rlimit full{1, room.rlim_max};
  prlimit(daemon.id(), RLIMIT_FSIZE, &full, nullptr);
  sender.send(message(protocol::Source{2, "Zwei.", {}}));
  while (ask_http(daemon.port(), "GET /readyz HTTP/1.1").status != 503) {
  }
  EXPECT_EQ(ask_http(daemon.port(), "GET /readyz HTTP/1.1").body,
            "the journal cannot be written\n");
  EXPECT_EQ(ask_http(daemon.port(), "GET /healthz HTTP/1.1").status, 200);
  EXPECT_THAT(ask_http(daemon.port(), "GET /v1/channels/main/transcript.txt HTTP/1.1").body,
              Not(HasSubstr("ZWEI")));
  for (RawWebsocket* client : {&sender, &viewer}) {
    client->send(bytes_of({.opcode = kPing, .payload = "full"}));
    EXPECT_THAT(client->up_to("pong(full)"),
                AllOf(Not(HasSubstr("ack")), Not(HasSubstr("source")), Not(HasSubstr("write")),
                      Not(HasSubstr("sentence"))));
  }
  prlimit(daemon.id(), RLIMIT_FSIZE, &room, nullptr);
  EXPECT_THAT(sender.up_to("sentence"), AllOf(HasSubstr("ack"), HasSubstr("write")));
  EXPECT_THAT(viewer.up_to("sentence"), AllOf(HasSubstr("source"), HasSubstr("write")));
  EXPECT_EQ(ask_http(daemon.port(), "GET /readyz HTTP/1.1").status, 200);
}

// --- chaos ---

// Many senders at once, each with a talk, a policy and a channel of its own, and a check of their
// results.
class Crowd {
 public:
  Crowd(std::size_t senders, int sentences, const std::function<int()>& port, std::mt19937& random)
      : running_(static_cast<int>(senders)), failures_(senders) {
    static const std::vector<std::string> kPolicies{"gma:delta=1", "wait-k:k=2", "auto:lag=2",
                                                    "full-sentence"};
    for (std::size_t i = 0; i < senders; ++i) {
      talks_.push_back(talk(random, sentences));
      protocol::Start start =
          start_message("channel-" + std::to_string(i), kPolicies[i % kPolicies.size()]);
      if (has_second_track(i)) {
        start.tracks = {{kSecondTrack, {}, {}, "wait-k:k=4"}};
      }
      senders_.push_back(std::make_unique<SteadySender>(port, std::move(start)));
      senders_.back()->tell(progress_);
    }
  }

  SteadySender& at(std::size_t i) { return *senders_[i]; }
  int running() const { return running_; }
  // Counts senders that start, resume or finish.
  const Progress& progress() const { return progress_; }

  void begin() {
    for (std::size_t i = 0; i < senders_.size(); ++i) {
      threads_.emplace_back([this, i] {
        try {
          senders_[i]->run(talks_[i]);
        } catch (const std::exception& failure) {
          failures_[i] = failure.what();
        }
        --running_;
        progress_.happened();
      });
    }
  }

  // Waits for all senders and checks their results. Returns how often they resumed.
  int wait_and_check() {
    for (std::thread& thread : threads_) {
      thread.join();
    }
    int resumed = 0;
    for (std::size_t i = 0; i < senders_.size(); ++i) {
      EXPECT_EQ(failures_[i], "") << "stream " << i;
      EXPECT_EQ(senders_[i]->received().written(), translation_of(talks_[i])) << "stream " << i;
      EXPECT_EQ(senders_[i]->received().finished(), translation_of(talks_[i])) << "stream " << i;
      if (has_second_track(i)) {
        EXPECT_EQ(senders_[i]->received().written(kSecondTrack), translation_of(talks_[i])) << i;
        EXPECT_EQ(senders_[i]->received().finished(kSecondTrack), translation_of(talks_[i])) << i;
      }
      EXPECT_THAT(senders_[i]->received().faults(), IsEmpty()) << "stream " << i;
      resumed += senders_[i]->resumed();
    }
    return resumed;
  }

 private:
  static constexpr const char* kSecondTrack = "beside";
  static bool has_second_track(std::size_t sender) { return sender % 5 == 0; }

  std::atomic<int> running_;
  Progress progress_;
  std::vector<std::vector<std::string>> talks_;
  std::vector<std::unique_ptr<SteadySender>> senders_;
  std::vector<std::string> failures_;
  std::vector<std::thread> threads_;
};

// Every fourth kill does not wait until a sender has started or resumed since the last one.
constexpr int kHitsTheStart = 4;

// Every transcript must equal that of an undisturbed run.
TEST(Chaos, NoWordIsLostWhenTheDaemonIsKilledAtAnyMoment) {
  const unsigned seed = chosen_seed();
  SCOPED_TRACE("SURTITLE_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  CrashableDaemon daemon({"--sentence-silence", "0", "--log-level", "error"});
  const int sentences = std::max(80, fault_count(160));  // enough for all kills
  Crowd crowd(
      50, sentences, [&daemon] { return daemon.port_now(); }, random);
  crowd.begin();
  int killed = 0;
  int before = 0;
  for (const int kills = fault_count(200); killed < kills && crowd.running() > 0; ++killed) {
    if (killed % kHitsTheStart != 0) {
      crowd.progress().wait_past(before);
    }
    wait_at_random(random, std::chrono::microseconds(30000));
    before = crowd.progress().so_far();
    daemon.kill();
    daemon.come_back();
  }
  const int resumed = crowd.wait_and_check();
  EXPECT_EQ(killed, fault_count(200)) << "the streams ended before the last kill";
  EXPECT_GT(resumed, killed / 4);
  std::printf("%d kills, %d resumes\n", killed, resumed);
}

// Senders lose their connections, and the daemon notices it or not. The daemon is stopped for a
// while; its disk is full for a while.
TEST(Chaos, NoWordIsLostThroughCutsPausesAndAFullDisk) {
  const unsigned seed = chosen_seed();
  SCOPED_TRACE("SURTITLE_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  DaemonProcess daemon({"--sentence-silence", "0"});
  Crowd crowd(
      20, 60, [&daemon] { return daemon.port(); }, random);
  for (std::size_t i = 0; i < 20; ++i) {
    crowd.at(i).wander(0.02, seed + static_cast<unsigned>(i));
  }
  crowd.begin();
  rlimit room{};
  ASSERT_EQ(prlimit(daemon.id(), RLIMIT_FSIZE, nullptr, &room), 0);
  const rlimit full{1, room.rlim_max};
  bool refused = false;
  for (int i = fault_count(60); i > 0 && crowd.running() > 0; --i) {
    wait_at_random(random, std::chrono::microseconds(10000));
    if (i % 2 == 0) {
      daemon.signal(SIGSTOP);
      wait_at_random(random, std::chrono::microseconds(10000));
      daemon.signal(SIGCONT);
    } else {
      prlimit(daemon.id(), RLIMIT_FSIZE, &full, nullptr);
      wait_at_random(random, std::chrono::microseconds(10000));
      refused = refused || metric(daemon.port(), "surtitle_journal_failing") == 1;
      prlimit(daemon.id(), RLIMIT_FSIZE, &room, nullptr);
    }
  }
  const int resumed = crowd.wait_and_check();
  EXPECT_TRUE(refused) << "the disk was never full";
  EXPECT_GT(resumed, 20);
  std::printf("%d resumes\n", resumed);
}

}  // namespace
}  // namespace surtitle
