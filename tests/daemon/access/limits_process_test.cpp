// Limits of the daemon as a process, and clients that exceed them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "daemon/access/link_keys.h"
#include "daemon/access/token_file.h"
#include "daemon/net/beast.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/wire.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Applies these limits to the loopback, too.
std::vector<std::string> strict(std::vector<std::string> flags) {
  flags.insert(flags.end(), {"--per-address-exempt", ""});
  return flags;
}

std::string get(int port, const std::string& target, const std::string& headers = "") {
  return raw(port, "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                       headers + "\r\n");
}

double refused(int port) { return metric(port, "surtitle_refusals_total{status=\"429\"}"); }

// Connects as soon as the daemon has noticed that there is room.
TestClient connect_to_stream(int port, const std::string& query = "") {
  while (true) {
    try {
      return {port, "/v1/stream" + query};
    } catch (const std::runtime_error&) {
    }
  }
}

TEST(DaemonLimits, LimitConnectionsOfAnAddress) {
  const DaemonProcess daemon(strict({"--per-address-connections", "2"}));
  std::vector<TestClient> viewers;
  viewers.emplace_back(daemon.port(), "/v1/channels/main");
  viewers.emplace_back(daemon.port(), "/v1/channels/main");
  viewers.back().read_until("ready");
  EXPECT_THAT(get(daemon.port(), "/v1/models"),
              AllOf(StartsWith("HTTP/1.1 429"), HasSubstr("\r\nRetry-After: 10\r\n"),
                    HasSubstr("An address may have 2 connections at the same time")));
  EXPECT_THROW(TestClient(daemon.port(), "/v1/stream"), std::runtime_error);
  for (const char* probe : {"/livez", "/healthz", "/readyz"}) {
    EXPECT_THAT(get(daemon.port(), probe), StartsWith("HTTP/1.1 200")) << probe;
  }
  viewers.front().close();
  while (get(daemon.port(), "/v1/models").find("200 OK") == std::string::npos) {
  }
  EXPECT_GE(refused(daemon.port()), 2);
}

TEST(DaemonLimits, CloseConnectionsFarBeyondTheLimitWithoutAnAnswer) {
  const DaemonProcess daemon(strict({"--per-address-connections", "1"}));
  TestClient viewer(daemon.port(), "/v1/channels/main");
  viewer.read_until("ready");
  asio::io_context io;
  std::vector<tcp::socket> silent;
  bool closed = false;
  // 16 connections are rejected with an answer; further ones are closed before their request.
  for (int i = 0; i < 40 && !closed; ++i) {
    silent.emplace_back(io).connect(
        {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(daemon.port())});
    if (i >= 16) {
      char byte = 0;
      error_code ended;
      silent.back().read_some(asio::buffer(&byte, 1), ended);
      closed = ended == asio::error::eof || ended == asio::error::connection_reset;
    }
  }
  EXPECT_TRUE(closed);
  const std::string ask = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  asio::write(silent.front(), asio::buffer(ask));
  std::string answer;
  error_code ended;
  asio::read(silent.front(), asio::dynamic_buffer(answer), ended);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 429")) << "an earlier connection is still answered";
}

TEST(DaemonLimits, LimitNewConnectionsOfAnAddress) {
  const DaemonProcess daemon(strict({"--per-address-new-connections", "0.01"}));
  EXPECT_THAT(get(daemon.port(), "/v1/models"), StartsWith("HTTP/1.1 200"));
  const std::string answer = get(daemon.port(), "/v1/models");
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 429"), HasSubstr("\r\nRetry-After: "),
                            HasSubstr("may open connections at 0.01 a second; try again in")));
  EXPECT_THAT(get(daemon.port(), "/livez"), StartsWith("HTTP/1.1 200"));
}

TEST(DaemonLimits, LimitStreamsOfAnAddress) {
  const DaemonProcess daemon(strict({"--per-address-streams", "1"}));
  TestClient first = start_stream(daemon.port());
  {
    TestClient second = connect_to_stream(daemon.port());  // it may resume a stream
    const std::string upgrade =
        "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n" + kUpgrade + "\r\n";
    EXPECT_THAT(raw(daemon.port(), upgrade),
                AllOf(StartsWith("HTTP/1.1 429"), HasSubstr("\r\nRetry-After: 10\r\n"),
                      HasSubstr("An address may have 1 stream at the same time")));
    send(second, start_message());
    EXPECT_EQ(how_it_ends(second), "rate-limited error 4429");
  }
  EXPECT_THAT(ask_http(daemon.port(), "POST /translate HTTP/1.1").body,
              StartsWith(R"({"error":"An address may have 1 stream)"));
  TestClient viewer(daemon.port(), "/v1/channels/main");
  viewer.read_until("ready");
  EXPECT_EQ(translate(first, 1, "Guten Tag."), "GUTEN TAG.");
  first.close();
  connect_to_stream(daemon.port());
}

TEST(DaemonLimits, CountADetachedStreamUntilItsSenderReturns) {
  const DaemonProcess daemon(strict({"--per-address-streams", "1"}));
  const protocol::Resume resume = begin_stream(daemon.port()).resume;  // and loses its connection

  TestClient another = connect_to_stream(daemon.port());
  send(another, start_message());
  EXPECT_THAT(text_of(another.read_until("error"), "message"),
              HasSubstr("An address may have 1 stream at the same time"));
  EXPECT_EQ(how_it_ends(another), "- error 4429");

  TestClient back = connect_to_stream(daemon.port());
  protocol::Start again = start_message();
  again.resume = resume;
  send(back, again);
  back.read_until("ready");
  send(back, protocol::Finish{});
  EXPECT_EQ(how_it_ends(back), "- finished 1000");

  TestClient next = connect_to_stream(daemon.port());
  send(next, start_message());
  next.read_until("ready");
}

TEST(DaemonLimits, EndAStreamWithTooManyWords) {
  const DaemonProcess daemon(strict({"--per-address-words", "0.5"}));
  TestClient client = start_stream(daemon.port());
  EXPECT_EQ(translate(client, 1, "Eins zwei drei vier neun sechs."),
            "EINS ZWEI DREI VIER NEUN SECHS.");
  send(client, protocol::Source{2, "Sieben acht neun zehn.", {}});
  send(client, protocol::Source{3, "Elf.", {}});
  const auto error = client.read_until("error");
  EXPECT_EQ(text_of(error, "code"), "rate-limited");
  EXPECT_THAT(text_of(error, "message"), HasSubstr("An address may send words at 0.5 a second"));
  EXPECT_EQ(how_it_ends(client), "- error 4429");
}

TEST(DaemonLimits, EndAStreamWithTooManyBytes) {
  const DaemonProcess daemon(strict({"--per-address-bytes", "10"}));
  TestClient client = start_stream(daemon.port());  // the first 100 bytes are within the limit
  send(client, protocol::Source{1, "Guten " + std::string(200, 'x'), {}});
  send(client, protocol::Source{2, "Tag.", {}});
  EXPECT_EQ(how_it_ends(client), "rate-limited error 4429");
  EXPECT_THAT(get(daemon.port(), "/c/main"), StartsWith("HTTP/1.1 429")) << "all connections count";
}

TEST(DaemonLimits, LimitRequestsOfAnAddress) {
  const DaemonProcess daemon(strict({"--per-address-requests", "0.01"}));
  EXPECT_THAT(get(daemon.port(), "/metrics"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(
      get(daemon.port(), "/icon.svg"),
      AllOf(StartsWith("HTTP/1.1 429"), ContainsRegex("\r\nRetry-After: [0-9][0-9][0-9]+\r\n"),
            HasSubstr("An address may make requests at 0.01 a second")));
  EXPECT_THAT(get(daemon.port(), "/livez"), StartsWith("HTTP/1.1 200"));
}

TEST(DaemonLimits, ApplyToEachAddressBehindAProxy) {
  const DaemonProcess daemon(
      {"--per-address-new-connections", "0.01", "--trusted-proxies", "127.0.0.1"});
  const auto status = [&](const std::string& forwarded_for) {
    return get(daemon.port(), "/v1/channels/main",
               forwarded_for.empty() ? "" : "X-Forwarded-For: " + forwarded_for + "\r\n")
        .substr(9, 3);
  };
  EXPECT_EQ(status("192.0.2.1"), "426");
  EXPECT_EQ(status("192.0.2.1"), "429");
  EXPECT_EQ(status("192.0.2.2"), "426");
  EXPECT_EQ(status("192.0.2.99, 192.0.2.2"), "429") << "the proxy adds the last address";
  EXPECT_EQ(status("192.0.2.3\r\nX-Forwarded-For: 192.0.2.1"), "429")
      << "several fields are one list";
  EXPECT_EQ(status(""), "426") << "requests of the proxy itself are on the loopback";
  EXPECT_EQ(status(""), "426");
  EXPECT_THAT(get(daemon.port(), "/c/main", "X-Forwarded-For: 192.0.2.1\r\n"),
              StartsWith("HTTP/1.1 200"))
      << "a page does not count as a connection";
}

TEST(DaemonLimits, IgnoreForwardedAddressesOfOtherClients) {
  const DaemonProcess daemon(strict({"--per-address-new-connections", "0.01"}));
  get(daemon.port(), "/v1/models", "X-Forwarded-For: 192.0.2.1\r\n");
  EXPECT_THAT(get(daemon.port(), "/v1/models", "X-Forwarded-For: 192.0.2.2\r\n"),
              StartsWith("HTTP/1.1 429"));
}

TEST(DaemonLimits, LimitStreamsOfAToken) {
  const TemporaryFolder folder;
  const NewToken one = make_token({"one", Roles::parse("send")});
  const NewToken two = make_token({"two", Roles::parse("send")});
  const DaemonProcess daemon({"--access-tokens", folder.write("tokens", one.line + "\n" + two.line),
                              "--per-token-streams", "1"});
  const auto open = [&](const NewToken& token) {
    return TestClient(daemon.port(), "/v1/stream?token=" + token.token);
  };
  const TestClient first = open(one);
  const TestClient second = open(one);  // it may be the same sender, which returns
  EXPECT_THROW(open(one), std::runtime_error);
  const TestClient other = open(two);
}

// A sender whose network has changed leaves an old connection, which the daemon considers open.
TEST(DaemonLimits, AcceptASenderWhoseOldConnectionIsStillOpen) {
  const TemporaryFolder folder;
  const NewToken token = make_token({"one", Roles::parse("send")});
  for (const std::vector<std::string>& limit :
       {std::vector<std::string>{"--limits-streams", "1"}, {"--per-token-streams", "1"}}) {
    const DaemonProcess daemon(
        {"--access-tokens", folder.write("tokens", token.line + "\n"), limit[0], limit[1]});
    const std::string query = "?token=" + token.token;
    Begun old = begin_stream(daemon.port(), start_message(), query);
    send(old.client, protocol::Source{1, "Eins.", {}});
    old.resume.event = old.client.read_until("sentence").at("event").as_int64();
    old.resume.seq = 1;
    TestClient back = connect_to_stream(daemon.port(), query);
    protocol::Start again = start_message();
    again.resume = old.resume;
    send(back, again);
    back.read_until("ready");
    EXPECT_EQ(how_it_ends(old.client), "taken-over error 4409") << limit[0];
    EXPECT_EQ(translate(back, 2, "Zwei."), "ZWEI.");
  }
}

struct TokenLimits : ::testing::Test {
  std::vector<std::string> flags(const std::string& limit, const std::string& value) {
    return {"--access-tokens", folder.write("tokens", token.line + "\n"), limit, value};
  }
  // A request that counts, although its answer is 426.
  std::string ask(int port) const { return get(port, "/v1/channels/main", authorization); }
  std::string translate_over_http(int port, const std::string& text) const {
    const std::string body = R"({"q": ")" + text + R"(", "source": "de", "target": "en"})";
    return raw(port, "POST /translate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                         authorization + "Content-Type: application/json\r\nContent-Length: " +
                         std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  const TemporaryFolder folder;
  const NewToken token = make_token({"one", Roles::parse("send,view")});
  const std::string query = "?token=" + token.token;
  const std::string authorization = "Authorization: Bearer " + token.token + "\r\n";
};

TEST_F(TokenLimits, ApplyToConcurrentConnections) {
  const DaemonProcess daemon(flags("--per-token-connections", "1"));
  const TestClient viewer(daemon.port(), "/v1/channels/main" + query);
  EXPECT_THAT(ask(daemon.port()),
              AllOf(StartsWith("HTTP/1.1 429"),
                    HasSubstr("A token may have 1 connection at the same time")));
}

TEST_F(TokenLimits, ApplyToNewConnections) {
  const DaemonProcess daemon(flags("--per-token-new-connections", "0.01"));
  EXPECT_THAT(ask(daemon.port()), StartsWith("HTTP/1.1 426"));
  EXPECT_THAT(ask(daemon.port()),
              AllOf(StartsWith("HTTP/1.1 429"),
                    HasSubstr("A token may open connections at 0.01 a second")));
}

TEST_F(TokenLimits, ApplyToRequests) {
  const DaemonProcess daemon(flags("--per-token-requests", "0.01"));
  EXPECT_THAT(ask(daemon.port()), StartsWith("HTTP/1.1 426"));
  EXPECT_THAT(ask(daemon.port()), AllOf(StartsWith("HTTP/1.1 429"),
                                        HasSubstr("A token may make requests at 0.01 a second")));
}

TEST_F(TokenLimits, ApplyToRequestsThatAnyRoleMayMake) {
  for (const char* path : {"/v1/models", "/v1/policies", "/languages"}) {
    const DaemonProcess daemon(flags("--per-token-requests", "0.01"));
    EXPECT_THAT(get(daemon.port(), path, authorization), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(
        get(daemon.port(), path, authorization),
        AllOf(StartsWith("HTTP/1.1 429"), HasSubstr("A token may make requests at 0.01 a second")));
    EXPECT_THAT(ask(daemon.port()), StartsWith("HTTP/1.1 429"))
        << "requests to all addresses count";
    EXPECT_THAT(get(daemon.port(), "/c/main", authorization), StartsWith("HTTP/1.1 200"))
        << "a page requires no role";
  }
}

// Such a request does not count as a connection; several of them may share one.
TEST_F(TokenLimits, OfConnectionsIgnoreRequestsThatAnyRoleMayMake) {
  const DaemonProcess daemon(flags("--per-token-new-connections", "0.01"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(get(daemon.port(), "/v1/models", authorization), StartsWith("HTTP/1.1 200"));
  }
}

TEST_F(TokenLimits, ApplyToWords) {
  const DaemonProcess daemon(flags("--per-token-words", "0.5"));
  TestClient client(daemon.port(), "/v1/stream" + query);
  send(client, start_message());
  client.read_until("ready");
  send(client, protocol::Source{1, "Eins zwei drei vier neun sechs.", {}});
  send(client, protocol::Source{2, "Elf.", {}});
  EXPECT_THAT(text_of(client.read_until("error"), "message"),
              HasSubstr("A token may send words at 0.5 a second"));
  EXPECT_EQ(how_it_ends(client), "- error 4429");
}

TEST_F(TokenLimits, OfWordsAreAnswered429OverHttp) {
  const DaemonProcess daemon(flags("--per-token-words", "0.5"));
  EXPECT_THAT(translate_over_http(daemon.port(), "Eins zwei drei vier neun sechs."),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(translate_over_http(daemon.port(), "Elf."),
              AllOf(StartsWith("HTTP/1.1 429"), HasSubstr("\r\nRetry-After: "),
                    HasSubstr("A token may send words at 0.5 a second")));
}

TEST_F(TokenLimits, ApplyToBytesOfAStream) {
  const DaemonProcess daemon(flags("--per-token-bytes", "20"));
  TestClient client(daemon.port(), "/v1/stream" + query);
  send(client, start_message());
  client.read_until("ready");
  send(client, protocol::Source{1, "Guten " + std::string(400, 'x'), {}});
  send(client, protocol::Source{2, "Tag.", {}});
  EXPECT_EQ(how_it_ends(client), "rate-limited error 4429");
}

TEST_F(TokenLimits, ApplyToBytesOverHttp) {
  const DaemonProcess daemon(flags("--per-token-bytes", "20"));
  const std::string text = "Guten " + std::string(400, 'x');
  EXPECT_THAT(translate_over_http(daemon.port(), text), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(
      translate_over_http(daemon.port(), text),
      AllOf(StartsWith("HTTP/1.1 429"), HasSubstr("A token may send bytes at 20 a second")));
}

TEST_F(TokenLimits, ApplyToBytesOfRequestsThatAnyRoleMayMake) {
  const DaemonProcess daemon(flags("--per-token-bytes", "20"));
  const std::string path = "/v1/models?" + std::string(400, 'x');
  EXPECT_THAT(get(daemon.port(), path, authorization), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(
      get(daemon.port(), path, authorization),
      AllOf(StartsWith("HTTP/1.1 429"), HasSubstr("A token may send bytes at 20 a second")));
}

TEST(DaemonLimits, RejectedStartDisplacesNoStream) {
  const TemporaryFolder folder;
  const NewToken one = make_token({"one", Roles::parse("send")});
  const NewToken two = make_token({"two", Roles::parse("send")});
  const DaemonProcess daemon({"--access-tokens", folder.write("tokens", one.line + "\n" + two.line),
                              "--per-token-streams", "1"});
  const auto cut_off = [&](const NewToken& token, const std::string& channel) {
    return begin_stream(daemon.port(), start_message(channel), "?token=" + token.token).resume;
  };
  const auto connect = [&](const NewToken& token) {
    return connect_to_stream(daemon.port(), "?token=" + token.token);
  };
  const protocol::Resume of_one = cut_off(one, "main");
  cut_off(two, "other");
  TestClient refused = connect(two);
  send(refused, start_message("main"));
  EXPECT_EQ(how_it_ends(refused), "rate-limited error 4429");

  TestClient back = connect(one);
  protocol::Start again = start_message();
  again.resume = of_one;
  send(back, again);
  back.read_until("ready");

  TestClient next = connect(two);
  send(next, start_message("other"));
  next.read_until("ready");  // displaces its own detached stream
}

TEST(DaemonLimits, ExemptTheLoopbackByDefault) {
  const DaemonProcess daemon({"--per-address-new-connections", "0.01"});
  for (int i = 0; i < 20; ++i) {
    ASSERT_THAT(get(daemon.port(), "/healthz"), StartsWith("HTTP/1.1 200"));
  }
}

}  // namespace
}  // namespace surtitle
