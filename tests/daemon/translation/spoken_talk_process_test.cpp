// A talk without punctuation over a real socket: the model ends its sentences, also after a kill.
// The scripted model takes "also" for the begin of a sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/daemon/support/crashable_daemon.h"
#include "tests/daemon/support/fault_count.h"
#include "tests/daemon/support/progress.h"
#include "tests/daemon/support/steady_sender.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kFlags{"--models", "scripted-spoken", "--sentence-silence",
                                      "0",        "--log-level",     "error"};

protocol::Start spoken_start() {
  protocol::Start start = start_message();
  start.source_form = TextForm::kSpoken;
  return start;
}

TEST(SpokenTalk, IsDividedBeforeWordsThatBeginASentence) {
  const DaemonProcess daemon(kFlags);
  TestClient client(daemon.port(), "/v1/stream");
  send(client, spoken_start());
  EXPECT_THAT(client.read_until("ready").at("warnings").as_array(), IsEmpty());
  send(client, protocol::Source{1, "Wir kommen also gehen", {}});
  send(client, protocol::Source{2, "wir. Heute also nicht", {}});
  send(client, protocol::Finish{});
  std::vector<std::string> sources;
  std::vector<std::string> targets;
  for (const auto& message : client.read_to_end()) {
    if (type_of(message) == "sentence") {
      sources.push_back(text_of(message, "source"));
      targets.push_back(text_of(message, "target"));
    }
  }
  EXPECT_THAT(sources, ElementsAre("Wir kommen", "also gehen wir.", "Heute", "also nicht"));
  EXPECT_THAT(targets, ElementsAre("WIR KOMMEN", "ALSO GEHEN WIR", "HEUTE", "ALSO NICHT"));
}

TEST(SpokenTalk, IsDividedInTheSameWayAfterKills) {
  constexpr int kKills = 6;
  constexpr int kWords = 400;
  const unsigned seed = chosen_seed();
  SCOPED_TRACE("SURTITLE_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<std::string> words;
  for (int i = 0; i < kWords; ++i) {
    words.push_back(random() % 7 == 0 ? "also" : "wort" + std::to_string(i));
  }
  CrashableDaemon daemon(kFlags);
  const auto port = [&daemon] { return daemon.port_now(); };
  SteadySender undisturbed(port, spoken_start());
  undisturbed.run(words);
  ASSERT_GT(undisturbed.received().finished().size(), 20U);

  Progress begun;
  SteadySender sender(port, spoken_start());
  sender.tell(begun);
  sender.wander(0.02, seed);
  std::string failure;
  std::atomic<bool> running = true;
  std::thread thread([&] {
    try {
      sender.run(words);
    } catch (const std::exception& thrown) {
      failure = thrown.what();
    }
    running = false;
    begun.happened();
  });
  int before = 0;
  for (int kills = 0; kills < kKills && running; ++kills) {
    begun.wait_past(before);
    wait_at_random(random, std::chrono::microseconds(20000));
    before = begun.so_far();
    daemon.kill();
    daemon.come_back();
  }
  thread.join();
  EXPECT_EQ(failure, "");
  EXPECT_THAT(sender.received().faults(), IsEmpty());
  EXPECT_EQ(sender.received().finished(), undisturbed.received().finished());
  EXPECT_EQ(sender.received().written(), undisturbed.received().written());
  EXPECT_EQ(sender.received().source(), undisturbed.received().source());
}

}  // namespace
}  // namespace surtitle
