// The daemon as a process: its host names, the headers of its pages, and paths out of its folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

// Returns the status of a request with these headers and no others.
std::string status_of(const DaemonProcess& daemon, const std::string& line,
                      const std::string& headers) {
  const std::string answer =
      raw(daemon.port(), line + "\r\n" + headers + "Connection: close\r\n\r\n");
  return answer.size() > 12 ? answer.substr(9, 3) : answer;
}

TEST(DaemonHosts, RejectsForeignNames) {
  const DaemonProcess daemon({"--allowed-hosts", "subtitles.example.org"});
  const auto status = [&](const std::string& target, const std::string& host) {
    return status_of(daemon, "GET " + target + " HTTP/1.1", "Host: " + host + "\r\n");
  };
  for (const char* target : {"/c/main", "/v1/models", "/v1/channels/main", "/metrics"}) {
    EXPECT_EQ(status(target, "evil.example:8765"), "421") << target;
    EXPECT_NE(status(target, "subtitles.example.org"), "421") << target;
    EXPECT_NE(status(target, "localhost:1"), "421") << target;
    EXPECT_NE(status(target, "127.0.0.1"), "421") << target;
  }
  for (const char* probe : {"/livez", "/healthz", "/readyz"}) {
    EXPECT_EQ(status(probe, "evil.example"), "200") << "probes are exempt";
  }
  EXPECT_EQ(status_of(daemon, "POST /translate HTTP/1.1", "Host: evil.example\r\n"), "421");
  EXPECT_EQ(status_of(daemon, "GET /v1/models HTTP/1.1", ""), "400");
  EXPECT_EQ(
      status_of(daemon, "GET /v1/models HTTP/1.1", "Host: localhost\r\nHost: evil.example\r\n"),
      "400");
  EXPECT_EQ(status_of(daemon, "GET /v1/models HTTP/1.0", ""), "200");
  const std::string upgrade =
      raw(daemon.port(), "GET /v1/stream HTTP/1.1\r\nHost: evil.example\r\n" + kUpgrade +
                             "Origin: http://evil.example\r\n\r\n");
  EXPECT_THAT(upgrade,
              AllOf(StartsWith("HTTP/1.1 421"), HasSubstr("Host 'evil.example' is not allowed")));
  EXPECT_GE(metric(daemon.port(), "surtitle_refusals_total{status=\"421\"}"), 6);
}

TEST(DaemonHeaders, RestrictPagesToTheirOwnResources) {
  const DaemonProcess daemon;
  const std::string page = ask_http(daemon.port(), "GET /c/main HTTP/1.1").headers;
  EXPECT_THAT(page, HasSubstr("\r\nContent-Security-Policy: default-src 'none'; script-src 'self'; "
                              "style-src 'self'; img-src 'self' data:; font-src 'self'; "
                              "connect-src 'self'; media-src 'self'; worker-src 'self'; base-uri "
                              "'none'; form-action 'none'; frame-ancestors 'self'\r\n"));
  EXPECT_THAT(page, AllOf(HasSubstr("\r\nX-Frame-Options: SAMEORIGIN\r\n"),
                          HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"),
                          HasSubstr("\r\nReferrer-Policy: no-referrer\r\n"),
                          HasSubstr("\r\nPermissions-Policy: camera=()"),
                          Not(HasSubstr("Strict-Transport-Security"))));
  const std::string data = ask_http(daemon.port(), "GET /v1/models HTTP/1.1").headers;
  EXPECT_THAT(data, AllOf(HasSubstr("default-src 'none'; frame-ancestors 'none'\r\n"),
                          HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n")));
  const std::string pages = SURTITLE_SOURCE_DIR "/web";
  const DaemonProcess own({"--web", pages});
  EXPECT_THAT(ask_http(own.port(), "GET /console HTTP/1.1").headers,
              HasSubstr("connect-src 'self' ws://127.0.0.1:* wss://127.0.0.1:* "
                        "ws://localhost:* wss://localhost:*; "))
      << "its user's recogniser";
  const DaemonProcess further({"--web", pages, "--allowed-recognisers", "wss://asr.example.org"});
  EXPECT_THAT(ask_http(further.port(), "GET /console HTTP/1.1").headers,
              HasSubstr(" wss://localhost:* wss://asr.example.org; "));
  EXPECT_THAT(ask_http(further.port(), "GET /c/main HTTP/1.1").headers,
              HasSubstr("connect-src 'self'; "));
  const DaemonProcess embedded({"--allowed-origins", "https://stage.example", "null"});
  const std::string framed = ask_http(embedded.port(), "GET /c/main HTTP/1.1").headers;
  EXPECT_THAT(framed, AllOf(HasSubstr("frame-ancestors 'self' https://stage.example file:\r\n"),
                            Not(HasSubstr("X-Frame-Options"))));
}

TEST(DaemonFiles, NoPathLeavesTheWebFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "web/sub");
  std::filesystem::create_directories(folder.path() / "web-other");
  folder.write("secret.txt", "secret");
  folder.write("web-other/secret.txt", "secret");
  folder.write("web/.hidden", "secret");
  folder.write("web/index.html", "fine");
  folder.write("web/fine.txt", "fine");
  std::filesystem::create_symlink(folder.path("secret.txt"), folder.path("web/link.txt"));
  std::filesystem::create_symlink(folder.path(), folder.path("web/up"));
  std::filesystem::create_symlink(folder.path("web/loop"), folder.path("web/loop"));
  std::filesystem::create_symlink("/etc", folder.path("web/etc"));
  const DaemonProcess daemon({"--web", folder.path("web")});
  const auto ask = [&](const std::string& target) {
    return raw(daemon.port(), "GET " + target +
                                  " HTTP/1.1\r\nHost: localhost\r\n"
                                  "Connection: close\r\n\r\n");
  };
  EXPECT_THAT(ask("/fine.txt"), HasSubstr("\r\n\r\nfine"));
  for (const std::string& target :
       std::vector<std::string>{"/../secret.txt",
                                "/sub/../../secret.txt",
                                "/%2e%2e/secret.txt",
                                "/%2E%2e%2Fsecret.txt",
                                "/..%2fsecret.txt",
                                "/.%2e/secret.txt",
                                "/sub/%2e%2e/%2e%2e/secret.txt",
                                "/%252e%252e/secret.txt",
                                "/..%5csecret.txt",
                                "/..\\secret.txt",
                                "/../web-other/secret.txt",
                                "/%2e%2e/web-other/secret.txt",
                                "/link.txt",
                                "/up/secret.txt",
                                "/loop",
                                "/etc/passwd",
                                "/.hidden",
                                "/sub/../.hidden",
                                "//etc/passwd",
                                "/%2fetc/passwd",
                                "/secret.txt%00.txt",
                                "/fine.txt%00",
                                "/..%00/secret.txt",
                                "/%c0%ae%c0%ae/secret.txt",
                                "/./../secret.txt",
                                "/" + std::string(300, 'a'),
                                "/" + std::string(12000, 'b'),
                                "/" + std::string(4000, 'c') + "/../../secret.txt",
                                folder.path("secret.txt"),
                                "http://localhost/../secret.txt",
                                "*",
                                "secret.txt",
                                "/sub",
                                "/%",
                                "/%zz"}) {
    const std::string answer = ask(target);
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 404"), Not(HasSubstr("secret")))) << target;
  }
  EXPECT_THAT(ask("/" + std::string(20000, 'a')), StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(ask(std::string("/fine.txt\0", 10)), StartsWith("HTTP/1.1 400"));
}

TEST(DaemonOrigins, RejectsTranslationsForAForeignOrigin) {
  const DaemonProcess daemon;
  const HttpAnswer answer = ask_http(daemon.port(), "POST /translate HTTP/1.1",
                                     "Origin: https://evil.example\r\nContent-Length: 2\r\n", "{}");
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(metric(daemon.port(), "surtitle_refusals_total{status=\"403\"}"), 1);
}

}  // namespace
}  // namespace surtitle
