// The metrics and the log of the daemon as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/openmetrics.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

const char* const kOpenMetrics =
    "Accept: application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3\r\n";

std::map<std::string, OpenMetricsFamily> measured(int port) {
  const HttpAnswer answer = ask_http(port, "GET /metrics HTTP/1.1", kOpenMetrics);
  EXPECT_THAT(answer.headers,
              AllOf(HasSubstr("Content-Type: application/openmetrics-text; version=1.0.0"),
                    HasSubstr("Vary: Accept")));
  return read_openmetrics(answer.body);
}

std::map<std::string, int> sizes(const std::map<std::string, OpenMetricsFamily>& families) {
  std::map<std::string, int> sizes;
  for (const auto& [name, family] : families) {
    sizes[name] = static_cast<int>(family.samples.size());
  }
  return sizes;
}

TEST(Metrics, AreOpenMetricsOnRequest) {
  const DaemonProcess daemon({"--models", "a,b-multipath"});
  const auto families = measured(daemon.port());
  for (const auto& [name, family] : families) {
    EXPECT_TRUE(name.starts_with("surtitle_") || name.starts_with("process_")) << name;
    EXPECT_FALSE(family.samples.empty()) << name << " has no sample at the start";
  }
  EXPECT_EQ(families.at("surtitle_build").type, "info");
  EXPECT_EQ(families.at("surtitle_write_delay_seconds").unit, "seconds");
  EXPECT_EQ(families.at("surtitle_source_words").type, "counter");
  EXPECT_GT(families.at("process_resident_memory_bytes").samples.front().value, 1e6);
  EXPECT_GT(families.at("process_open_fds").samples.front().value, 5);
  EXPECT_GT(families.at("process_start_time_seconds").samples.front().value, 1.5e9);
}

// Neither streams nor requests add a series, whatever they ask for.
TEST(Metrics, HaveAllTheirSeriesFromTheStart) {
  const DaemonProcess daemon({"--models", "a,b-multipath"});
  const auto before = sizes(measured(daemon.port()));
  TestClient client = start_stream(daemon.port(), "main");
  TestClient viewer(daemon.port(), "/v1/channels/main");
  translate(client, 1, "Guten Tag.");
  client.send("nonsense");
  client.read_to_end();
  ask_http(daemon.port(), "GET /nothing HTTP/1.1");
  ask_http(daemon.port(), "GET /v1/models HTTP/1.1", "Host: elsewhere\r\n");
  EXPECT_EQ(sizes(measured(daemon.port())), before);
  EXPECT_EQ(metric(daemon.port(), "surtitle_streams_finished_total{reason=\"error\"}"), 1);
}

TEST(Metrics, AreTextByDefault) {
  const DaemonProcess daemon;
  const HttpAnswer answer = ask_http(daemon.port(), "GET /metrics HTTP/1.1");
  EXPECT_THAT(answer.headers, HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8"));
  EXPECT_THAT(answer.body, HasSubstr("\n# TYPE surtitle_source_words_total counter\n"));
  EXPECT_THAT(answer.body, Not(HasSubstr("# EOF")));
}

// The check of Prometheus itself; deploy/install.sh --tests installs it.
TEST(Metrics, PassPromtool) {
  const DaemonProcess daemon({"--models", "a,b-multipath"});
  TestClient client = start_stream(daemon.port(), "main");
  translate(client, 1, "Guten Tag.");
  std::FILE* promtool = popen("promtool check metrics 2>&1", "w");
  ASSERT_NE(promtool, nullptr);
  const std::string text = ask_http(daemon.port(), "GET /metrics HTTP/1.1").body;
  std::fwrite(text.data(), 1, text.size(), promtool);
  EXPECT_EQ(pclose(promtool), 0);
}

std::vector<json::object> json_lines(const std::string& text) {
  std::vector<json::object> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(json::parse(line).as_object());
  }
  return lines;
}

// One line each for a stream that finishes, one that fails, and one of a request over HTTP.
TEST(Log, HasOneLineForEachStreamThatEnds) {
  DaemonProcess daemon({"--log-level", "debug", "--log-format", "json"});
  std::vector<std::string> names;
  std::string key;
  {
    TestClient client(daemon.port(), "/v1/stream");
    send(client, start_message("main"));
    const json::object ready = client.read_until("ready");
    names.push_back(text_of(ready, "stream"));
    key = text_of(ready.at("resume").as_object(), "key");
    translate(client, 1, "Guten Morgen, meine Damen.");
    send(client, protocol::Finish());
    client.read_to_end();
  }
  {
    TestClient client(daemon.port(), "/v1/stream");
    send(client, start_message());
    names.push_back(text_of(client.read_until("ready"), "stream"));
    client.send("geheim");
    client.read_to_end();
  }
  ask_json(daemon.port(), "POST /translate HTTP/1.1",
           R"({"q": "Guten Tag.", "source": "de", "target": "en"})");
  daemon.signal(SIGTERM);
  const std::string log = daemon.wait().err;
  EXPECT_THAT(log, Not(HasSubstr(key)));
  EXPECT_THAT(log, Not(HasSubstr("Damen")));
  std::vector<json::object> ends;
  for (const json::object& line : json_lines(log)) {
    EXPECT_THAT(text_of(line, "time"),
                ::testing::ContainsRegex("^20..-..-..T..:..:..[.][0-9]{3}[+-]..:..$"));
    EXPECT_NE(text_of(line, "level"), "");
    if (text_of(line, "message") == "Stream ended") {
      ends.push_back(line);
    }
  }
  ASSERT_THAT(ends, SizeIs(3)) << log;
  const json::object& first = ends[0];
  EXPECT_EQ(text_of(first, "stream"), names[0]);
  EXPECT_EQ(text_of(first, "channel"), "main");
  EXPECT_EQ(text_of(first, "reason"), "finished");
  EXPECT_EQ(text_of(first, "model"), "scripted");
  EXPECT_EQ(text_of(first, "policy"), "gma:delta=1");
  EXPECT_EQ(number_of(first, "words_in"), 4);
  EXPECT_EQ(number_of(first, "words_out"), 4);
  EXPECT_EQ(number_of(first, "sentences"), 1);
  for (const char* field : {"seconds", "al_words", "delay_p50_ms", "delay_p99_ms"}) {
    EXPECT_GT(first.at(field).to_number<double>(), 0) << field;
  }
  EXPECT_GT(number_of(first, "bytes_in"), 20);
  EXPECT_GT(number_of(first, "bytes_out"), 200);
  EXPECT_EQ(text_of(ends[1], "stream"), names[1]);
  EXPECT_EQ(text_of(ends[1], "code"), "bad-json");
}

TEST(Log, AsTextHasTheSameFields) {
  DaemonProcess daemon({"--log-level", "info"});
  TestClient client = start_stream(daemon.port(), "main");
  send(client, protocol::Finish());
  client.read_to_end();
  daemon.signal(SIGTERM);
  EXPECT_THAT(daemon.wait().err,
              ::testing::ContainsRegex(" info Stream ended stream=s-[0-9a-f]+ channel=main "
                                       "reason=finished seconds=[0-9.]+ model=scripted "));
}

TEST(Log, ReportsTheStepOfASlowModel) {
  DaemonProcess daemon({"--log-level", "warning", "--watchdog", "100"});
  const std::string stalls = "surtitle_stalls_total{thread=\"scripted\"}";
  EXPECT_EQ(metric(daemon.port(), stalls), 0);
  TestClient client = start_stream(daemon.port());
  EXPECT_EQ(translate(client, 1, "xx-stall."), "XX-STALL.");
  client.close();
  while (metric(daemon.port(), "surtitle_stalled{thread=\"scripted\"}") == 1) {
  }
  EXPECT_EQ(metric(daemon.port(), stalls), 1);
  daemon.signal(SIGTERM);
  const std::string log = daemon.wait().err;
  EXPECT_THAT(log, HasSubstr("warning Thread scripted stalled for 0."));
  EXPECT_THAT(log, HasSubstr("(last step: translator step, source tokens ("));
  EXPECT_THAT(log, HasSubstr(" thread=scripted seconds=0."));
  EXPECT_THAT(log, HasSubstr("warning Thread scripted recovered after a stall of 1."));
}

}  // namespace
}  // namespace surtitle
