// The daemon as a process: links, addresses and codes to pass on, and what a terminal shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdio>
#include <optional>

#include "daemon/access/link_keys.h"
#include "daemon/access/token_file.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/test_client.h"
#include "tests/daemon/support/wire.h"
#include "tests/program_path.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A daemon with a key for links, and tokens of each role.
class Share : public ::testing::Test {
 protected:
  Share() {
    const auto make = [](const std::string& name, const char* roles, const char* channels,
                         std::optional<CalendarSeconds> expires = std::nullopt) {
      return make_token({name, Roles::parse(roles), channels, expires});
    };
    const NewToken sender = make("stage", "send", "hall-*");
    const NewToken viewer = make("guest", "view", "*");
    const NewToken admin = make("boss", "admin", "*");
    const NewToken brief = make("today", "send", "*", soon());
    sender_ = sender.token;
    viewer_ = viewer.token;
    admin_ = admin.token;
    brief_ = brief.token;
    folder_.write("tokens",
                  sender.line + "\n" + viewer.line + "\n" + admin.line + "\n" + brief.line + "\n");
    folder_.write("keys", make_link_key());
  }

  static CalendarSeconds soon() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) +
           std::chrono::hours(1);
  }

  std::vector<std::string> flags(bool key = true) const {
    std::vector<std::string> all{"--access-tokens", folder_.path("tokens")};
    if (key) {
      all.insert(all.end(), {"--access-key", folder_.path("keys")});
    }
    return all;
  }

  static HttpAnswer ask_link(const DaemonProcess& daemon, const std::string& token,
                             const std::string& body, const std::string& channel = "hall-1") {
    return ask_json(daemon.port(), "POST /v1/channels/" + channel + "/links HTTP/1.1", body,
                    "Authorization: Bearer " + token + "\r\n");
  }

  const TemporaryFolder folder_;
  std::string sender_;
  std::string viewer_;
  std::string admin_;
  std::string brief_;
};

constexpr const char* kView = R"({"role": "view", "seconds": 3600})";
constexpr const char* kSend = R"({"role": "send", "seconds": 3600})";

TEST_F(Share, ASenderInvitesViewersOfTheirChannels) {
  const DaemonProcess daemon(flags());
  const HttpAnswer answer = ask_link(daemon, sender_, kView);
  EXPECT_EQ(answer.status, 200) << answer.body;
  const auto link = boost::json::parse(answer.body);
  EXPECT_EQ(link.at("role"), "view");
  EXPECT_EQ(link.at("channel"), "hall-1");
  const std::string token(link.at("token").as_string());
  EXPECT_THAT(token, StartsWith("sl.view."));
  const auto transcript = [&](const std::string& channel) {
    return ask_http(daemon.port(),
                    "GET /v1/channels/" + channel + "/transcript.txt?token=" + token + " HTTP/1.1")
        .status;
  };
  EXPECT_EQ(transcript("hall-1"), 404) << "authorised, and there is no transcript yet";
  EXPECT_EQ(transcript("hall-2"), 403);
  EXPECT_EQ(ask_link(daemon, sender_, kView, "foyer").status, 403);
  EXPECT_EQ(ask_link(daemon, viewer_, kView).status, 403);
  EXPECT_EQ(ask_link(daemon, token, kView).status, 403) << "an invitation makes no invitations";
  EXPECT_EQ(ask_link(daemon, "wrong", kView).status, 401);
}

TEST_F(Share, OnlyAnAdministratorInvitesSenders) {
  const DaemonProcess daemon(flags());
  const HttpAnswer refused = ask_link(daemon, sender_, kSend);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.body, R"({"error":"Links with the role send require the role admin."})"
                          "\n");
  const HttpAnswer answer = ask_link(daemon, admin_, kSend);
  EXPECT_EQ(answer.status, 200);
  const std::string token(boost::json::parse(answer.body).at("token").as_string());
  EXPECT_EQ(ask_link(daemon, token, kView).status, 200) << "it may send, so it may invite viewers";
}

TEST_F(Share, ALinkEndsWithTheTokenOfItsMaker) {
  const DaemonProcess daemon(flags());
  const auto expires = [&](const std::string& token) {
    const std::string text(
        boost::json::parse(ask_link(daemon, token, R"({"role": "view", "seconds": 86400})").body)
            .at("expires")
            .as_string());
    return *parse_time(text);
  };
  EXPECT_LE(expires(brief_), soon());
  EXPECT_GT(expires(sender_), soon());
}

TEST_F(Share, NamesWhatIsWrongWithARequest) {
  const DaemonProcess daemon(flags());
  for (const char* body :
       {"{}", R"({"role": "view"})", R"({"role": "admin", "seconds": 60})",
        R"({"role": "view", "seconds": 0})", R"({"role": "view", "seconds": 2592001})",
        R"({"role": "view", "seconds": "60"})", R"({"role": 1, "seconds": 60})"}) {
    const HttpAnswer answer = ask_link(daemon, sender_, body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_THAT(answer.body, HasSubstr("seconds, from 1 to 2592000")) << body;
  }
  EXPECT_EQ(ask_link(daemon, admin_, kView, "a%20b").status, 404);
  const DaemonProcess keyless(flags(/*key=*/false));
  const HttpAnswer no_key = ask_link(keyless, sender_, kView);
  EXPECT_EQ(no_key.status, 409);
  EXPECT_THAT(no_key.body, HasSubstr("set access.key"));
  const DaemonProcess open;
  EXPECT_EQ(ask_link(open, "", kView).status, 409);
}

// Returns the answer to the request for the code of a link, with its percent-encoding.
HttpAnswer ask_code(const DaemonProcess& daemon, const std::string& link,
                    const std::string& token = "") {
  return ask_http(daemon.port(), "GET /v1/qr.svg?link=" + link + " HTTP/1.1",
                  token.empty() ? "" : "Authorization: Bearer " + token + "\r\n");
}

TEST_F(Share, EncodesThePagesOfItsChannels) {
  const DaemonProcess daemon;
  const std::string host = "http://127.0.0.1:" + std::to_string(daemon.port());
  const HttpAnswer answer = ask_code(daemon, host + "/c/hall-1%3Ftoken%3Dsl.view.1.hall-1.x_y-z");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.headers, AllOf(HasSubstr("Content-Type: image/svg+xml"),
                                    HasSubstr("Cache-Control: no-store")));
  EXPECT_THAT(answer.body, StartsWith("<svg "));
  EXPECT_EQ(ask_code(daemon, "https://127.0.0.1/folder/c/main%3Flang%3Dde%26lines%3D2").status, 200)
      << "as a proxy serves it";
}

TEST_F(Share, EncodesNoOtherText) {
  const DaemonProcess daemon;
  const std::string host = "http://127.0.0.1:" + std::to_string(daemon.port());
  for (const std::string& link :
       {std::string(), std::string("hello"), std::string("http://evil.example/c/main"),
        std::string("http://192.0.2.1/c/main"), "http://me@127.0.0.1/c/main" + std::string(),
        host + "/", host + "/console", host + "/c/", host + "/c/a%20b",
        host + "/c/main%3Ftext%3Dbuy%2520this", host + "/c/main%23buy-this",
        host + "/buy%20this/c/main", std::string("javascript:alert(1)//c/main")}) {
    const HttpAnswer answer = ask_code(daemon, link);
    EXPECT_EQ(answer.status, 400) << link;
    EXPECT_THAT(answer.body, StartsWith("link must be the URL of a channel's page")) << link;
  }
  const HttpAnswer answer = ask_code(daemon, host + "/c/main%3Ftoken%3D" + std::string(500, 'a'));
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, StartsWith("link must have at most 500 characters"));
}

TEST_F(Share, CodesRequireATokenIfTheDaemonDoes) {
  const DaemonProcess daemon(flags());
  EXPECT_EQ(ask_code(daemon, "http://127.0.0.1/c/main").status, 401);
  EXPECT_EQ(ask_code(daemon, "http://127.0.0.1/c/main", viewer_).status, 200);
}

TEST_F(Share, OnlyAdministratorsReceiveTheAddressesOfTheMachine) {
  const DaemonProcess open;
  const auto ask = [](const DaemonProcess& daemon, const std::string& headers) {
    return ask_http(daemon.port(), "GET /v1/admin/addresses HTTP/1.1", headers);
  };
  EXPECT_EQ(ask(open, "").body, R"({"addresses":[]})"
                                "\n")
      << "other machines cannot reach the loopback";
  EXPECT_EQ(ask(open, "X-Forwarded-For: 192.0.2.9\r\n").status, 403);
  const DaemonProcess closed(flags());
  EXPECT_EQ(ask(closed, "Authorization: Bearer " + sender_ + "\r\n").status, 403);
  EXPECT_EQ(ask(closed, "Authorization: Bearer " + admin_ + "\r\n").status, 200);
}

// Returns what a command of the shell writes to its output.
std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* const pipe = popen(command.c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    text += static_cast<char>(c);
  }
  pclose(pipe);
  return text;
}

TEST_F(Share, AnnouncesItselfOnATerminalOnly) {
  const std::string script = folder_.write(
      "until_ready", "exec 3< <(exec " + program_path("surtitled_scripted") +
                         " --port 0 --journal-path none --log-level error)\n"
                         "read -r line <&3\nkill -TERM $!\nwait $!\necho \"$line\"\n");
  const std::string ready = "surtitled ready on http://127.0.0.1:";
  EXPECT_THAT(output_of("bash " + script + " 2>&1"), StartsWith(ready));
  EXPECT_THAT(output_of("script -qec 'bash " + script + "' /dev/null </dev/null"),
              AllOf(StartsWith("Only this machine can open the pages;"), HasSubstr(ready)));
}

}  // namespace
}  // namespace surtitle
