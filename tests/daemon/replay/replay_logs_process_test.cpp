// `surtitle replay` as a process on logs of streams and of SimulEval. It replays their words with a
// daemon and without one, and reports translations that differ.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "metrics/instance_log.h"
#include "tests/daemon/support/command_process.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kOtherWords = 3;
constexpr const char* kDemo = SURTITLE_SOURCE_DIR "/tests/data/demo/europarl.jsonl";

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ReplayLogs : public ::testing::Test {
 protected:
  ReplayLogs() { fs::create_directories(folder_); }
  ~ReplayLogs() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text = "") const {
    if (!text.empty()) {
      std::ofstream(folder_ / name, std::ios::binary) << text;
    }
    return (folder_ / name).string();
  }

  // Ends the daemon and returns the only log that it has written.
  std::string only_log(DaemonProcess& daemon) const {
    daemon.signal(SIGTERM);
    daemon.wait();
    EXPECT_EQ(std::distance(fs::directory_iterator(logs_), {}), 1);
    return fs::directory_iterator(logs_)->path().string();
  }

  static Ended replay(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "replay");
    return CommandProcess::run(arguments);
  }

  static Ended compare(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    return CommandProcess::run(arguments);
  }

  std::string first_lines_of_demo(int count) const {
    std::ifstream in(kDemo);
    std::string text;
    for (std::string line; count > 0 && std::getline(in, line); --count) {
      text += line + "\n";
    }
    return file("talk.jsonl", text);
  }

  // Returns a package that, by its model.yaml, was trained for full-sentence only.
  std::string model_of_whole_sentences() const {
    const fs::path shipped = fs::path(SURTITLE_SOURCE_DIR) / "model/pretrained/de-en-gma-small";
    const fs::path package = folder_ / "de-en-whole";
    fs::create_directories(package);
    for (const char* file : {"weights.safetensors", "sentencepiece.model"}) {
      fs::create_symlink(shipped / file, package / file);
    }
    std::ifstream in(shipped / "model.yaml");
    std::ofstream out(package / "model.yaml");
    for (std::string line; std::getline(in, line);) {
      out << (line == "  - \"gma\""                 ? "  - \"full-sentence\""
              : line.starts_with("default_policy:") ? "default_policy: \"full-sentence\""
                                                    : line)
          << "\n";
    }
    return package.string();
  }

  // Returns the targets of a log's sentences, one a line.
  static std::string targets(const std::string& log) {
    std::ifstream in(log);
    std::string all;
    for (std::string line; std::getline(in, line);) {
      const json::object object = json::parse(line).as_object();
      if (object.at("type") == "sentence") {
        all += std::string(object.at("target").as_string()) + "\n";
      }
    }
    return all;
  }

  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ("surtitle_replay_logs_" + std::to_string(getpid()));
  const fs::path logs_ = folder_ / "logs";
};

// Logs a stream that does all that a stream can: it has its own times, a hypothesis, ends of
// sentences of every kind, a lag that is held, and another policy and form of text in its middle.
std::string log_eventful_stream(const fs::path& logs) {
  DaemonProcess daemon({"--stream-logs", logs.string(), "--sentence-silence", "0.2", "--models",
                        "scripted,scripted-multipath"});
  TestClient client(daemon.port(), "/v1/stream");
  protocol::Start start = start_message({}, "auto:lag=1");
  start.model = "scripted";
  send(client, start);
  client.read_until("ready");
  send(client, protocol::Source{1, "Guten Morgen, liebe Gäste. Wie", 3.5});
  send(client, protocol::Hypothesis{"geht es Ihnen", true, 5.0, true});
  send(client, protocol::Source{2, "ohne jedes Ende", {}});
  client.read_until("sentence");
  client.read_until("sentence");
  client.read_until("sentence");  // by silence
  send(client, protocol::Configure{{}, "scripted-multipath", "wait-k:k=2", TextForm::kSpoken});
  client.read_until("policy");
  send(client, protocol::Source{3, "Das Haus, in dem wir wohnen.", 9.0});
  send(client, protocol::EndSentence{});
  send(client, protocol::Finish{});
  client.read_to_end();
  daemon.signal(SIGTERM);
  daemon.wait();
  return fs::directory_iterator(logs)->path().string();
}

TEST_F(ReplayLogs, ReplayAStreamWithAllItsChanges) {
  const std::string log = log_eventful_stream(logs_);
  const DaemonProcess daemon({"--models", "scripted,scripted-multipath"});
  const Ended ended =
      replay({log, "--url", url_of(daemon), "--speed", "max", "--compare", "--print"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err << ended.out;
  EXPECT_THAT(ended.out, StartsWith(targets(log)));
  EXPECT_THAT(ended.out, HasSubstr("The words are the same in all of 4 sentences.\n"));
  EXPECT_THAT(ended.out, HasSubstr(log + ", scripted, gma:delta="));
}

// Returns the sentences and changes of policy on a channel, until this many sentences with this
// beginning have arrived.
std::vector<json::object> until(TestClient& viewer, std::string_view beginning, int times) {
  std::vector<json::object> seen;
  while (times > 0) {
    const std::optional<json::object> message = viewer.read();
    if (!message) {
      ADD_FAILURE() << "the channel ended";
      break;
    }
    const bool sentence = type_of(*message) == "sentence";
    if (sentence || type_of(*message) == "policy") {
      seen.push_back(*message);
      times -= sentence && text_of(*message, "target").starts_with(beginning) ? 1 : 0;
    }
  }
  return seen;
}

TEST_F(ReplayLogs, BeginEachRoundWithTheirFirstSettings) {
  const std::string log = log_eventful_stream(logs_);
  const DaemonProcess daemon({"--models", "scripted,scripted-multipath"});
  TestClient viewer(daemon.port(), "/v1/channels/hall");
  viewer.read_until("ready");
  CommandProcess replaying({"loadtest", log, "--url", url_of(daemon), "--channel", "hall",
                            "--speed", "1000", "--duration", "10000"});
  const std::vector<json::object> seen = until(viewer, "GUTEN MORGEN", 2);
  ASSERT_FALSE(seen.empty());
  EXPECT_THAT(text_of(seen.back(), "target"), StartsWith("GUTEN MORGEN, LIEBE G"));
  const int again = number_of(seen.back(), "sentence");
  const auto policy = std::find_if(seen.rbegin(), seen.rend(), [&](const json::object& message) {
    return type_of(message) == "policy" && number_of(message, "sentence") <= again;
  });
  ASSERT_NE(policy, seen.rend());
  EXPECT_EQ(number_of(*policy, "sentence"), again);
  EXPECT_EQ(policy->at("model"), "scripted");
  EXPECT_THAT(text_of(*policy, "policy"), StartsWith("gma:delta="));
  replaying.signal(SIGINT);
  const Ended ended = replaying.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST_F(ReplayLogs, AreReplayedInTheRequestedForm) {
  const std::string log = log_eventful_stream(logs_);
  const DaemonProcess daemon({"--models", "scripted,scripted-multipath"});
  const auto output = [&](const std::string& form) {
    return replay(
               {log, "--url", url_of(daemon), "--speed", "max", "--print", "--source-form", form})
        .out;
  };
  EXPECT_THAT(output("spoken"), StartsWith("GUTEN MORGEN LIEBE G"));
  EXPECT_THAT(output("written"), HasSubstr("\nDAS HAUS, IN DEM WIR WOHNEN.\n"));
}

TEST_F(ReplayLogs, ReportOtherWordsByExitCodeAndSentence) {
  const std::string log = log_eventful_stream(logs_);
  std::string forged = read_file(log);
  const std::string_view word = "\"target\":\"OHNE JEDES ENDE\"";
  const std::size_t at = forged.find(word);
  ASSERT_NE(at, std::string::npos) << forged;
  forged.replace(at, word.size(), "\"target\":\"OHNE JEDEN ENDE\"");
  const DaemonProcess daemon({"--models", "scripted,scripted-multipath"});
  const std::vector<std::string> more{"--url", url_of(daemon), "--speed", "0", "--compare"};
  std::vector<std::string> arguments{file("forged.jsonl", forged)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ended ended = replay(arguments);
  EXPECT_EQ(ended.exit_code, kOtherWords) << ended.err;
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_THAT(ended.out, HasSubstr("The words differ in 1 of 4 sentences."));
  EXPECT_THAT(ended.out, HasSubstr("\nsentence 2: ohne jedes Ende\n  A  OHNE JEDEN ENDE   AL"));

  arguments.emplace_back("--json");
  const json::value found = json::parse(replay(arguments).out);
  const json::object& comparison = found.at("comparisons").at(0).as_object();
  EXPECT_EQ(comparison.at("same_words"), false);
  EXPECT_EQ(comparison.at("differences").at(0).at("sentence"), 2);
}

TEST_F(ReplayLogs, CompareTwoLogsWithoutTranslating) {
  const std::string log = log_eventful_stream(logs_);
  const Ended same = compare({log, log});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("The words are the same in all of 4 sentences.\n"));
  const Ended words = compare({file("words.txt", "Guten Tag")});
  EXPECT_EQ(words.exit_code, 1);
  EXPECT_THAT(words.err, HasSubstr("words.txt: the log has no translation; allowed: "));
}

TEST_F(ReplayLogs, BecomeLogsOfSimulEvalWithTheLiveScores) {
  const std::string log = log_eventful_stream(logs_);
  const std::string out = file("out.log");
  ASSERT_EQ(compare({log, "--instances", out}).exit_code, 0);
  const std::vector<Instance> instances = read_instances(fs::path(out));
  std::ifstream in(log);
  std::size_t sentence = 0;
  for (std::string line; std::getline(in, line);) {
    const json::object object = json::parse(line).as_object();
    if (object.at("type") != "sentence") {
      continue;
    }
    ASSERT_LT(sentence, instances.size());
    const Instance& instance = instances[sentence++];
    const json::value& live = object.at("metrics").at("words");
    const LatencyScores scores = latency(instance);
    EXPECT_EQ(instance.prediction, std::string(object.at("target").as_string()));
    EXPECT_EQ(*scores.al, live.at("al").to_number<double>());
    EXPECT_EQ(*scores.laal, live.at("laal").to_number<double>());
    EXPECT_EQ(*scores.ap, live.at("ap").to_number<double>());
    EXPECT_EQ(*scores.dal, live.at("dal").to_number<double>());
    EXPECT_EQ(*scores.cw, live.at("cw").to_number<double>());
  }
  EXPECT_EQ(sentence, 4U);
}

TEST_F(ReplayLogs, BecomeFilesThatAreScoredInMilliseconds) {
  const std::string log = log_eventful_stream(logs_);
  const std::string scoring = file("scoring");
  const std::string references = file("references", "a b\nc\nd e f\ng\n");
  const Ended ended = compare({log, "--reference", references, "--scoring", scoring});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("LongYAAL"));
  json::object first;
  for (const char* name : {"/hypothesis.jsonl", "/simulstream.jsonl"}) {
    const Ended scored =
        CommandProcess::run({"score", scoring + name, "--segments", scoring + "/segments.yaml",
                             "--reference", scoring + "/references.txt", "--json"});
    ASSERT_EQ(scored.exit_code, 0) << scored.err;
    const json::object summary = json::parse(scored.out).at("summary").as_object();
    EXPECT_EQ(summary.at("count"), 4);
    EXPECT_GT(summary.at("LongYAAL_CA").to_number<double>(),
              summary.at("LongYAAL").to_number<double>());
    first = first.empty() ? summary : first;
    EXPECT_NEAR(summary.at("LongYAAL_CA").to_number<double>(),
                first.at("LongYAAL_CA").to_number<double>(), 1e-3);
  }
  EXPECT_EQ(compare({log, "--scoring", scoring}).err,
            "surtitle compare: --scoring needs references; give --reference\n");
}

TEST_F(ReplayLogs, OfSimulEvalAreReplayedSentenceBySentence) {
  const DaemonProcess daemon;
  const std::string log = file(
      "instances.log",
      "{\"index\": 0, \"prediction\": \"GUTEN TAG. JA\", \"delays\": [2, 3, 3], \"elapsed\": [0, "
      "0, "
      "0], \"prediction_length\": 3, \"reference\": \"Good day. Yes\\n\", \"source\": \"Guten Tag. "
      "Ja\\n\", \"source_length\": 3}\n"
      "{\"index\": 1, \"prediction\": \"NEIN\", \"delays\": [1], \"reference\": \"No\", "
      "\"source\": "
      "\"nein\"}\n");
  const std::string out = file("out.log");
  const Ended ended =
      replay({log, "--url", url_of(daemon), "--speed", "max", "--compare", "--instances", out});
  EXPECT_EQ(ended.exit_code, 0) << ended.err << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("The words are the same in all of 2 sentences."));
  const std::vector<Instance> instances = read_instances(fs::path(out));
  ASSERT_EQ(instances.size(), 2U) << "one instance for each line, whatever its sentences";
  EXPECT_EQ(instances[0].prediction, "GUTEN TAG. JA");
  EXPECT_EQ(instances[0].reference, "Good day. Yes");
}

TEST_F(ReplayLogs, WithErrorsAreRejected) {
  const Ended bad = compare({file("bad.jsonl", "{\"type\":\"stream_log\",\"version\":2}\n")});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.jsonl:1: field 'version' of stream_log must be 1"));
  const Ended speed = replay({kDemo, "--speed", "-1"});
  EXPECT_EQ(speed.exit_code, 2);
  EXPECT_THAT(speed.err, HasSubstr("must be a number above 0, or 0 or max"));
  EXPECT_EQ(replay({kDemo, "--compare", "--offline"}).exit_code, 1);
  EXPECT_EQ(replay({kDemo, "--policy", "gma:delta=x", "--offline"}).exit_code, 1);
}

// --- the shipped model ---

TEST_F(ReplayLogs, ShowOfflineRunsAlthoughAnotherFails) {
  const Ended ended =
      replay({first_lines_of_demo(20), "--offline", "--model", model_of_whole_sentences(),
              "--policy", "full-sentence", "--policy", "auto:lag=3", "--json"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("policy 'auto' requires a model "));
  const json::array runs = json::parse(ended.out).at("runs").as_array();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].at("policy"), "full-sentence");
  EXPECT_GT(runs[0].at("sentences").to_number<int>(), 0);
  EXPECT_EQ(runs[1].at("policy"), "auto:lag=3");
  EXPECT_EQ(runs[1].at("sentences"), 0);
}

// Each line of instances.log has the words and delays of a sentence, and nothing that depends on a
// clock.
TEST_F(ReplayLogs, OfOneTalkAndModelHaveTheSameWordsEverywhere) {
  const std::string talk = first_lines_of_demo(120);
  DaemonProcess daemon({"--stream-logs", logs_.string()}, DaemonProcess::Program::kReal);
  const std::string url = url_of(daemon);
  const std::string first = file("first.log");
  ASSERT_EQ(replay({talk, "--url", url, "--speed", "max", "--instances", first}).exit_code, 0);
  const std::string log = only_log(daemon);

  const std::string logged = file("logged.log");
  ASSERT_EQ(compare({log, "--instances", logged}).exit_code, 0);
  EXPECT_EQ(read_file(logged), read_file(first)) << "the daemon's own log";

  const DaemonProcess again({}, DaemonProcess::Program::kReal);
  const std::string second = file("second.log");
  const Ended compared =
      replay({log, "--url", url_of(again), "--speed", "50", "--compare", "--instances", second});
  EXPECT_EQ(compared.exit_code, 0) << compared.err << compared.out;
  EXPECT_EQ(read_file(second), read_file(first)) << "another daemon";

  const std::string offline = file("offline.log");
  const Ended without = replay({log, "--offline", "--compare", "--instances", offline});
  EXPECT_EQ(without.exit_code, 0) << without.err << without.out;
  EXPECT_EQ(read_file(offline), read_file(first)) << "no daemon";

  const std::string words = file("words.log");
  ASSERT_EQ(
      replay({talk, "--offline", "--model", "de-en-gma-small", "--instances", words}).exit_code, 0);
  EXPECT_EQ(read_file(words), read_file(first)) << "the talk itself";

  EXPECT_EQ(replay({log, "--offline", "--compare", "--policy", "gma:delta=3"}).exit_code,
            kOtherWords)
      << "another policy writes other words";
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

TEST_F(ReplayLogs, RunOfflineOnAllModelsThatTheyName) {
  DaemonProcess daemon(
      {"--stream-logs", logs_.string(), "--models", "de-en-gma-small,de-en-multipath"},
      DaemonProcess::Program::kReal);
  TestClient client(daemon.port(), "/v1/stream");
  protocol::Start start = start_message({}, "gma:delta=2");
  start.model = "de-en-gma-small";
  send(client, start);
  client.read_until("ready");
  send(client, protocol::Source{1, "Guten Morgen, meine Damen und Herren.", {}});
  send(client, protocol::Configure{{}, "de-en-multipath", "wait-k:k=2", {}});
  client.read_until("policy");
  send(client, protocol::Source{2, "Das ist gut. Wie geht es Ihnen?", {}});
  send(client, protocol::Finish{});
  client.read_to_end();
  const std::string log = only_log(daemon);

  const Ended same = replay({log, "--offline", "--compare"});
  EXPECT_EQ(same.exit_code, 0) << same.err << same.out;
  EXPECT_THAT(same.out, HasSubstr("The words are the same in all of 3 sentences."));

  const std::string other = file("other.jsonl", replaced(read_file(log), "de-en-multipath", "m2"));
  const Ended missing = replay({other, "--offline"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.err,
            "surtitle replay: model m2 is neither a folder nor the name of a shipped model; "
            "--models adds folders of models\n");

  const fs::path shipped = SURTITLE_SOURCE_DIR "/model/pretrained/de-en-multipath";
  const fs::path package = folder_ / "package";
  fs::create_directories(package);
  for (const auto& entry : fs::directory_iterator(shipped)) {
    fs::create_symlink(entry.path(), package / entry.path().filename());
  }
  fs::remove(package / "model.yaml");
  file("package/model.yaml",
       replaced(read_file(shipped / "model.yaml"), "\"de-en-multipath\"", "\"m2\""));
  const Ended given = replay({other, "--offline", "--compare", "--models", package.string()});
  EXPECT_EQ(given.exit_code, 0) << given.err << given.out;
  const Ended twice =
      replay({other, "--offline", "--models", package.string() + "," + package.string()});
  EXPECT_THAT(twice.err, HasSubstr("two models are named m2: "));
}

TEST_F(ReplayLogs, RunOfflineUnderManyPoliciesInOneReport) {
  const std::string talk =
      file("talk.txt", "Guten Morgen, meine Damen und Herren.\n\nDas ist gut.");
  const std::string page = file("page.html");
  const Ended ended = replay({talk, "--offline", "--policy", "gma:delta=0..2", "--policy",
                              "full-sentence", "--report", page, "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const json::value found = json::parse(ended.out);
  ASSERT_EQ(found.at("runs").as_array().size(), 4U);
  EXPECT_EQ(found.at("runs").at(2).at("policy"), "gma:delta=2");
  EXPECT_LT(found.at("runs").at(0).at("al").to_number<double>(),
            found.at("runs").at(3).at("al").to_number<double>());
  EXPECT_THAT(read_file(page), HasSubstr("with the full-sentence translation"));

  const Ended judged =
      replay({talk, "--offline", "--json", "--reference",
              file("whole.txt", "Good morning, ladies and gentlemen.\nThat is good.\n")});
  EXPECT_GT(json::parse(judged.out).at("runs").at(0).at("bleu").to_number<double>(), 0)
      << judged.err;

  const Ended wrong = replay(
      {talk, "--offline", "--reference", file("short.txt", "Good morning.\n"), "--report", page});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("the reference has 1 line, but the talk has 2 sentences"));
}

}  // namespace
}  // namespace surtitle
