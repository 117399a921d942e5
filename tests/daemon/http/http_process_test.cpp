// The daemon as a process: HTTP, and the program's command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/test_client.h"
#include "tests/daemon/support/wire.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(DaemonHttp, ServesThePageWithItsSecurityPolicy) {
  const DaemonProcess daemon;
  const HttpAnswer page = ask_http(daemon.port(), "GET /c/main?lines=2 HTTP/1.1");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.headers,
              AllOf(HasSubstr("Content-Type: text/html; charset=utf-8"),
                    HasSubstr("Content-Security-Policy: default-src 'none'; script-src 'self'"),
                    HasSubstr("X-Content-Type-Options: nosniff")));
  EXPECT_THAT(page.body, HasSubstr("A page for tests"));
  const HttpAnswer head = ask_http(daemon.port(), "HEAD /viewer.html HTTP/1.1");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_THAT(head.headers, HasSubstr("Content-Length: " + std::to_string(page.body.size())));
}

TEST(DaemonHttp, RedirectsToThePageOfAChannel) {
  const DaemonProcess daemon;
  const auto location = [&](const std::string& target) {
    const HttpAnswer answer = ask_http(daemon.port(), "GET " + target + " HTTP/1.1");
    EXPECT_EQ(answer.status, 302);
    const std::size_t begin = answer.headers.find("Location: ") + 10;
    return answer.headers.substr(begin, answer.headers.find("\r\n", begin) - begin);
  };
  EXPECT_EQ(location("/?channel=hall-2"), "c/hall-2?channel=hall-2");
  EXPECT_EQ(location("/?lines=2"), "c/main?lines=2");
  EXPECT_EQ(location("/?overlay=1&channel=a%20b&size=40"),
            "c/main?overlay=1&channel=a%20b&size=40");  // not the name of a channel
  EXPECT_THAT(ask_http(daemon.port(), "GET /?ui=en&token=x HTTP/1.1").headers,
              Not(HasSubstr("Location: ")))
      << "the list has these options as well";
}

TEST(DaemonHttp, ListsTheChannels) {
  const DaemonProcess daemon;
  const auto list = [&] { return ask_http(daemon.port(), "GET /v1/channels HTTP/1.1").body; };
  TestClient waiting(daemon.port(), "/v1/channels/other");
  waiting.read_until("ready");
  EXPECT_EQ(list(), "[]\n") << "a channel without a speaker is not listed";

  TestClient viewer(daemon.port(), "/v1/channels/hall-2");
  viewer.read_until("ready");
  TestClient sender(daemon.port(), "/v1/stream");
  sender.send(R"({"type": "start", "source": "de", "target": "en", "channel": "hall-2"})");
  sender.read_until("ready");
  const std::string begin = R"([{"name":"hall-2","live":)";
  const std::string tracks =
      R"("tracks":[{"name":"","source":"de","target":"en","model":"scripted","policy":)";
  EXPECT_THAT(
      list(),
      AllOf(StartsWith(begin + R"(true,"interrupted":false,"viewers":1,"sentences":0,)" + tracks)));

  translate(sender, 1, "Guten Tag.");
  sender.send(R"({"type": "finish", "seq": 2})");
  sender.read_to_end();
  EXPECT_THAT(list(),
              AllOf(StartsWith(begin + R"(false,"interrupted":false,"viewers":1,"sentences":1,)" +
                               tracks)));
}

TEST(DaemonHttp, PageOfAChannelRequiresAValidName) {
  const DaemonProcess daemon;
  const auto status = [&](const std::string& target) {
    return ask_http(daemon.port(), "GET " + target + " HTTP/1.1").status;
  };
  EXPECT_EQ(status("/c/Hall-2_b.en"), 200);
  EXPECT_EQ(status("/c/hall%2D2"), 200);
  for (const char* name : {"", "a%20b", "a/b", "..%2Fviewer", "%", "a%00", "style.css/x"}) {
    EXPECT_EQ(status(std::string("/c/") + name), 404) << name;
  }
  EXPECT_EQ(status("/viewer"), 200) << "a page is found without its suffix";
}

TEST(DaemonHttp, AnswersABrowserAtAnUnknownPathWithAPageAndAProgramWithASentence) {
  const DaemonProcess daemon;
  const auto get = [&](const std::string& path, const std::string& accept) {
    return ask_http(daemon.port(), "GET " + path + " HTTP/1.1", "Accept: " + accept + "\r\n");
  };
  const std::string browser = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
  for (const auto& [path, home] : {std::pair("/Console", "./"), std::pair("/c/a%20b", "./../"),
                                   std::pair("/a/b/c/d?ui=de", "./../../../")}) {
    const HttpAnswer page = get(path, browser);
    EXPECT_EQ(page.status, 404) << path;
    EXPECT_THAT(page.body, HasSubstr("src=\"" + std::string(home) + "missing.js\"")) << path;
    EXPECT_THAT(page.body, HasSubstr("href=\"" + std::string(home) + "\"")) << path;
    EXPECT_EQ(get(path, "*/*").status, 404) << path;
  }
  EXPECT_EQ(get("/Console", "*/*").body, "No file has this name.\n");
  EXPECT_THAT(get("/c/a%20b", "application/json").body, StartsWith("A channel name has"));
  EXPECT_THAT(get("/v1/admin/nothing", browser).body, StartsWith("{\"error\":"));
}

TEST(DaemonHttp, ServesNothingOutsideTheWebFolder) {
  const DaemonProcess daemon;
  for (const char* path : {"/../CMakeLists.txt", "/%2e%2e/CMakeLists.txt", "/..%2fCMakeLists.txt",
                           "//etc/passwd", "/../../../../../../etc/passwd", "/nothing.html"}) {
    EXPECT_EQ(ask_http(daemon.port(), std::string("GET ") + path + " HTTP/1.1").status, 404)
        << path;
  }
}

TEST(DaemonHttp, AnswersProbesAndListsModels) {
  const DaemonProcess daemon({"--models", "de-en-gma,de-en-multipath"});
  EXPECT_EQ(ask_http(daemon.port(), "GET /healthz HTTP/1.1").status, 200);
  EXPECT_EQ(ask_http(daemon.port(), "GET /readyz HTTP/1.1").status, 200);
  const auto models =
      boost::json::parse(ask_http(daemon.port(), "GET /v1/models HTTP/1.1").body).as_array();
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[1].at("name").as_string(), "de-en-multipath");
  EXPECT_EQ(models[1].at("source").as_string(), "de");
  EXPECT_EQ(models[1].at("target").as_string(), "en");
  EXPECT_EQ(models[1].at("policies").as_array().size(), 2U);
  EXPECT_EQ(models[1].at("default_policy").as_string(), "wait-k");
  EXPECT_EQ(models[1].at("licence").as_string(), "MIT");
  EXPECT_EQ(models[1].at("origin").as_string(), "https://example.org/de-en-multipath");
}

TEST(DaemonHttp, ListsPoliciesWithTheRangesOfTheirParameters) {
  const DaemonProcess daemon;
  const auto policies =
      boost::json::parse(ask_http(daemon.port(), "GET /v1/policies HTTP/1.1").body).as_array();
  ASSERT_EQ(policies.size(), 9U);
  const auto& wait_k = policies[1].as_object();
  EXPECT_EQ(wait_k.at("name").as_string(), "wait-k");
  EXPECT_EQ(wait_k.at("trained_as"), boost::json::parse(R"(["wait-k"])"));
  EXPECT_EQ(wait_k.at("parameters"), boost::json::parse(R"([
    {"name": "k", "type": "integer", "minimum": 1, "default": 3, "usual_maximum": 20, "step": 1},
    {"name": "catchup", "type": "number", "minimum": 0, "exclusiveMaximum": 1, "default": 0,
     "usual_maximum": 0.5, "step": 0.05}])"));
  const auto& automatic = policies[8].as_object();
  EXPECT_EQ(automatic.at("usage").as_string(), "auto:lag=3");
  EXPECT_EQ(automatic.at("trained_as"), boost::json::parse(R"(["gma", "wait-k", "alignatt"])"));
}

TEST(DaemonHttp, RejectsOtherMethodsAndPaths) {
  const DaemonProcess daemon;
  EXPECT_EQ(ask_http(daemon.port(), "POST / HTTP/1.1").status, 405);
  const HttpAnswer deleted = ask_http(daemon.port(), "DELETE /v1/admin/settings HTTP/1.1");
  EXPECT_EQ(deleted.status, 405);
  EXPECT_THAT(deleted.headers, HasSubstr("\r\nAllow: GET, HEAD, PATCH\r\n"));
  EXPECT_THAT(
      ask_http(daemon.port(), "GET /v1/admin/nothing HTTP/1.1").body,
      HasSubstr(
          "allowed: /v1/admin/addresses, /v1/admin/streams, /v1/admin/settings, /v1/admin/drain."));
  EXPECT_THAT(ask_http(daemon.port(), "GET /v1/stream HTTP/1.1").headers,
              HasSubstr("\r\nUpgrade: websocket\r\n"));
  EXPECT_EQ(ask_http(daemon.port(), "GET /v1/stream HTTP/1.1").status, 426);
  EXPECT_EQ(ask_http(daemon.port(), "NONSENSE").status, 400);
  EXPECT_THROW(TestClient(daemon.port(), "/v1/other"), std::runtime_error);
  EXPECT_THROW(TestClient(daemon.port(), "/v1/channels/a%2Fb"), std::runtime_error);
  EXPECT_THROW(TestClient(daemon.port(), "/v1/channels/"), std::runtime_error);
}

TEST(DaemonHttp, RejectsConnectionsFromOtherOrigins) {
  const DaemonProcess daemon(
      {"--timeouts-idle", "0.1", "--allowed-origins", "https://stage.example"});
  const auto status = [&](const std::string& origin) {
    return raw(daemon.port(), "GET /v1/channels/main HTTP/1.1\r\nHost: 127.0.0.1:8765\r\n" +
                                  kUpgrade + "Origin: " + origin + "\r\n\r\n")
        .substr(9, 3);
  };
  EXPECT_EQ(status("http://127.0.0.1:8765"), "101");
  EXPECT_EQ(status("https://stage.example"), "101");
  EXPECT_EQ(status("https://evil.example"), "403");
}

TEST(DaemonHttp, LetsPagesOfAllowedOriginsReadItsResponses) {
  const DaemonProcess daemon({"--allowed-origins", "https://stage.example", "null"});
  const auto headers = [&](const std::string& request, const std::string& origin) {
    return ask_http(daemon.port(), request + " HTTP/1.1\r\nOrigin: " + origin).headers;
  };
  for (const char* origin : {"https://stage.example", "null"}) {
    EXPECT_THAT(headers("GET /v1/models", origin),
                AllOf(HasSubstr(std::string("Access-Control-Allow-Origin: ") + origin + "\r\n"),
                      HasSubstr("Vary: Origin")));
  }
  const auto not_allowed = Not(HasSubstr("Access-Control-Allow-Origin"));
  EXPECT_THAT(headers("GET /v1/models", "https://evil.example"), not_allowed);
  EXPECT_THAT(headers("GET /metrics", "https://stage.example"), not_allowed);
  EXPECT_THAT(headers("GET /v1/admin/streams", "https://stage.example"), not_allowed);
}

TEST(DaemonHttp, AnswersABrowserThatAsksForAnAllowedOrigin) {
  const DaemonProcess daemon({"--allowed-origins", "https://stage.example"});
  const auto asked = [&](const std::string& target, const std::string& origin) {
    return ask_http(daemon.port(), "OPTIONS " + target + " HTTP/1.1\r\nOrigin: " + origin +
                                       "\r\nAccess-Control-Request-Method: POST\r\n"
                                       "Access-Control-Request-Headers: authorization");
  };
  const HttpAnswer allowed = asked("/translate", "https://stage.example");
  EXPECT_EQ(allowed.status, 204);
  EXPECT_THAT(allowed.headers,
              AllOf(HasSubstr("Access-Control-Allow-Origin: https://stage.example\r\n"),
                    HasSubstr("Access-Control-Allow-Methods: GET, HEAD, POST\r\n"),
                    HasSubstr("Access-Control-Allow-Headers: Authorization, Content-Type\r\n")));
  EXPECT_EQ(asked("/translate", "https://evil.example").status, 403);
  EXPECT_EQ(asked("/v1/admin/streams", "https://stage.example").status, 403);
}

TEST(DaemonHttp, RejectsChannelsThatPathsCannotHave) {
  const DaemonProcess daemon;
  EXPECT_EQ(ask_http(daemon.port(), "GET /c/%2E HTTP/1.1").status, 404);
  EXPECT_EQ(ask_http(daemon.port(), "GET /c/%2E%2E HTTP/1.1").status, 404);
  EXPECT_THROW(TestClient(daemon.port(), "/v1/channels/%2E%2E"), std::runtime_error);
  EXPECT_THROW(TestClient(daemon.port(), "/v1/channels/."), std::runtime_error);
}

TEST(DaemonHttp, ExportsMetrics) {
  const DaemonProcess daemon;
  const std::string before = ask_http(daemon.port(), "GET /metrics HTTP/1.1").body;
  for (const char* series :
       {"surtitle_streams 0", "surtitle_viewers 0", "surtitle_source_words_total 0",
        "surtitle_target_tokens_total 0", "surtitle_write_delay_seconds_count 0",
        "surtitle_step_seconds_count{model=\"scripted\"} 0",
        "surtitle_batch_size_count{model=\"scripted\"} 0",
        "surtitle_average_lagging_words_count{policy=\"gma\"} 0",
        "surtitle_average_lagging_seconds_count{policy=\"gma\"} 0",
        "surtitle_average_proportion_ratio_count{policy=\"wait-k\"} 0",
        "surtitle_differentiable_average_lagging_words_count{policy=\"gma\"} 0",
        "surtitle_consecutive_wait_words_count{policy=\"full-sentence\"} 0",
        "surtitle_yaal_words_count{policy=\"gma\"} 0",
        "surtitle_long_yaal_words_count{policy=\"gma\"} 0",
        "surtitle_long_yaal_seconds_count{policy=\"gma\"} 0",
        "surtitle_computation_aware_long_yaal_seconds_count{policy=\"gma\"} 0",
        "surtitle_errors_total{code=\"bad-json\"} 0", "surtitle_build_info{revision="}) {
    EXPECT_THAT(before, HasSubstr(series));
  }
  TestClient client = start_stream(daemon.port());
  translate(client, 1, "Guten Morgen.");
  const int port = daemon.port();
  EXPECT_EQ(metric(port, "surtitle_streams"), 1);
  EXPECT_EQ(metric(port, "surtitle_source_words_total"), 2);
  EXPECT_EQ(metric(port, "surtitle_target_tokens_total"), 4);
  EXPECT_EQ(metric(port, "surtitle_write_delay_seconds_count"), 4);
  // The end-of-sentence token counts, too.
  EXPECT_EQ(metric(port, "surtitle_batch_size_sum{model=\"scripted\"}"), 5);
  EXPECT_EQ(metric(port, "surtitle_average_lagging_words_sum{policy=\"gma\"}"), 1);
  EXPECT_EQ(metric(port, "surtitle_sentences_total{policy=\"gma\"}"), 1);
  EXPECT_GE(metric(port, "surtitle_computation_aware_long_yaal_seconds_sum{policy=\"gma\"}"),
            metric(port, "surtitle_long_yaal_seconds_sum{policy=\"gma\"}"));
}

TEST(DaemonHttp, CountsWordsWithoutATranslation) {
  const DaemonProcess daemon;
  EXPECT_EQ(metric(daemon.port(), "surtitle_untranslated_words_total"), 0);
  TestClient client = start_stream(daemon.port(), {}, "gma:delta=0");
  send(client, protocol::Source{1, "Guten xx-mute meine Damen.", {}});
  EXPECT_EQ(number_of(client.read_until("sentence"), "untranslated"), 3);
  EXPECT_EQ(translate(client, 2, "Und danke."), "UND DANKE.");
  EXPECT_EQ(metric(daemon.port(), "surtitle_untranslated_words_total"), 3);
}

TEST(DaemonProgram, PrintsOneLineWhenReady) {
  DaemonProcess daemon;
  EXPECT_EQ(daemon.ready_line(),
            "surtitled ready on http://127.0.0.1:" + std::to_string(daemon.port()) + "/");
  daemon.signal(SIGTERM);
  const Ended ended = daemon.wait();
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.exit_code, 0);
}

TEST(DaemonProgram, ContinuesWhenItsLogIsClosed) {
  DaemonProcess daemon({"--log-level", "info"});
  daemon.close_log();
  TestClient client = start_stream(daemon.port());  // writes to the log
  EXPECT_EQ(translate(client, 1, "Guten Tag."), "GUTEN TAG.");
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

// Expects this exit code, nothing on stdout and, for code 1, one line on stderr.
void expect_failure(const std::vector<std::string>& flags, int code, const std::string& message) {
  const Ended ended = DaemonProcess::run(flags);
  EXPECT_EQ(ended.exit_code, code);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr(message));
  if (code == 1) {
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_THAT(ended.err, StartsWith("surtitled: "));
  }
}

TEST(DaemonProgram, FailsToStartWithOneLine) {
  const std::string web = SURTITLE_SOURCE_DIR "/tests/daemon/support/web";
  expect_failure({"--port", "0", "--models", "missing", "--log-level", "error"}, 1,
                 "missing/model.yaml: the file cannot be read");
  expect_failure({"--port", "0", "--models", "a", "--web", "/nowhere", "--log-level", "error"}, 1,
                 "web folder /nowhere is not a folder");
  expect_failure({"--port", "0", "--models", "a", "--default-model", "b", "--log-level", "error"},
                 1, "default_model must be one of the served models, not 'b'");
  expect_failure({"--port", "0", "--models", "a,b,a", "--log-level", "error"}, 1,
                 "two models are named a: a and a");
  expect_failure({"--port", "70000"}, 1, "--port must be a whole number from 0 to 65535");
  expect_failure({"--address", "example"}, 1, "--address must be an IP address such as");
  expect_failure({"--address", "192.0.2.1", "--access-open", "true", "--models", "a", "--web", web,
                  "--log-level", "error"},
                 1, "cannot listen on 192.0.2.1 port 8765");
  expect_failure({"--limits-queued-words", "10"}, 1, "limits.queued_words");
  expect_failure({"--config", ""}, 1, "cannot be read");
  expect_failure({"--nonsense"}, 2, "--nonsense");
}

TEST(DaemonProgram, ReportsAPortInUseBeforeItLoadsModels) {
  const DaemonProcess other;
  const std::string port = std::to_string(other.port());
  const Ended ended = DaemonProcess::run({"--port", port, "--models", "a", "--log-level", "info"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "surtitled: cannot listen on 127.0.0.1 port " + port +
                           ": Address already in use; end the program that has this port, or "
                           "choose another with --port\n");
}

TEST(DaemonProgram, FlagsOverrideTheConfigurationFile) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "surtitled_program.yaml";
  std::ofstream(file) << "port: 70\nlimits:\n  streams: 7\nmodels: [a]\n";
  const Ended printed =
      DaemonProcess::run({"--config", file.string(), "--port", "71", "--print-config"});
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_THAT(printed.out, AllOf(HasSubstr("\nport: 71\n"), HasSubstr("\n  streams: 7\n"),
                                 HasSubstr("\nmodels: [a]\n")));
  std::ofstream(file) << "port: 70\nlimit:\n  streams: 7\n";
  expect_failure({"--config", file.string()}, 1, ":2: unknown field 'limit'; did you mean limits?");
  std::filesystem::remove(file);
}

TEST(DaemonProgram, WarnsOnceOfADefaultPolicyThatTheDeviceDoesNotSupport) {
  DaemonProcess daemon({"--models", "limited", "--log-level", "warning"});
  for (int i = 0; i < 2; ++i) {
    TestClient stream(daemon.port(), "/v1/stream");
    send(stream, start_message());
    EXPECT_EQ(text_of(stream.read_until("ready"), "policy"), "wait-k:k=3");
  }
  daemon.signal(SIGTERM);
  const std::string log = daemon.wait().err;
  EXPECT_THAT(log, HasSubstr("Default policy of the model is not supported on this device; another "
                             "one is used model=limited unsupported=\"alignatt:f=2\" "
                             "policy=wait-k\n"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

TEST(DaemonProgram, WarnsOfAPasswordInAFileThatAllUsersCanRead) {
  const TemporaryFolder folder;
  const auto logged = [&](const std::string& url, std::filesystem::perms mode) {
    const std::string file = folder.write("surtitled.yaml", "backplane:\n  url: " + url + "\n");
    std::filesystem::permissions(file, mode);
    DaemonProcess daemon({"--config", file, "--backplane-url", "none", "--log-level", "warning"});
    ask_http(daemon.port(), "GET /readyz HTTP/1.1");
    daemon.signal(SIGTERM);
    return daemon.wait().err;
  };
  const std::string with_password = "redis://:secret@127.0.0.1:1";
  EXPECT_EQ(logged(with_password, std::filesystem::perms{0640}), "");
  EXPECT_EQ(logged("redis://127.0.0.1:1", std::filesystem::perms{0644}), "");
  EXPECT_EQ(logged("none", std::filesystem::perms{0644}), "");
  const std::string log = logged(with_password, std::filesystem::perms{0644});
  EXPECT_THAT(log, HasSubstr("Password in backplane.url is readable by all users of this machine; "
                             "run chmod 640 file=" +
                             folder.path("surtitled.yaml") + "\n"));
  EXPECT_THAT(log, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace surtitle
