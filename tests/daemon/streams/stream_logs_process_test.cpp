// The logs that the daemon as a process writes of its streams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StreamLogs : public ::testing::Test {
 protected:
  ~StreamLogs() override { fs::remove_all(folder_); }

  DaemonProcess start(std::vector<std::string> flags = {}) const {
    flags.insert(flags.end(), {"--stream-logs", folder_.string()});
    return DaemonProcess(flags);
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    if (fs::exists(folder_)) {
      for (const auto& entry : fs::directory_iterator(folder_)) {
        all.push_back(entry.path());
      }
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  static std::vector<json::object> lines(const fs::path& file) {
    std::vector<json::object> all;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      all.push_back(json::parse(line).as_object());
    }
    return all;
  }

  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ("surtitle_stream_logs_" + std::to_string(getpid()));
};

// Returns "source 0", "write 0", "end".
std::vector<std::string> outline(const std::vector<json::object>& lines) {
  std::vector<std::string> all;
  for (const json::object& line : lines) {
    std::string text = type_of(line);
    if (line.contains("sentence") && line.at("sentence").is_int64()) {
      text += " " + std::to_string(number_of(line, "sentence"));
    }
    all.push_back(text);
  }
  return all;
}

TEST_F(StreamLogs, HaveAllMessagesInOrder) {
  {
    DaemonProcess daemon = start();
    TestClient client = start_stream(daemon.port(), "main");
    send(client, protocol::Source{1, "Guten", 12.5});
    client.read_until("ack");
    send(client, protocol::Source{2, "Tag. Ja", {}});
    send(client, protocol::EndSentence{});
    send(client, protocol::Finish{});
    EXPECT_EQ(how_it_ends(client), "- finished 1000");
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait().exit_code, 0);
  }
  ASSERT_EQ(files().size(), 1U);
  struct stat status {};
  ASSERT_EQ(stat(files().front().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_THAT(files().front().filename().string(),
              AllOf(HasSubstr("Z-main-s-"), HasSubstr(".jsonl")));

  const std::vector<json::object> log = lines(files().front());
  EXPECT_EQ(type_of(log.front()), "stream_log");
  EXPECT_EQ(number_of(log.front(), "version"), 1);
  EXPECT_EQ(text_of(log.front(), "channel"), "main");
  EXPECT_EQ(text_of(log.front(), "source"), "de");
  EXPECT_EQ(json::serialize(log.front().at("tracks")),
            R"([{"name":"","target":"en","model":"scripted","policy":"gma:delta=1"}])");
  const std::vector<std::string> all = outline(log);
  const auto position = [&](const std::string& line) {
    return std::find(all.begin(), all.end(), line) - all.begin();
  };
  EXPECT_LT(position("source 0"), position("end_sentence 0"));
  EXPECT_LT(position("end_sentence 0"), position("source 1"));
  EXPECT_LT(position("source 1"), position("end_sentence 1"));
  EXPECT_LT(position("write 0"), position("sentence 0"));
  EXPECT_LT(position("sentence 0"), position("write 1"));
  EXPECT_EQ(std::count(all.begin(), all.end(), "end_sentence 0"), 1);
  EXPECT_EQ(log[1].at("time"), 12.5);
  std::string target;
  for (const json::object& line : log) {
    target += type_of(line) == "write" ? text_of(line, "text") : "";
  }
  EXPECT_EQ(target, "GUTEN TAG.JA");
  EXPECT_EQ(type_of(log.back()), "end");
  EXPECT_EQ(text_of(log.back(), "reason"), "finished");
  EXPECT_EQ(number_of(log.back(), "words"), 3);
}

TEST_F(StreamLogs, HaveTracksChangesAndTheEnd) {
  {
    DaemonProcess daemon = start({"--models", "scripted,scripted-fr"});
    TestClient client(daemon.port(), "/v1/stream");
    protocol::Start begin = start_message();
    begin.tracks.push_back({"fr", "fr", {}, "auto:lag=2"});
    send(client, begin);
    client.read_until("ready");
    send(client, protocol::Source{1, "Guten Tag.", {}});
    send(client, protocol::Configure{{}, {}, "wait-k:k=2", TextForm::kSpoken});
    client.read_until("policy");
    client.send("no message at all");
    EXPECT_EQ(how_it_ends(client), "bad-json error 4400");
    daemon.signal(SIGTERM);
    daemon.wait();
  }
  ASSERT_EQ(files().size(), 1U);
  const std::vector<json::object> log = lines(files().front());
  EXPECT_EQ(log.front().at("tracks").as_array().size(), 2U);
  EXPECT_EQ(log.front().if_contains("channel"), nullptr);
  EXPECT_EQ(type_of(log[1]), "policy") << "the first policy of auto";
  EXPECT_EQ(text_of(log[1], "track"), "fr");
  const std::vector<std::string> all = outline(log);
  EXPECT_EQ(std::count(all.begin(), all.end(), "source_form"), 1);
  // The other track may change its policy as well, to hold its lag.
  const auto asked_for = [](const json::object& line) {
    return type_of(line) == "policy" && !line.at("by_lag").as_bool();
  };
  EXPECT_EQ(std::count_if(log.begin(), log.end(), asked_for), 1);
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all[all.size() - 2], "error");
  EXPECT_EQ(text_of(log.back(), "reason"), "error");
}

TEST_F(StreamLogs, HaveTheFirstPolicyOfALagController) {
  {
    DaemonProcess daemon = start({});
    TestClient client = start_stream(daemon.port());
    send(client, protocol::Configure{{}, {}, "auto:lag=2", {}});
    client.read_until("policy");
    send(client, protocol::Finish());
    client.read_to_end();
    daemon.signal(SIGTERM);
    daemon.wait();
  }
  std::vector<std::string> policies;
  for (const json::object& line : lines(files().front())) {
    if (type_of(line) == "policy") {
      policies.push_back(text_of(line, "policy"));
    }
  }
  ASSERT_EQ(policies.size(), 2U);
  EXPECT_EQ(policies[0], "auto:lag=2");
  EXPECT_THAT(policies[1], testing::StartsWith("gma:delta="));
}

TEST_F(StreamLogs, AreOffByDefault) {
  const fs::path here = fs::current_path();
  fs::create_directories(folder_);
  fs::current_path(folder_);
  {
    DaemonProcess daemon;
    TestClient client = start_stream(daemon.port());
    translate(client, 1, "Guten Tag.");
    EXPECT_EQ(metric(daemon.port(), "surtitle_stream_log_lines_total"), 0);
  }
  fs::current_path(here);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(StreamLogs, MustBeWritableAtTheStart) {
  std::ofstream(folder_) << "a file";
  const Ended ended = DaemonProcess::run(
      {"--port", "0", "--models", "scripted", "--stream-logs", folder_.string()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("surtitled: cannot write stream logs in '" + folder_.string() +
                                   "': Not a directory"));
}

// Limits the size of files of the processes that start meanwhile: their disk is full at that size.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;
  ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(StreamLogs, EndIfTheDiskIsFullAndTheStreamContinues) {
  std::optional<SmallFiles> small(2000);
  DaemonProcess daemon = start({"--log-level", "warning", "--journal-path", "none"});
  small.reset();
  TestClient client = start_stream(daemon.port());
  for (int i = 1; i <= 20; ++i) {
    EXPECT_EQ(translate(client, i, "Guten Morgen."), "GUTEN MORGEN.");
  }
  send(client, protocol::Finish{});
  EXPECT_EQ(how_it_ends(client), "- finished 1000");
  daemon.signal(SIGTERM);
  const Ended ended = daemon.wait();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("Stream log aborted; the stream continues"));
  EXPECT_EQ(ended.err.find("log aborted"), ended.err.rfind("log aborted")) << "said once";
  ASSERT_EQ(files().size(), 1U);
  EXPECT_LE(fs::file_size(files().front()), 2000U);
}

}  // namespace
}  // namespace surtitle
