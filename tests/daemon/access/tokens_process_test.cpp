// Access control of the daemon as a process: required roles, and secrets that are never output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <vector>

#include "daemon/access/link_keys.h"
#include "daemon/access/token_file.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

CalendarSeconds in_an_hour() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) +
         std::chrono::hours(1);
}

std::string bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

class DaemonTokens : public ::testing::Test {
 protected:
  std::string lines() const {
    return send_.line + "\n" + view_.line + "\n" + admin_.line + "\n" + hall_.line + "\n";
  }

  std::vector<std::string> flags() const {
    return {"--access-tokens", folder_.write("tokens", lines()), "--access-key",
            folder_.write("keys", key_)};
  }

  std::string link(Role role, const std::string& channel, CalendarSeconds expires) const {
    return LinkKeys::read(folder_.write("signing", key_)).sign({role, channel, expires});
  }

  TemporaryFolder folder_;
  const NewToken send_ = make_token({"sender", Roles::parse("send")});
  const NewToken view_ = make_token({"watcher", Roles::parse("view")});
  const NewToken admin_ = make_token({"boss", Roles::parse("admin")});
  const NewToken hall_ = make_token({"hall", Roles::parse("send,view"), "hall-*"});
  const std::string key_ = make_link_key();
};

TEST_F(DaemonTokens, EachPathRequiresItsRole) {
  const DaemonProcess daemon(flags());
  const auto status = [&](const std::string& line, const std::string& token) {
    return ask_http(daemon.port(), line + " HTTP/1.1", token.empty() ? "" : bearer(token)).status;
  };
  struct Row {
    std::string request;
    int anonymous, sender, watcher, boss;
  };
  for (const Row& row :
       std::vector<Row>{{"GET /healthz", 200, 200, 200, 200},
                        {"GET /readyz", 200, 200, 200, 200},
                        {"GET /c/main", 200, 200, 200, 200},
                        {"GET /viewer", 200, 200, 200, 200},
                        {"GET /metrics", 401, 403, 403, 200},
                        {"GET /v1/admin/anything", 401, 403, 403, 404},
                        {"GET /v1/admin/drain", 401, 403, 403, 405},
                        {"GET /v1/models", 401, 200, 200, 200},
                        {"GET /v1/policies", 401, 200, 200, 200},
                        {"GET /languages", 401, 200, 200, 200},
                        {"GET /v1/stream", 401, 426, 403, 426},
                        {"GET /v1/channels", 401, 200, 200, 200},
                        {"GET /v1/channels/main", 401, 426, 426, 426},
                        {"GET /v1/channels/main/transcript.txt", 401, 404, 404, 404},
                        {"HEAD /v1/channels/main/transcript.txt", 401, 404, 404, 404},
                        {"GET /v1/channels/a%2Fb", 401, 426, 426, 426},
                        {"POST /translate", 401, 400, 403, 400},
                        {"POST /reset", 401, 200, 403, 200},
                        {"PUT /input", 401, 400, 403, 400},
                        {"GET /output", 401, 409, 403, 409}}) {
    EXPECT_EQ(status(row.request, ""), row.anonymous) << row.request;
    EXPECT_EQ(status(row.request, send_.token), row.sender) << row.request;
    EXPECT_EQ(status(row.request, view_.token), row.watcher) << row.request;
    EXPECT_EQ(status(row.request, admin_.token), row.boss) << row.request;
    EXPECT_EQ(status(row.request, send_.token + "x"), row.anonymous) << row.request;
  }
}

TEST_F(DaemonTokens, RejectsAnUpgradeOverHttp) {
  const DaemonProcess daemon(flags());
  const auto answer = [&](const std::string& target, const std::string& headers = "") {
    return ask_http(daemon.port(), "GET " + target + " HTTP/1.1", kUpgrade + headers);
  };
  const HttpAnswer nobody = answer("/v1/stream");
  EXPECT_EQ(nobody.status, 401);
  EXPECT_THAT(nobody.headers, HasSubstr("WWW-Authenticate: Bearer"));
  EXPECT_THAT(nobody.body, StartsWith("This daemon requires a token"));
  EXPECT_EQ(answer("/v1/stream?token=" + view_.token).status, 403);
  EXPECT_EQ(answer("/v1/stream?token=" + view_.token).body,
            "The token 'watcher' lacks the required role send; it has view.\n");
  EXPECT_EQ(answer("/v1/channels/main?token=" + hall_.token).body,
            "The token 'hall' is not valid for the channel 'main'; it is valid for hall-*.\n");
  EXPECT_EQ(answer("/v1/channels/m%61in?token=" + hall_.token).status, 403);
  EXPECT_EQ(answer("/v1/channels/main?token=" + view_.token, bearer("st.wrong.x")).status, 401)
      << "the header takes precedence";
}

TEST_F(DaemonTokens, AreAcceptedInHeaderAndQuery) {
  const DaemonProcess daemon(flags());
  TestClient viewer(daemon.port(), "/v1/channels/hall-1?token=" + hall_.token);
  viewer.read_until("ready");
  TestClient sender(daemon.port(), "/v1/stream?token=" + hall_.token);
  sender.send(R"({"type": "start", "source": "de", "target": "en", "channel": "hall-1"})");
  sender.read_until("ready");
  EXPECT_EQ(translate(sender, 1, "Guten Tag."), "GUTEN TAG.");
  EXPECT_EQ(viewer.read_until("sentence").at("target").as_string(), "GUTEN TAG.");
  const std::string asked = R"({"q": "Tag.", "source": "de", "target": "en"})";
  const std::string length = "Content-Length: " + std::to_string(asked.size()) + "\r\n";
  const HttpAnswer answer =
      ask_http(daemon.port(), "POST /translate HTTP/1.1", bearer(send_.token) + length, asked);
  EXPECT_EQ(answer.body, "{\"translatedText\":\"TAG.\"}\n");
}

TEST_F(DaemonTokens, LimitTheListOfChannels) {
  const DaemonProcess daemon(flags());
  TestClient sender(daemon.port(), "/v1/stream?token=" + send_.token);
  sender.send(R"({"type": "start", "source": "de", "target": "en", "channel": "main"})");
  sender.read_until("ready");
  const auto list = [&](const std::string& token) {
    return ask_http(daemon.port(), "GET /v1/channels HTTP/1.1", bearer(token)).body;
  };
  EXPECT_THAT(list(view_.token), HasSubstr("\"main\""));
  EXPECT_THAT(list(link(Role::kView, "main", in_an_hour())), HasSubstr("\"main\""));
  EXPECT_EQ(list(hall_.token), "[]\n");
}

TEST_F(DaemonTokens, LimitASenderToItsChannels) {
  const DaemonProcess daemon(flags());
  for (const char* channel :
       {R"("channel": "main")", R"("channel": "hall")", R"("channel": null)"}) {
    TestClient sender(daemon.port(), "/v1/stream?token=" + hall_.token);
    sender.send(std::string(R"({"type": "start", "source": "de", "target": "en", )") + channel +
                "}");
    const auto error = sender.read_until("error");
    EXPECT_EQ(error.at("code").as_string(), "forbidden");
    EXPECT_THAT(std::string(error.at("message").as_string()), HasSubstr("hall-*"));
    EXPECT_EQ(sender.read_to_end().size(), 1U);  // bye
    EXPECT_EQ(sender.close_code(), 4403);
  }
  EXPECT_EQ(
      ask_http(daemon.port(), "POST /translate HTTP/1.1", bearer(hall_.token)).body,
      "{\"error\":\"The token 'hall' must be valid for all channels; it is valid for hall-*.\"}\n");
}

TEST_F(DaemonTokens, LinkOpensItsChannelUntilItExpires) {
  const DaemonProcess daemon(flags());
  TestClient viewer(daemon.port(),
                    "/v1/channels/main?token=" + link(Role::kView, "main", in_an_hour()));
  viewer.read_until("ready");
  const auto status = [&](const std::string& target, const std::string& token) {
    return ask_http(daemon.port(), "GET " + target + "?token=" + token + " HTTP/1.1").status;
  };
  EXPECT_EQ(status("/v1/channels/other", link(Role::kView, "main", in_an_hour())), 403);
  EXPECT_EQ(status("/v1/stream", link(Role::kView, "main", in_an_hour())), 403);
  EXPECT_EQ(status("/v1/stream", link(Role::kSend, "main", in_an_hour())), 426);
  EXPECT_EQ(status("/metrics", link(Role::kSend, "main", in_an_hour())), 403);
  EXPECT_EQ(
      status("/v1/channels/main", link(Role::kView, "main", in_an_hour() - std::chrono::hours(2))),
      401);
}

TEST_F(DaemonTokens, ReloadKeepsRunningStreams) {
  DaemonProcess daemon({"--access-tokens", folder_.write("tokens", lines()), "--access-metrics",
                        "true", "--log-level", "info"});
  TestClient sender(daemon.port(), "/v1/stream?token=" + send_.token);
  sender.send(R"({"type": "start", "source": "de", "target": "en"})");
  sender.read_until("ready");
  const auto becomes = [&](const std::string& token, int status) {  // waits for the reload
    while (ask_http(daemon.port(), "GET /v1/models HTTP/1.1", bearer(token)).status != status) {
    }
  };
  folder_.write("tokens", view_.line);
  daemon.signal(SIGHUP);
  becomes(send_.token, 401);
  EXPECT_EQ(translate(sender, 1, "Guten Tag."), "GUTEN TAG.") << "running streams continue";
  folder_.write("tokens", "broken\n");
  daemon.signal(SIGHUP);
  while (metric(daemon.port(), "surtitle_reloads_total{result=\"failed\"}") == 0) {
  }
  becomes(view_.token, 200);
  folder_.write("tokens", send_.line + "\n" + view_.line);
  daemon.signal(SIGHUP);
  becomes(send_.token, 200);
  daemon.signal(SIGTERM);
  EXPECT_THAT(daemon.wait().err,
              AllOf(HasSubstr("Reload failed; keeping the previous configuration"),
                    HasSubstr(folder_.path("tokens") + ":1: a line must be NAME ROLES")));
}

TEST_F(DaemonTokens, InvalidFileFailsTheStart) {
  const std::string file = folder_.write("tokens", "broken\n");
  const Ended ended = DaemonProcess::run({"--port", "0", "--models", "a", "--web",
                                          SURTITLE_SOURCE_DIR "/tests/daemon/support/web",
                                          "--log-level", "error", "--access-tokens", file});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err,
            "surtitled: " + file + ":1: a line must be NAME ROLES hmac-sha256:SALT:DIGEST\n");
}

TEST_F(DaemonTokens, AreNeverDisclosed) {
  std::vector<std::string> all = flags();
  const std::string logs = folder_.path("logs");
  all.insert(all.end(), {"--log-level", "debug", "--stream-logs", logs});
  DaemonProcess daemon(all);
  const std::string unknown = "st.sender.unknown-but-maybe-good-elsewhere";
  const std::string view_link = link(Role::kView, "main", in_an_hour());
  std::string resume_key;
  std::string output;
  {
    TestClient viewer(daemon.port(), "/v1/channels/main?token=" + view_link);
    TestClient sender(daemon.port(), "/v1/stream?token=" + send_.token);
    sender.send(R"({"type": "start", "source": "de", "target": "en", "channel": "main"})");
    resume_key = text_of(sender.read_until("ready").at("resume").as_object(), "key");
    translate(sender, 1, "Guten Tag.");
    sender.send("nonsense");
    sender.read_to_end();
    viewer.read_until("sentence");
  }
  for (const std::string& token : {send_.token, view_.token, unknown, view_link}) {
    for (const char* target : {"/", "/c/main", "/v1/stream", "/v1/channels/main", "/v1/models",
                               "/nothing", "/v1/nothing", "/metrics", "/translate"}) {
      const HttpAnswer answer =
          ask_http(daemon.port(), std::string("GET ") + target + "?token=" + token + " HTTP/1.1");
      output += answer.body;
      EXPECT_THAT(answer.headers, HasSubstr("Referrer-Policy: no-referrer")) << target;
      output += answer.headers;
    }
    output += ask_http(daemon.port(), "GET /metrics HTTP/1.1", bearer(token)).body;
  }
  output += ask_http(daemon.port(), "GET /metrics HTTP/1.1", bearer(admin_.token)).body;
  daemon.signal(SIGTERM);
  output += daemon.wait().err;
  for (const auto& file : std::filesystem::directory_iterator(logs)) {
    std::ifstream in(file.path());
    output.append(std::istreambuf_iterator<char>(in), {});
  }
  EXPECT_THAT(output, AllOf(HasSubstr("GUTEN TAG."), HasSubstr("stream=s-")));
  for (const std::string& token :
       {send_.token, view_.token, admin_.token, unknown, view_link, key_, resume_key}) {
    EXPECT_THAT(output, Not(HasSubstr(token.substr(token.rfind('.') + 1))));
  }
}

}  // namespace
}  // namespace surtitle
