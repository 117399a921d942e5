// The daemon with a real model, killed at random moments: its translations continue as in an
// undisturbed run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <random>
#include <sstream>
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

// Rounds of the text, so that it lasts until the last of `kills`.
int rounds_for(int kills) { return std::max(2, kills * 3 / 4); }

std::vector<std::string> words(int rounds) {
  std::vector<std::string> words;
  for (int round = 0; round < rounds; ++round) {
    std::istringstream text(
        "Guten Morgen, meine Damen und Herren. Wir sprechen heute über eine Frage, die viele von "
        "Ihnen schon lange beschäftigt. Wie kommt es, dass wir einander verstehen, obwohl wir "
        "verschiedene Sprachen sprechen? Vor zwanzig Jahren habe ich in einem kleinen Dorf "
        "gelebt, in dem niemand meine Sprache kannte. Die Kinder haben mir zuerst geholfen.");
    for (std::string word; text >> word;) {
      words.push_back(word);
    }
  }
  return words;
}

struct Translation {
  std::map<int, std::string> written;
  std::map<int, std::string> finished;
  bool operator==(const Translation&) const = default;
};

Translation translation(const ReceivedMessages& received) {
  return {received.written(), received.finished()};
}

protocol::Start start_of(const std::string& model, const std::string& policy,
                         TextForm form = TextForm::kWritten) {
  protocol::Start start = start_message({}, policy);
  start.model = model;
  start.source_form = form;
  return start;
}

TEST(KilledModel, ContinuesWithinItsSentencesUnderEachPolicy) {
  const unsigned seed = chosen_seed();
  SCOPED_TRACE("SURTITLE_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<protocol::Start> starts;
  for (const char* policy :
       {"gma:delta=1", "wait-k:k=3", "static-rw", "full-sentence", "local-agreement", "alignatt"}) {
    starts.push_back(start_of("de-en-gma-small", policy));
  }
  // The model ends the sentences of spoken text.
  starts.push_back(start_of("de-en-multipath", "wait-k:k=3", TextForm::kSpoken));
  const int most = fault_count(8);
  const int rounds = rounds_for(most);
  const std::vector<std::string> text = words(rounds);
  CrashableDaemon daemon({"--models", "de-en-gma-small,de-en-multipath", "--sentence-silence", "0",
                          "--log-level", "error"},
                         DaemonProcess::Program::kReal);
  const auto port = [&daemon] { return daemon.port_now(); };

  std::vector<Translation> undisturbed;
  for (const protocol::Start& start : starts) {
    SteadySender sender(port, start);
    sender.run(text);
    undisturbed.push_back(translation(sender.received()));
    if (start.source_form == TextForm::kWritten) {
      ASSERT_EQ(undisturbed.back().finished.size(),
                std::size_t{5} * static_cast<std::size_t>(rounds));
    }
  }

  Progress begun;
  std::vector<std::unique_ptr<SteadySender>> senders;
  std::vector<std::string> failures(starts.size());
  std::vector<std::thread> threads;
  std::atomic<int> running = static_cast<int>(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    senders.push_back(std::make_unique<SteadySender>(port, starts[i]));
    senders[i]->tell(begun);
    threads.emplace_back([&, i] {
      try {
        senders[i]->run(text);
      } catch (const std::exception& failure) {
        failures[i] = failure.what();
      }
      --running;
      begun.happened();
    });
  }
  int before = 0;
  for (int kills = 0; kills < most && running > 0; ++kills) {
    begun.wait_past(before);
    wait_at_random(random, std::chrono::microseconds(60000));
    before = begun.so_far();
    daemon.kill();
    daemon.come_back();
  }
  int resumed = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    threads[i].join();
    EXPECT_EQ(failures[i], "") << *starts[i].policy;
    EXPECT_EQ(translation(senders[i]->received()), undisturbed[i]) << *starts[i].policy;
    EXPECT_THAT(senders[i]->received().faults(), ::testing::IsEmpty()) << *starts[i].policy;
    resumed += senders[i]->resumed();
  }
  EXPECT_GT(resumed, most / 2);
  std::printf("%d resumes\n", resumed);
}

}  // namespace
}  // namespace surtitle
