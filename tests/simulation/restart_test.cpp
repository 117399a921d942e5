// How a daemon treats the time in which it did not run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/simulated_daemon.h"
#include "tests/simulation/simulated_disk.h"
#include "tests/simulation/simulation.h"

namespace surtitle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kWords = 30;

std::string json(const protocol::ClientMessage& message) { return protocol::to_json(message); }

std::string start_on(const std::string& channel) {
  protocol::Start start{"de", "en", {}, "wait-k:k=1", channel};
  return json(start);
}

class RestartedDaemon : public ::testing::Test {
 protected:
  explicit RestartedDaemon(const DaemonSetting& setting = RestartedDaemon::setting())
      : daemon_(simulation_, disk_, setting) {}

  static DaemonSetting setting() {
    DaemonSetting setting;
    setting.server.limits.sentence_words = 100;
    setting.server.limits.queued_words = 200;
    setting.server.resume_timeout = seconds(600);
    setting.server.admission = {seconds(5), 0.8};
    setting.work_pace = {milliseconds(50), milliseconds(50)};
    return setting;
  }

  // Connects a sender, and collects the messages that it receives.
  std::shared_ptr<SimulatedConnection> connect(std::vector<std::string>& received) {
    return daemon_.connect_sender(
        {[&received](std::string_view text) { received.emplace_back(text); }, [] {}},
        [](std::string_view) {});
  }

  static std::ptrdiff_t count(const std::vector<std::string>& received, const std::string& type) {
    return std::count_if(received.begin(), received.end(), [&type](const std::string& text) {
      return text.find(R"("type":")" + type + '"') != std::string::npos;
    });
  }

  Simulation simulation_{1};
  SimulatedDisk disk_{simulation_};
  SimulatedDaemon daemon_;
};

// Words that were accepted before the restart are late by the whole time until the daemon runs
// again. That is no reason to reject new streams.
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
  simulation_.run_for(milliseconds(1900));  // within the window in which delays are measured
  std::vector<std::string> second;
  const auto other = connect(second);
  other->say(start_on("two"));
  simulation_.run_for(seconds(1));
  EXPECT_EQ(count(second, "ready"), 1) << second.front();
}

// A journal that takes long to restore. After a restart it has three streams, on the channels
// "one", "two" and "three". Each has sent "Guten Tag" and not ended its sentence.
class LongJournal : public RestartedDaemon {
 protected:
  LongJournal() : RestartedDaemon(setting()) {
    daemon_.start();
    for (const char* channel : {"one", "two", "three"}) {
      std::vector<std::string> received;
      const auto sender = connect(received);
      sender->say(start_on(channel));
      sender->say(json(protocol::Source{1, "Guten Tag ", {}}));
      simulation_.run_for(seconds(2));
      EXPECT_EQ(count(received, "ack"), 1);
      EXPECT_EQ(count(received, "sentence"), 0);
      const boost::json::value ready = boost::json::parse(received.front());
      resumes_.push_back({ready.at("stream").as_string().c_str(),
                          ready.at("resume").at("key").as_string().c_str()});
    }
    daemon_.kill();
    daemon_.start();
  }

  static DaemonSetting setting() {
    DaemonSetting setting = RestartedDaemon::setting();
    setting.server.restore_at_once = Seconds(0);
    setting.server.restore_rows = 1;
    setting.server.streams = 4;
    setting.post_pace = {milliseconds(10), milliseconds(10)};
    return setting;
  }

  // The sender of a stream returns and ends its sentence.
  std::shared_ptr<SimulatedConnection> come_back(std::size_t stream,
                                                 std::vector<std::string>& received) {
    auto sender = connect(received);
    protocol::Start start{"de", "en", {}, "wait-k:k=1", {}};
    start.resume = resumes_.at(stream);
    sender->say(json(start));
    sender->say(json(protocol::Source{2, "allen.", {}}));
    return sender;
  }

  // Returns the first message of a daemon to a new sender on another channel.
  std::string answer_to_another(SimulatedDaemon& daemon) {
    std::vector<std::string> received;
    const auto other = daemon.connect_sender(
        {[&received](std::string_view text) { received.emplace_back(text); }, [] {}},
        [](std::string_view) {});
    other->say(start_on("four"));
    while (received.empty() && simulation_.step()) {
    }
    return received.empty() ? "" : received.front();
  }

  std::vector<protocol::Resume> resumes_;
};

TEST_F(LongJournal, IsRestoredInTheBackground) {
  EXPECT_THAT(disk_.read(), IsEmpty());
  simulation_.run_for(seconds(1));
  EXPECT_THAT(disk_.read(),
              ElementsAre(resumes_[0].stream, resumes_[1].stream, resumes_[2].stream));
  for (std::size_t stream = 0; stream < 3; ++stream) {
    std::vector<std::string> received;
    const auto sender = come_back(stream, received);
    simulation_.run_for(seconds(2));
    EXPECT_EQ(count(received, "sentence"), 1);
    EXPECT_THAT(received.back(), HasSubstr("GUTEN TAG ALLEN."));
  }
}

TEST_F(LongJournal, RestoresARequestedStreamFirst) {
  std::vector<std::string> received;
  const auto sender = come_back(1, received);
  while (count(received, "ready") == 0 && simulation_.step()) {
  }
  EXPECT_EQ(disk_.read().front(), resumes_[1].stream);
  simulation_.run_for(seconds(2));
  EXPECT_EQ(count(received, "sentence"), 1);
}

TEST_F(LongJournal, ShowsItsTranscriptsToViewers) {
  std::vector<std::string> shown;
  const auto viewer = daemon_.connect_viewer(
      "three", {}, {[&shown](std::string_view text) { shown.emplace_back(text); }, [] {}},
      [](std::string_view) {});
  EXPECT_THAT(disk_.read(), ElementsAre(resumes_[2].stream));
  simulation_.run_for(seconds(2));
  ASSERT_FALSE(shown.empty());
  EXPECT_THAT(shown[0], HasSubstr(resumes_[2].stream));
  EXPECT_THAT(shown, Contains(HasSubstr("Guten Tag")));
}

TEST_F(LongJournal, MakesRoomForANewSenderOfAChannel) {
  std::vector<std::string> received;
  const auto other = connect(received);
  other->say(start_on("three"));
  while (received.empty() && simulation_.step()) {
  }
  EXPECT_EQ(count(received, "ready"), 1);
  std::vector<std::string> late;
  const auto sender = come_back(2, late);
  simulation_.run_for(seconds(2));
  EXPECT_EQ(count(late, "sentence"), 0);
  EXPECT_THAT(late, Contains(HasSubstr(R"("reason":"sender-left")")));
}

TEST_F(LongJournal, EndsTheStreamsOfSendersThatStayAway) {
  simulation_.run_for(seconds(605));
  for (const protocol::Resume& resume : resumes_) {
    EXPECT_TRUE(disk_.stream(resume.stream)->history.ended);
  }
}

TEST_F(LongJournal, StaysForTheNextProcessIfThisOneDrains) {
  daemon_.leave();
  simulation_.run_for(seconds(1));
  EXPECT_THAT(disk_.read(), IsEmpty());
  daemon_.kill();
  daemon_.start();
  std::vector<std::string> received;
  const auto sender = come_back(0, received);
  simulation_.run_for(seconds(2));
  EXPECT_EQ(count(received, "sentence"), 1);
}

TEST_F(LongJournal, ShowsNoPartOfAStreamIfTheDaemonDrainsMeanwhile) {
  std::vector<std::string> received;
  const auto sender = come_back(0, received);
  sender->say(json(protocol::Source{3, "Gute Nacht.", {}}));
  simulation_.run_for(seconds(2));
  const std::string whole = daemon_.transcript("one");
  EXPECT_THAT(whole, HasSubstr("GUTE NACHT."));
  daemon_.kill();
  daemon_.start();
  while (daemon_.transcript("one").empty() && simulation_.step()) {
  }
  ASSERT_NE(daemon_.transcript("one"), whole);
  daemon_.leave();
  EXPECT_EQ(daemon_.transcript("one"), whole);
}

// There is room for one stream, and three may continue at any moment.
TEST_F(LongJournal, CountsAsNewStreams) {
  daemon_.kill();
  DaemonSetting narrow = setting();
  narrow.server.admission.max_load = 0.001;
  SimulatedDaemon daemon(simulation_, disk_, narrow);
  daemon.start();
  EXPECT_THAT(answer_to_another(daemon), HasSubstr("overloaded"));
}

// The stream that is being restored has not ended, and all others have.
TEST_F(LongJournal, CountsTheStreamThatIsBeingRestored) {
  for (std::size_t stream = 0; stream < 2; ++stream) {
    std::vector<std::string> received;
    const auto sender = come_back(stream, received);
    sender->say(json(protocol::Finish{}));
    simulation_.run_for(seconds(2));
    EXPECT_EQ(count(received, "bye"), 1);
  }
  std::vector<std::string> more;  // the third stream has more rows than are restored at once
  const auto third = come_back(2, more);
  for (int seq = 3; seq <= 10; ++seq) {
    third->say(json(protocol::Source{seq, "Guten Tag ", {}}));
    simulation_.run_for(seconds(2));
  }
  daemon_.kill();
  DaemonSetting narrow = setting();
  narrow.server.admission.max_load = 1e-6;
  narrow.post_pace = {milliseconds(100), milliseconds(100)};
  SimulatedDaemon daemon(simulation_, disk_, narrow);
  const std::size_t read = disk_.read().size();
  daemon.start();
  while (disk_.read().size() < read + 3 && simulation_.step()) {
  }
  EXPECT_EQ(disk_.read().back(), resumes_[2].stream);
  EXPECT_THAT(answer_to_another(daemon), HasSubstr("overloaded"));
}

TEST_F(LongJournal, KeepsAnUnreadableHistoryAndAffectsNoOther) {
  disk_.spoil(resumes_[0].stream);
  std::vector<std::string> lost;
  const auto first = come_back(0, lost);
  std::vector<std::string> received;
  const auto second = come_back(1, received);
  simulation_.run_for(seconds(2));
  EXPECT_THAT(lost, ElementsAre(HasSubstr("resume-unavailable"), _));
  EXPECT_EQ(count(received, "sentence"), 1);
  EXPECT_FALSE(disk_.stream(resumes_[0].stream)->history.ended);
}

// The older stream can be read again, but its channel has another one by then.
TEST_F(LongJournal, RestoresTheLastStreamOfAChannel) {
  disk_.spoil(resumes_[2].stream);
  std::vector<std::string> received;
  const auto other = connect(received);
  other->say(start_on("three"));
  other->say(json(protocol::Source{1, "Guten Tag ", {}}));
  simulation_.run_for(seconds(2));
  const boost::json::value ready = boost::json::parse(received.front());
  const std::string old = std::exchange(resumes_[2].stream, ready.at("stream").as_string().c_str());
  resumes_[2].key = ready.at("resume").at("key").as_string().c_str();
  daemon_.kill();
  disk_.spoil("");
  daemon_.start();
  std::vector<std::string> later;
  const auto sender = come_back(2, later);
  simulation_.run_for(seconds(2));
  EXPECT_EQ(count(later, "sentence"), 1);
  EXPECT_TRUE(disk_.stream(old)->history.ended);
}

TEST_F(LongJournal, ReservesThePlacesOfItsStreams) {
  std::vector<std::string> fourth;
  const auto one = connect(fourth);
  one->say(start_on("four"));
  std::vector<std::string> fifth;
  const auto another = connect(fifth);
  another->say(start_on("five"));
  while (fifth.empty() && simulation_.step()) {
  }
  EXPECT_THAT(disk_.read(), IsEmpty()) << "otherwise no stream waits any more";
  EXPECT_THAT(fifth, Contains(HasSubstr("too-many-streams")));
}

}  // namespace
}  // namespace surtitle
