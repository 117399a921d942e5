// `surtitle replay` and `surtitle loadtest` as processes with a real daemon on a scripted
// translator.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/daemon/support/command_process.h"
#include "tests/daemon/support/overload.h"
#include "tests/daemon/support/test_client.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ReplayTest : public ::testing::Test {
 protected:
  // A log of three sentences, 8 words, 11 scripted tokens; 0.2 seconds.
  static constexpr const char* kTalk =
      "{\"time\": 5.00, \"text\": \"Guten\"}\n{\"time\": 5.05, \"text\": \"Morgen alle.\"}\n"
      "{\"time\": 5.10, \"text\": \"Wie geht es?\"}\n{\"time\": 5.20, \"text\": \"gut so\"}\n";

  ~ReplayTest() override { std::filesystem::remove(file_); }

  std::vector<std::string> replay(const DaemonProcess& daemon, const std::string& log,
                                  const std::vector<std::string>& more = {}) {
    return command("replay", daemon, log, more);
  }

  std::vector<std::string> loadtest(const DaemonProcess& daemon, const std::string& log,
                                    const std::vector<std::string>& more) {
    return command("loadtest", daemon, log, more);
  }

  std::vector<std::string> command(const std::string& name, const DaemonProcess& daemon,
                                   const std::string& log, const std::vector<std::string>& more) {
    std::ofstream(file_, std::ios::binary) << log;
    std::vector<std::string> arguments{name, file_, "--url", url_of(daemon)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  const std::string file_ =
      ::testing::TempDir() + "/surtitle_replay_" + std::to_string(getpid()) + ".log";
};

boost::json::object parse(const Ended& ended) {
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_EQ(ended.out.find('\n'), ended.out.size() - 1) << ended.out;
  return boost::json::parse(ended.out).as_object();
}

TEST_F(ReplayTest, CountsTheResultsOfFiftyStreams) {
  const DaemonProcess daemon;
  const boost::json::object found =
      parse(CommandProcess::run(loadtest(daemon, kTalk, {"--streams", "50", "--json"})));
  EXPECT_EQ(found.at("streams"), 50);
  EXPECT_EQ(found.at("sentences"), 150);
  EXPECT_EQ(found.at("words_in"), 400);
  EXPECT_EQ(found.at("tokens_out"), 550);
  EXPECT_EQ(found.at("errors"), 0);
  // The scripted translation runs one word behind.
  EXPECT_EQ(found.at("al"), 1);
  EXPECT_EQ(found.at("dal"), 1);
  EXPECT_GT(found.at("words_per_second").to_number<double>(), 0);
  const boost::json::object& delay = found.at("delay_ms").as_object();
  EXPECT_GT(delay.at("p50").to_number<double>(), 0);
  EXPECT_GE(delay.at("p95").to_number<double>(), delay.at("p50").to_number<double>());
  EXPECT_GE(delay.at("p99").to_number<double>(), delay.at("p95").to_number<double>());
  std::string keys;
  for (const auto& field : found) {
    keys += std::string(field.key()) + " ";
  }
  EXPECT_EQ(
      keys,
      "streams sentences words_in tokens_out delay_ms al laal ap dal cw yaal long_yaal errors "
      "overloaded words_per_second ");
}

TEST_F(ReplayTest, ReplaysPlainTextAndPrintsItsTranslation) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(
      replay(daemon, "Guten Morgen\n\nalle zusammen", {"--rate", "100", "--print"}));
  EXPECT_THAT(ended.out, StartsWith("GUTEN MORGEN\nALLE ZUSAMMEN\nstreams         1\n"));
  EXPECT_THAT(ended.out, HasSubstr("errors          0\n"));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST_F(ReplayTest, KeepsStandardOutputForJson) {
  const DaemonProcess daemon;
  const Ended ended =
      CommandProcess::run(replay(daemon, "Guten Morgen", {"--rate", "100", "--print", "--json"}));
  EXPECT_EQ(ended.err, "GUTEN MORGEN\n");
  EXPECT_THAT(ended.out, StartsWith("{\"streams\":1,"));
}

TEST_F(ReplayTest, RepeatsTheLogUntilInterrupted) {
  const DaemonProcess daemon;
  CommandProcess repeated(loadtest(daemon, "eins zwei", {"--rate", "100", "--duration", "10000"}));
  while (metric(daemon.port(), "surtitle_source_words_total") < 6) {
  }
  repeated.signal(SIGINT);
  const Ended ended = repeated.wait();
  EXPECT_THAT(ended.out, HasSubstr("errors          0\n"));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST_F(ReplayTest, EndsAfterItsDuration) {
  const DaemonProcess daemon;
  const boost::json::object found = parse(CommandProcess::run(
      loadtest(daemon, "eins zwei", {"--rate", "0.001", "--duration", "0.3", "--json"})));
  EXPECT_EQ(found.at("words_in"), 1);
  EXPECT_EQ(found.at("sentences"), 1);
}

TEST_F(ReplayTest, LastsForItsDurationAlthoughTheNextWordIsLater) {
  const DaemonProcess daemon;
  const boost::json::object found = parse(CommandProcess::run(
      loadtest(daemon, "eins zwei", {"--rate", "0.001", "--duration", "1", "--json"})));
  EXPECT_LE(found.at("words_per_second").to_number<double>(), 1);
}

TEST_F(ReplayTest, StartsNoStreamOnceInterrupted) {
  const DaemonProcess daemon;
  CommandProcess stopped(loadtest(
      daemon, "eins zwei", {"--rate", "0.1", "--streams", "40", "--duration", "1000", "--json"}));
  while (metric(daemon.port(), "surtitle_source_words_total") == 0) {
  }
  stopped.signal(SIGINT);
  const boost::json::object found = parse(stopped.wait());
  EXPECT_EQ(found.at("errors"), 0);
  double begun = metric(daemon.port(), "surtitle_streams");
  for (const protocol::ByeReason reason : protocol::kByeReasons) {
    begun += metric(daemon.port(), "surtitle_streams_finished_total{reason=\"" +
                                       std::string(protocol::name(reason)) + "\"}");
  }
  EXPECT_GE(begun, 1);
  EXPECT_LT(begun, 40);
}

TEST_F(ReplayTest, EndsAfterItsDurationAtAnySpeed) {
  const DaemonProcess daemon;
  const boost::json::object found = parse(CommandProcess::run(
      loadtest(daemon, "eins zwei", {"--speed", "max", "--duration", "1", "--json"})));
  EXPECT_GT(found.at("sentences").as_int64(), 1);
}

TEST_F(ReplayTest, SendsTheTimesOfTheLogToAChannel) {
  const DaemonProcess daemon;
  TestClient viewer(daemon.port(), "/v1/channels/hall");
  viewer.read_until("ready");
  const Ended ended =
      CommandProcess::run(replay(daemon, kTalk, {"--channel", "hall", "--speed", "2"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(viewer.read_until("source").at("time"), 5);
  EXPECT_EQ(viewer.read_until("source").at("time"), 5.05);
  EXPECT_EQ(viewer.read_until("sentence").at("target"), "GUTEN MORGEN ALLE.");
}

TEST_F(ReplayTest, FailsIfTheServerDies) {
  const DaemonProcess daemon;
  CommandProcess replay_process(
      replay(daemon, "eins.\nzwei drei vier fünf sechs sieben acht", {"--rate", "1", "--print"}));
  ASSERT_EQ(replay_process.read(6), "EINS.\n");
  daemon.signal(SIGKILL);
  const Ended ended = replay_process.wait();
  EXPECT_THAT(ended.err,
              StartsWith("surtitle replay: the connection to " + url_of(daemon) + " was lost: "));
  EXPECT_EQ(ended.exit_code, 1);
}

TEST_F(ReplayTest, CountsStreamsThatTheServerRejects) {
  const DaemonProcess daemon({"--limits-streams", "1"});
  CommandProcess pipe({"pipe", "--url", url_of(daemon)});
  pipe.write("Guten ");
  ASSERT_EQ(pipe.read(5), "GUTEN");  // the only stream is in use
  const Ended ended = CommandProcess::run(loadtest(daemon, kTalk, {"--streams", "5", "--json"}));
  const boost::json::value found = boost::json::parse(ended.out);
  EXPECT_EQ(found.at("errors"), 5);
  EXPECT_EQ(found.at("sentences"), 0);
  EXPECT_THAT(ended.err, StartsWith("surtitle loadtest: 5 of 5 streams failed; the first: "));
  EXPECT_EQ(ended.exit_code, 1);
}

TEST_F(ReplayTest, RetriesWhenAnOverloadedServerAsksForIt) {
  const DaemonProcess daemon(kForOne);
  std::vector<TestClient> streams;
  fill(daemon.port(), streams);
  CommandProcess patient(loadtest(daemon, "eins zwei", {"--rate", "100", "--retry", "--json"}));
  while (metric(daemon.port(), kRefused) < 2) {
  }
  for (TestClient& stream : streams) {
    stream.close();
  }
  const boost::json::object found = parse(patient.wait());
  EXPECT_EQ(found.at("sentences"), 1);
  EXPECT_GE(found.at("overloaded").as_int64(), 1);
  EXPECT_EQ(found.at("errors"), 0);
}

TEST_F(ReplayTest, InterruptEndsItsWaitForAnOverloadedServer) {
  const DaemonProcess daemon(kForOne);
  std::vector<TestClient> streams;
  fill(daemon.port(), streams);
  CommandProcess patient(loadtest(daemon, "eins zwei", {"--retry", "--json"}));
  while (metric(daemon.port(), kRefused) < 2) {
  }
  patient.signal(SIGINT);
  const Ended ended = patient.wait();
  EXPECT_THAT(ended.err,
              StartsWith("surtitle loadtest: the daemon cannot translate another stream"));
  EXPECT_EQ(ended.exit_code, 1) << "nothing was said";
}

TEST_F(ReplayTest, FailsIfAnOverloadedServerHasNoTimeWithinTheDuration) {
  const DaemonProcess daemon(kForOne);
  std::vector<TestClient> streams;
  fill(daemon.port(), streams);
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--json"}, {"--retry", "--duration", "0.5", "--json"}}) {
    const Ended ended = CommandProcess::run(loadtest(daemon, "eins zwei", how));
    EXPECT_THAT(ended.err,
                StartsWith("surtitle loadtest: the daemon cannot translate another stream"));
    EXPECT_EQ(ended.exit_code, 1);
  }
}

TEST_F(ReplayTest, ShowsTheOtherRunsIfSomePoliciesFail) {
  const DaemonProcess daemon({"--models", "scripted-whole"});
  const Ended ended =
      CommandProcess::run(replay(daemon, "eins zwei.",
                                 {"--speed", "max", "--policy", "auto:lag=3", "--policy",
                                  "wait-k:k=1", "--policy", "auto:lag=4", "--json"}));
  EXPECT_THAT(ended.err, HasSubstr("policy 'auto' requires a model "));
  EXPECT_EQ(ended.exit_code, 1);
  const boost::json::array runs = boost::json::parse(ended.out).at("runs").as_array();
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].at("policy"), "auto:lag=3");
  EXPECT_EQ(runs[0].at("sentences"), 0);
  EXPECT_EQ(runs[1].at("policy"), "wait-k:k=1");
  EXPECT_EQ(runs[1].at("sentences"), 1);
  EXPECT_EQ(runs[2].at("policy"), "auto:lag=4");
}

TEST_F(ReplayTest, ShowsNothingIfAllPoliciesFail) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(
      replay(daemon, "eins zwei.", {"--model", "other", "--policy", "gma:delta=1..3", "--json"}));
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("other"));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << "one line: " << ended.err;
  EXPECT_EQ(ended.exit_code, 1);
}

TEST_F(ReplayTest, MeasuresAfterItsWarmUp) {
  const DaemonProcess daemon;
  const boost::json::object found = parse(CommandProcess::run(loadtest(
      daemon, "eins zwei", {"--rate", "0.001", "--duration", "3", "--warm-up", "2.9", "--json"})));
  EXPECT_EQ(found.at("words_in"), 0) << "the first word is sent before, the second never";
  EXPECT_EQ(found.at("sentences"), 0) << "the sentence ends after";
  EXPECT_EQ(found.at("errors"), 0);
  const Ended ended = CommandProcess::run(
      loadtest(daemon, "eins zwei.", {"--duration", "0.5", "--warm-up", "0.5"}));
  EXPECT_THAT(ended.err, HasSubstr("--warm-up must be shorter than --duration"));
  EXPECT_NE(ended.exit_code, 0);
}

TEST_F(ReplayTest, CountsTheWordsOfASecondInTheMeasuredTime) {
  const DaemonProcess daemon;
  CommandProcess stopped(loadtest(
      daemon, "eins", {"--rate", "20", "--duration", "1000", "--warm-up", "0.5", "--json"}));
  while (metric(daemon.port(), "surtitle_source_words_total") < 40) {
  }
  stopped.signal(SIGINT);
  const boost::json::object found = parse(stopped.wait());
  EXPECT_GT(found.at("words_per_second").to_number<double>(), 1);
}

TEST_F(ReplayTest, NamesTheCommandThatHasAnotherOption) {
  for (const auto& [flag, command] :
       std::map<std::string, std::string>{{"--streams", ": use `surtitle loadtest`"},
                                          {"--retry", ": use `surtitle loadtest`"},
                                          {"--as-logged", ": use `surtitle compare`"}}) {
    const Ended ended = CommandProcess::run({"replay", file_, flag});
    EXPECT_THAT(ended.err, HasSubstr(flag + command)) << flag;
    EXPECT_EQ(ended.exit_code, 2);
  }
}

TEST_F(ReplayTest, NamesTheLineOfAnInvalidLog) {
  const DaemonProcess daemon;
  const Ended ended = CommandProcess::run(
      replay(daemon, "{\"time\": 1, \"text\": \"a\"}\n{\"time\": 0, \"text\": \"b\"}\n"));
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(ended.err, StartsWith("surtitle replay: " + file_ + ":2: time 0"));
  EXPECT_EQ(ended.exit_code, 1);
}

}  // namespace
}  // namespace surtitle
