// Three replicas behind HAProxy with many senders and viewers. At random moments, replicas are
// killed or stopped, and Redis is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <random>
#include <thread>

#include "tests/daemon/backplane/replica.h"
#include "tests/daemon/support/fault_count.h"
#include "tests/daemon/support/progress.h"
#include "tests/daemon/support/steady_sender.h"
#include "tests/daemon/support/steady_viewer.h"
#include "tests/daemon/support/talk.h"

namespace surtitle {
namespace {

using ::testing::IsEmpty;

// Senders and viewers of many channels behind the proxy, and a check of their results.
class Crowd {
 public:
  Crowd(int port, std::size_t streams, int sentences, std::mt19937& random)
      : running_(static_cast<int>(streams)) {
    static const std::vector<std::string> kPolicies{"gma:delta=1", "wait-k:k=2", "auto:lag=2",
                                                    "full-sentence"};
    const auto proxy = [port] { return port; };
    for (std::size_t i = 0; i < streams; ++i) {
      const std::string channel = "channel-" + std::to_string(i);
      Pair& pair = *pairs_.emplace_back(std::make_unique<Pair>(
          talk(random, sentences), proxy, start_message(channel, kPolicies[i % kPolicies.size()])));
      pair.sender.tell(progress_);
      pair.viewer.begin();
    }
  }

  int running() const { return running_; }

  // Senders lose their connections; see SteadySender.
  void wander(double chance, unsigned seed) {
    for (const std::unique_ptr<Pair>& pair : pairs_) {
      pair->sender.wander(chance, seed++);
    }
  }

  // Returns once all viewers have a stream: before, they have nothing to continue.
  void begin() {
    for (const std::unique_ptr<Pair>& pair : pairs_) {
      threads_.emplace_back([this, &pair = *pair] {
        guard(pair, [&] { pair.sender.run(pair.talk); });
        --running_;
        progress_.happened();
      });
      threads_.emplace_back([&pair = *pair] {
        guard(pair, [&] { pair.viewer.run(translation_of(pair.talk).size()); });
      });
    }
    for (const std::unique_ptr<Pair>& pair : pairs_) {
      while (!pair->viewer.has_received()) {
        std::this_thread::yield();
      }
    }
  }

  // Returns once a sender has resumed, or all are done.
  void wait_for_return() const {
    const int running = running_;
    const int before = progress_.so_far();
    for (int seen = before; running_ > 0; seen = progress_.so_far()) {
      const int done = running - running_;
      if (seen - before > done) {
        return;
      }
      progress_.wait_past(seen);
    }
  }

  // Waits for all clients and checks their results. Returns how often senders resumed.
  int wait_and_check() {
    for (std::thread& thread : threads_) {
      thread.join();
    }
    int resumed = 0;
    int followed = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      SCOPED_TRACE("stream " + std::to_string(i));
      const Pair& pair = *pairs_[i];
      const std::map<int, std::string> undisturbed = translation_of(pair.talk);
      EXPECT_EQ(pair.failure, "");
      EXPECT_EQ(pair.sender.received().written(), undisturbed);
      EXPECT_EQ(pair.sender.received().finished(), undisturbed);
      EXPECT_THAT(pair.sender.received().faults(), IsEmpty());
      EXPECT_EQ(pair.viewer.received().source(), source_of(pair.talk));
      EXPECT_EQ(pair.viewer.received().written(), undisturbed);
      EXPECT_EQ(pair.viewer.received().finished(), undisturbed);
      EXPECT_THAT(pair.viewer.received().faults(), IsEmpty());
      resumed += pair.sender.resumed();
      followed += pair.viewer.resumed();
    }
    std::printf("%d senders and %d viewers returned\n", resumed, followed);
    return resumed;
  }

 private:
  struct Pair {
    Pair(std::vector<std::string> texts, const std::function<int()>& port, protocol::Start start)
        : talk(std::move(texts)), sender(port, start), viewer(port, *start.channel) {}
    std::vector<std::string> talk;
    SteadySender sender;
    SteadyViewer viewer;
    std::string failure;
  };

  template <typename Work>
  static void guard(Pair& pair, const Work& work) {
    try {
      work();
    } catch (const std::exception& failure) {
      pair.failure += std::string(failure.what()) + "; ";
      pair.viewer.give_up();
    }
  }

  std::atomic<int> running_;
  Progress progress_;  // senders that start, resume or finish
  std::vector<std::unique_ptr<Pair>> pairs_;
  std::vector<std::thread> threads_;
};

// Prints a line at once, so that it is in the output even if the test hangs.
void print_line(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

class Cluster : public ::testing::Test {
 protected:
  Cluster() {
    const unsigned seed = chosen_seed();
    random_.seed(seed);
    print_line("seed " + std::to_string(seed));
    RecordProperty("seed", std::to_string(seed));
  }

  Replica& any() { return *replicas_[random_() % replicas_.size()]; }

  static std::unique_ptr<Replica> replica(const RedisProcess& redis) {
    return std::make_unique<Replica>(redis, std::vector<std::string>{"--sentence-silence", "0"});
  }

  std::mt19937 random_;
  RedisProcess redis_;
  std::array<std::unique_ptr<Replica>, 3> replicas_{replica(redis_), replica(redis_),
                                                    replica(redis_)};
  HaproxyProcess proxy_{{replicas_[0]->port(), replicas_[1]->port(), replicas_[2]->port()}};
};

TEST_F(Cluster, NoWordIsLostWhenReplicasAreKilledAtAnyMoment) {
  // Enough for a dozen kills; a fast machine has time for fewer.
  const int sentences = std::max(240, fault_count(240));
  Crowd crowd(proxy_.port(), 24, sentences, random_);
  crowd.begin();
  int killed = 0;
  for (const int most = fault_count(20); killed < most && crowd.running() > 0; ++killed) {
    wait_at_random(random_, std::chrono::milliseconds(300));
    Replica& replica = any();
    replica.kill();
    wait_at_random(random_, std::chrono::milliseconds(300));
    replica.start();
  }
  EXPECT_GT(crowd.wait_and_check(), killed / 2);
  EXPECT_GE(killed, fault_count(5)) << "the talks ended too soon";
  std::printf("%d kills\n", killed);
}

TEST_F(Cluster, NoWordIsLostWhileRedisFailsAndReturns) {
  Crowd crowd(proxy_.port(), 24, std::max(400, fault_count(400)), random_);
  crowd.wander(0.001, static_cast<unsigned>(random_()));  // they may return to another replica
  crowd.begin();
  int times = 0;
  for (const int most = fault_count(8); times < most && crowd.running() > 0; ++times) {
    wait_at_random(random_, std::chrono::milliseconds(500));
    if (times % 2 == 0) {
      redis_.signal(SIGSTOP);
      wait_at_random(random_, std::chrono::milliseconds(1000));
      redis_.signal(SIGCONT);
    } else {
      redis_.kill();
      while (metric(any().port(), "surtitle_backplane_up") == 1) {
      }
      wait_at_random(random_, std::chrono::milliseconds(500));
      redis_.start();
    }
  }
  EXPECT_GT(crowd.wait_and_check(), 24);
  EXPECT_GE(times, fault_count(4)) << "the talks ended too soon";
}

TEST_F(Cluster, StoppedReplicaIsReplacedAndFenced) {
  Crowd crowd(proxy_.port(), 24, 150, random_);
  crowd.begin();
  const int stops = fault_count(3);
  for (int i = 0; i < stops && crowd.running() > 0; ++i) {
    const Replica& replica = any();
    replica.signal(SIGSTOP);
    if (i == 0) {
      crowd.wait_for_return();  // once the proxy uses the others
    } else {
      wait_at_random(random_, std::chrono::milliseconds(9000));
    }
    replica.signal(SIGCONT);
    wait_at_random(random_, std::chrono::milliseconds(500));
  }
  EXPECT_GT(crowd.wait_and_check(), 0) << "no sender resumed elsewhere";
}

}  // namespace
}  // namespace surtitle
