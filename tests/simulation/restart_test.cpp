// What a daemon makes of the time that it was not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/simulated_daemon.h"
#include "tests/simulation/simulated_disk.h"
#include "tests/simulation/simulation.h"

namespace surtitle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kWords = 30;

std::string json(const protocol::ClientMessage& message) { return protocol::to_json(message); }

std::string start_on(const std::string& channel) {
  protocol::Start start{"de", "en", {}, "wait-k:k=1", channel};
  return json(start);
}

class RestartedDaemon : public ::testing::Test {
 protected:
  static DaemonSetting setting() {
    DaemonSetting setting;
    setting.hub.limits.sentence_words = 100;
    setting.hub.limits.queued_words = 200;
    setting.hub.resume = seconds(600);
    setting.hub.admission = {seconds(5), 0.8};
    setting.work_pace = {milliseconds(50), milliseconds(50)};
    return setting;
  }

  // A sender, and what it hears.
  std::shared_ptr<SimulatedConnection> connect(std::vector<std::string>& heard) {
    return daemon_.connect_sender(
        {[&heard](std::string_view text) { heard.emplace_back(text); }, [] {}},
        [](std::string_view) {});
  }

  static std::ptrdiff_t count(const std::vector<std::string>& heard, const std::string& type) {
    return std::count_if(heard.begin(), heard.end(), [&type](const std::string& text) {
      return text.find("\"type\":\"" + type + "\"") != std::string::npos;
    });
  }

  Simulation simulation_{1};
  SimulatedDisk disk_{simulation_};
  SimulatedDaemon daemon_{simulation_, disk_, setting()};
};

// Words that were taken before it are late by the whole time until it is there again, which is no
// reason to let nobody else in.
TEST_F(RestartedDaemon, DoesNotCountAsOverload) {
  const TimePoint began = simulation_.now();
  std::vector<std::string> first;
  daemon_.start();
  const auto speaker = connect(first);
  speaker->say(start_on("one"));
  std::string words;
  for (int word = 1; word <= kWords; ++word) {
    words += "Wort" + std::to_string(word) + " ";
  }
  speaker->say(json(protocol::Source{1, words, {}}));
  while (count(first, "ack") == 0 && simulation_.now() < began + seconds(1) && simulation_.step()) {
  }
  ASSERT_EQ(count(first, "ack"), 1);
  ASSERT_LT(count(first, "write"), 5);
  daemon_.kill();

  simulation_.after(seconds(60), [this] { daemon_.start(); });
  simulation_.run_for(seconds(60));
  simulation_.run_for(milliseconds(1900));  // the window over which words' delays are looked at
  std::vector<std::string> second;
  const auto other = connect(second);
  other->say(start_on("two"));
  simulation_.run_for(seconds(1));
  EXPECT_EQ(count(second, "ready"), 1) << second.front();
}

}  // namespace
}  // namespace surtitle
