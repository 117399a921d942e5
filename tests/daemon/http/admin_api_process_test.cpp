// /v1/admin/ of the daemon as a process, and `surtitled --check`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/state_folder.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

namespace json = boost::json;
using ::testing::AllOf;

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

const char* const kSettings = "/v1/admin/settings HTTP/1.1";

HttpAnswer patch(int port, const std::string& body, const std::string& headers = "") {
  return ask_json(port, std::string("PATCH ") + kSettings, body, headers);
}

json::object object_of(const HttpAnswer& answer) { return json::parse(answer.body).as_object(); }

TEST(AdminApi, ListsRunningStreams) {
  const DaemonProcess daemon;
  TestClient first = start_stream(daemon.port(), "main");
  TestClient second = start_stream(daemon.port());
  translate(first, 1, "Guten Tag, meine Damen.");
  const json::object all = object_of(ask_http(daemon.port(), "GET /v1/admin/streams HTTP/1.1"));
  EXPECT_EQ(number_of(all, "total"), 2);
  const json::array& streams = all.at("streams").as_array();
  ASSERT_THAT(streams, SizeIs(2));
  const json::object& latest = streams.front().as_object();  // the other has no delay yet
  EXPECT_EQ(text_of(latest, "channel"), "main");
  EXPECT_EQ(text_of(latest, "model"), "scripted");
  EXPECT_EQ(text_of(latest, "policy"), "gma:delta=1");
  EXPECT_EQ(number_of(latest, "words_in"), 4);
  EXPECT_EQ(number_of(latest, "words_out"), 4);
  EXPECT_GT(latest.at("delay_p99_ms").to_number<double>(), 0);
  EXPECT_GT(latest.at("age_seconds").to_number<double>(), 0);
  EXPECT_TRUE(latest.at("attached").as_bool());
  const json::object one =
      object_of(ask_http(daemon.port(), "GET /v1/admin/streams?limit=1 HTTP/1.1"));
  EXPECT_EQ(number_of(one, "total"), 2);
  EXPECT_THAT(one.at("streams").as_array(), SizeIs(1));
  EXPECT_EQ(ask_http(daemon.port(), "GET /v1/admin/streams?limit=x HTTP/1.1").status, 400);
  EXPECT_EQ(ask_http(daemon.port(), "GET /v1/admin/nothing HTTP/1.1").status, 404);
}

TEST(AdminApi, ChangesSettingsWhileTheDaemonRuns) {
  DaemonProcess daemon({"--models", "a,b-multipath", "--log-level", "warning"});
  const json::object before = object_of(ask_http(daemon.port(), std::string("GET ") + kSettings));
  EXPECT_EQ(text_of(before.at("log").as_object(), "level"), "warning");
  EXPECT_EQ(text_of(before.at("models").at("a").as_object(), "default_policy"), "gma");
  const HttpAnswer changed =
      patch(daemon.port(),
            R"({"log": {"level": "info"}, "admission": {"max_delay_p95": 350, "max_load": 0.5},
          "models": {"a": {"default_policy": "gma:delta=2"}}})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  const json::object after = object_of(ask_http(daemon.port(), std::string("GET ") + kSettings));
  EXPECT_EQ(after, object_of(changed));
  EXPECT_EQ(after.at("admission").at("max_delay_p95").to_number<double>(), 350);
  TestClient client(daemon.port(), "/v1/stream");
  send(client, start_message());
  EXPECT_EQ(text_of(client.read_until("ready"), "policy"), "gma:delta=2");
  send(client, protocol::Finish());
  client.read_to_end();
  daemon.signal(SIGTERM);
  EXPECT_THAT(
      daemon.wait().err,
      AllOf(HasSubstr("warning Setting changed actor="), HasSubstr("setting=\"log.level = info\""),
            HasSubstr("setting=\"models.a.default_policy = gma:delta=2\""),
            HasSubstr(" info Stream ended stream=")));
}

TEST(AdminApi, LogsChangesEvenIfTheyTurnTheLogOff) {
  DaemonProcess daemon({"--models", "a", "--log-level", "warning"});
  EXPECT_EQ(patch(daemon.port(), R"({"log": {"level": "off"}})").status, 200);
  EXPECT_EQ(patch(daemon.port(), R"({"admission": {"max_load": 100}})").status, 200);
  daemon.signal(SIGTERM);
  EXPECT_THAT(daemon.wait().err, AllOf(HasSubstr(" warning Setting changed actor="),
                                       HasSubstr("setting=\"log.level = off\""),
                                       HasSubstr("setting=\"admission.max_load = 100\"")));
}

TEST(DaemonFlags, OldNameFailsWithTheNewOne) {
  const auto idle = DaemonProcess::run({"--limits-idle", "9"});
  EXPECT_NE(idle.exit_code, 0);
  EXPECT_THAT(idle.err, HasSubstr("--limits-idle is now --timeouts-idle"));
  EXPECT_THAT(DaemonProcess::run({"--drain", "finish"}).err,
              HasSubstr("--drain is now --drain-mode"));
}

TEST(AdminApi, AppliesAChangeInFullOrNotAtAll) {
  const DaemonProcess daemon;
  const std::string before = ask_http(daemon.port(), std::string("GET ") + kSettings).body;
  const auto wrong = [&](const std::string& body) {
    const HttpAnswer answer = patch(daemon.port(), body);
    EXPECT_EQ(answer.status, 400) << body;
    return text_of(object_of(answer), "error");
  };
  EXPECT_THAT(wrong("nonsense"), HasSubstr("the body must be a JSON object such as"));
  EXPECT_EQ(wrong(R"({"log": {"level": "debug"}, "admission": {"max_delay_p95": -1}})"),
            "admission.max_delay_p95 must be a number from 0 to 1e+06");
  EXPECT_EQ(wrong(R"({"admission": {"delay": 350}})"),
            "admission.delay is now admission.max_delay_p95");
  EXPECT_EQ(wrong(R"({"log": {"level": "loud"}})"),
            "log.level must be one of debug, info, warning, error, off");
  EXPECT_THAT(wrong(R"({"port": {"number": 1}})"),
              HasSubstr("unknown setting 'port.number'; allowed: models.NAME."));
  EXPECT_THAT(wrong(R"({"port": {}})"), HasSubstr("unknown setting 'port'; allowed"));
  EXPECT_THAT(wrong(R"({"log": {"colour": 1}})"),
              HasSubstr("unknown setting 'log.colour'; allowed"));
  EXPECT_EQ(wrong(R"({"log": 1})"), "the field log must be an object");
  EXPECT_EQ(wrong(R"({"log.level": "debug"})"), "the field log.level must be an object");
  EXPECT_EQ(wrong(R"({"models": {"other": {}}})"), "model 'other' is unknown");
  EXPECT_THAT(wrong(R"({"models": {"scripted": {"default_policy": "nonsense"}}})"),
              HasSubstr("nonsense"));
  EXPECT_EQ(patch(daemon.port(), R"({"log": {}, "models": {}})").status, 200);
  EXPECT_EQ(ask_http(daemon.port(), std::string("GET ") + kSettings).body, before);
  EXPECT_EQ(ask_http(daemon.port(), "POST /v1/admin/settings HTTP/1.1").status, 405);
}

TEST(AdminApi, RejectsOtherOriginsAndRequestsThroughAProxy) {
  const DaemonProcess daemon(
      {"--allowed-origins", "http://elsewhere.example"});  // for streams only
  const std::string foreign = std::string("Origin: http://elsewhere.example\r\n");
  EXPECT_EQ(patch(daemon.port(), R"({"log": {"level": "off"}})", foreign).status, 403);
  EXPECT_EQ(ask_http(daemon.port(), "POST /v1/admin/drain HTTP/1.1", foreign).status, 403);
  for (const char* field :
       {"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Host: a.example", "X-Forwarded-Proto: https",
        "X-Real-IP: 192.0.2.1", "Forwarded: for=192.0.2.1", "Via: 1.1 a.example"}) {
    const HttpAnswer behind =
        ask_http(daemon.port(), "GET /v1/admin/streams HTTP/1.1", std::string(field) + "\r\n");
    EXPECT_EQ(behind.status, 403) << field;
    EXPECT_THAT(behind.body, HasSubstr("only the daemon's own machine"));
  }
}

TEST(AdminApi, RejectsHostNamesExceptLocalhost) {
  const DaemonProcess daemon({"--allowed-hosts", "*"});
  const auto answer = [&](const std::string& host) {
    return raw(daemon.port(),
               "GET /v1/admin/streams HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  };
  EXPECT_THAT(answer("rebound.example"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(answer("localhost:8765"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer("127.0.0.1"), StartsWith("HTTP/1.1 200"));
}

// A service manager stops a daemon that is draining already.
TEST(AdminApi, SignalAfterADrainDoesNotAbortTheDrain) {
  DaemonProcess daemon;
  TestClient client = start_stream(daemon.port());
  EXPECT_EQ(ask_http(daemon.port(), "POST /v1/admin/drain HTTP/1.1").status, 202);
  EXPECT_EQ(text_of(client.read_until("bye"), "reason"), "draining");
  daemon.signal(SIGTERM);  // the client has not answered the close yet
  EXPECT_EQ(client.read(), std::nullopt);
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

TEST(AdminApi, DrainsLikeSigterm) {
  DaemonProcess daemon;
  TestClient client = start_stream(daemon.port());
  send(client, protocol::Source{1, "Guten Tag", {}});
  client.read_until("ack");
  EXPECT_EQ(ask_http(daemon.port(), "GET /v1/admin/drain HTTP/1.1").status, 405);
  const HttpAnswer answer = ask_http(daemon.port(), "POST /v1/admin/drain HTTP/1.1");
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(text_of(client.read_until("sentence"), "target"), "GUTEN TAG");
  EXPECT_EQ(text_of(client.read_until("bye"), "reason"), "draining");
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

// --- surtitled --check ---

const std::string kWeb = SURTITLE_SOURCE_DIR "/tests/daemon/support/web";

Ended check(std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"--check", "--port", "0", "--web", kWeb});
  return DaemonProcess::run(flags);
}

TEST(Check, ReportsEachValidSetting) {
  const Ended ended = check({"--models", "a,b", "--journal-path", "none"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, AllOf(HasSubstr("ok    address: 127.0.0.1 port 0 is free\n"),
                               HasSubstr("ok    models: a can be loaded\n"),
                               HasSubstr("ok    models: b can be loaded\n"),
                               HasSubstr("ok    web: " + kWeb + " contains the pages\n"),
                               HasSubstr("ok    journal.path: none;"), Not(HasSubstr("error"))));
}

TEST(Check, AcceptsAPathInTheWorkingFolder) {
  const Ended ended = check({"--models", "a", "--journal-path", "journal.sqlite"});
  EXPECT_EQ(ended.exit_code, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("ok    journal.path: "));
}

TEST(Check, ReportsTheErrorsThatTheJournalHasAtAStart) {
  const StateFolder state;
  const auto check_journal = [](const std::string& file) {
    const Ended ended = check({"--models", "a", "--journal-path", file});
    EXPECT_EQ(ended.exit_code, 1) << ended.out;
    return ended.out;
  };
  EXPECT_THAT(check_journal(state.path(".")), HasSubstr("error journal.path: "));
  std::ofstream(state.journal()) << "this is no journal, but a text that is long enough for one";
  EXPECT_THAT(check_journal(state.journal()), HasSubstr("file is not a database"));
}

TEST(Check, ReportsAnUnknownDefaultModel) {
  const Ended ended =
      check({"--models", "a", "--journal-path", "none", "--default-model", "another"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("error default_model: must be one of the served models, not "
                                   "'another'"));
}

TEST(Check, ReportsAllErrors) {
  const Ended ended =
      check({"--models", "a,missing", "--journal-path", "/dev/null/journal", "--access-tokens",
             "/nowhere/tokens", "--tls-certificate", "/nowhere/certificate", "--tls-key",
             "/nowhere/key", "--address", "192.0.2.1", "--stream-logs", "/dev/null/logs"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("error address: cannot listen on 192.0.2.1 port 0: "),
                    HasSubstr("error access.tokens: /nowhere/tokens"),
                    HasSubstr("/nowhere/certificate must be a certificate"),
                    HasSubstr("ok    models: a can be loaded\n"),
                    HasSubstr("error models: missing/model.yaml: the file cannot be read\n"),
                    HasSubstr("error journal.path: /dev/null is not a folder\n"),
                    HasSubstr("error stream_logs: /dev/null is not a folder\n")));
}

TEST(Check, ReportsAnInvalidConfiguration) {
  const Ended ended = check({"--models", "a", "--limits-queued-words", "10"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("limits.queued_words (10) must be more than"));
}

// The check is for the next start of a daemon that may be running.
TEST(Check, PortInUseIsNoError) {
  const DaemonProcess daemon;
  const Ended ended =
      DaemonProcess::run({"--check", "--models", "a", "--web", kWeb, "--journal-path", "none",
                          "--port", std::to_string(daemon.port())});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, HasSubstr("note  address: "));
}

}  // namespace
}  // namespace surtitle
