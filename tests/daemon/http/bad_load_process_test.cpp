// The daemon as a process under loads that it cannot serve: it reports them and keeps its bounds,
// and running streams continue. tests/RELIABILITY.md has the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <list>
#include <string>
#include <vector>

#include "daemon/net/beast.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/raw_websocket.h"
#include "tests/daemon/support/wire.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string text(const std::string& payload) { return bytes_of({.payload = payload}); }

// Opens any number of silent connections.
class Connections {
 public:
  explicit Connections(int port)
      : endpoint_(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)) {}

  tcp::socket& open() {
    sockets_.emplace_back(io_).connect(endpoint_);
    return sockets_.back();
  }
  void open(int count) {
    for (int i = 0; i < count; ++i) {
      open();
    }
  }
  void close() { sockets_.clear(); }

 private:
  asio::io_context io_;
  tcp::endpoint endpoint_;
  std::list<tcp::socket> sockets_;
};

// Sends `begin`, then one byte after the other until the peer closes. Returns their number.
int trickle(tcp::socket& socket, const std::string& begin, char more) {
  error_code error;
  asio::write(socket, asio::buffer(begin), error);
  int sent = 0;
  while (!error) {
    std::array<char, 1> answer{};
    asio::write(socket, asio::buffer(&more, 1), error);
    ++sent;
    socket.non_blocking(true);
    if (const std::size_t got = socket.read_some(asio::buffer(answer), error); got == 0) {
      error = error == asio::error::would_block ? error_code() : error;
    }
    socket.non_blocking(false);
    timespec pause{0, 5'000'000};  // the test is about a slow sender
    nanosleep(&pause, nullptr);
  }
  return sent;
}

class Slowloris : public ::testing::TestWithParam<std::pair<const char*, std::string>> {};

TEST_P(Slowloris, IsCutOff) {
  const DaemonProcess daemon({"--timeouts-request", "0.5"});
  TestClient bystander = start_stream(daemon.port());
  Connections connections(daemon.port());
  EXPECT_GT(trickle(connections.open(), GetParam().second, 'x'), 1);
  EXPECT_EQ(translate(bystander, 1, "Weiter."), "WEITER.");
}

INSTANTIATE_TEST_SUITE_P(Daemon, Slowloris,
                         ::testing::Values(std::pair("Header", "GET / HTTP/1.1\r\nX: "),
                                           std::pair("Body",
                                                     "POST /translate HTTP/1.1\r\nHost: x\r\n"
                                                     "Content-Length: 60000\r\n\r\n"),
                                           std::pair("Upgrade",
                                                     "GET /v1/stream HTTP/1.1\r\nHost: x\r\n"
                                                     "Upgrade: websocket\r\nSec-WebSocket-Key: ")),
                         [](const auto& given) { return given.param.first; });

TEST(BadLoad, SilentConnectionIsCutOff) {
  const DaemonProcess daemon({"--timeouts-request", "0.2"});
  EXPECT_EQ(raw(daemon.port(), ""), "");
}

// The answers fill all buffers between the daemon and the client.
TEST(BadLoad, ClientThatDoesNotReadItsAnswersIsCutOff) {
  const DaemonProcess daemon({"--timeouts-request", "0.5"});
  TestClient bystander = start_stream(daemon.port());
  EXPECT_EQ(translate(bystander, 1, "Eins."), "EINS.");
  const int files = daemon.open_files();
  Connections connections(daemon.port());
  tcp::socket& silent = connections.open();
  silent.set_option(asio::socket_base::receive_buffer_size(1));
  silent.non_blocking(true);
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::string requests;
  for (int i = 0; i < 4000; ++i) {
    requests += request;
  }
  error_code error;
  silent.write_some(asio::buffer(requests), error);
  EXPECT_FALSE(error) << error.message();
  while (daemon.open_files() == files) {  // until it is accepted
  }
  while (daemon.open_files() > files) {
  }
  EXPECT_EQ(translate(bystander, 2, "Weiter."), "WEITER.");
}

TEST(BadLoad, StreamThatDoesNotStartFreesItsPlace) {
  const DaemonProcess daemon({"--timeouts-request", "0.5", "--limits-streams", "1"});
  TestClient silent(daemon.port(), "/v1/stream");
  EXPECT_EQ(how_it_ends(silent), "out-of-order error 4400");
  TestClient next = start_stream(daemon.port());
  EXPECT_EQ(translate(next, 1, "Weiter."), "WEITER.");
}

TEST(BadLoad, StartedStreamMayBeSilent) {
  const DaemonProcess daemon({"--timeouts-request", "0.2"});
  TestClient client = start_stream(daemon.port());
  TestClient silent(daemon.port(), "/v1/stream");
  how_it_ends(silent);  // after the limit, which would have passed for `client`, too
  EXPECT_EQ(translate(client, 1, "Weiter."), "WEITER.");
}

std::string ask(int port, const std::string& path, const std::string& fields = "") {
  return raw(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" +
                       (fields.empty() ? "Connection: close\r\n" : fields) + "\r\n");
}

TEST(BadLoad, BeyondItsConnectionsTheDaemonAnswersOnlyProbesAndLogsOnce) {
  // 256 further connections are for plain HTTP.
  DaemonProcess daemon({"--limits-streams", "1", "--limits-viewers", "1", "--timeouts-request",
                        "600", "--log-level", "warning"});
  TestClient running = start_stream(daemon.port());
  Connections connections(daemon.port());
  connections.open(257);
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(ask(daemon.port(), "/livez"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(ask(daemon.port(), "/readyz", "Connection: keep-alive\r\n"),
                AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Connection: close")));
    EXPECT_THAT(ask(daemon.port(), "/v1/models"),
                AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 5\r\n"),
                      HasSubstr("The limit of 258 connections is reached; try again later.")));
    EXPECT_THAT(ask(daemon.port(), "/v1/stream", kUpgrade), StartsWith("HTTP/1.1 503"));
  }
  EXPECT_EQ(translate(running, 1, "Weiter."), "WEITER.");

  Connections silent(daemon.port());  // as many as may wait for a rejection
  bool closed_at_once = false;
  for (int i = 0; i < 100 && !closed_at_once; ++i) {  // each waits for a second
    silent.open(64);
    closed_at_once = ask(daemon.port(), "/livez").empty();
    silent.close();
  }
  EXPECT_TRUE(closed_at_once);
  EXPECT_EQ(translate(running, 2, "Weiter."), "WEITER.");
  connections.close();
  while (!ask(daemon.port(), "/v1/models").starts_with("HTTP/1.1 200")) {
  }
  running.close();
  daemon.signal(SIGTERM);
  const std::string log = daemon.wait().err;
  EXPECT_THAT(log, HasSubstr("Connection limit reached connections=258"));
  EXPECT_LT(std::count(log.begin(), log.end(), '\n'), 20) << log;
}

TEST(BadLoad, OutOfFilesTheDaemonLogsItContinuesAndRecovers) {
  DaemonProcess daemon({"--log-level", "warning"});
  TestClient running = start_stream(daemon.port(), "main");
  TestClient viewer(daemon.port(), "/v1/channels/main");
  const int used = daemon.open_files();
  daemon.limit_files(used + 20);
  Connections connections(daemon.port());
  connections.open(60);  // the system accepts them; the daemon cannot
  for (int i = 1; i <= 20; ++i) {
    EXPECT_EQ(translate(running, i, "Weiter."), "WEITER.");
    EXPECT_EQ(text_of(viewer.read_until("sentence"), "target"), "WEITER.");
  }
  EXPECT_LT(daemon.open_files(), used + 30);
  connections.close();
  EXPECT_EQ(ask_http(daemon.port(), "GET /healthz HTTP/1.1").status, 200);
  TestClient next = start_stream(daemon.port());
  EXPECT_EQ(translate(next, 1, "Weiter."), "WEITER.");
  running.close();
  viewer.close();
  next.close();
  daemon.signal(SIGTERM);
  const Ended ended = daemon.wait();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("Accept failed error=\"Too many open files\""));
  EXPECT_LT(std::count(ended.err.begin(), ended.err.end(), '\n'), 20) << ended.err;
}

// The limits of a connection bound the memory that a flood takes.
TEST(BadLoad, AFloodOfMessagesDoesNotFillTheMemory) {
  const DaemonProcess daemon({"--limits-streams", "8"});
  const std::string words =
      text(protocol::to_json(protocol::Hypothesis{[] {
                                                    std::string all;
                                                    while (all.size() < 15'000) {
                                                      all += "wort ";
                                                    }
                                                    return all;
                                                  }(),
                                                  /*final=*/false,
                                                  {}}));
  std::vector<RawWebsocket> flooders;
  for (int i = 0; i < 4; ++i) {
    flooders.emplace_back(daemon.port());
    flooders.back().send(text(protocol::to_json(start_message())));
  }
  const auto flood = [&](int messages) {
    for (int i = 0; i < messages; ++i) {
      for (RawWebsocket& flooder : flooders) {
        flooder.send(words);
      }
    }
    TestClient other = start_stream(daemon.port());
    translate(other, 1, "Weiter.");
  };
  flood(50);
  const std::size_t before = daemon.memory_bytes();
  flood(500);  // 30 MB more
  EXPECT_LT(daemon.memory_bytes(), before + (16U << 20U));
}

// Unread pongs hold up the pings.
TEST(BadLoad, AFloodOfPingsWithUnreadPongsIsCutOff) {
  const DaemonProcess daemon({"--timeouts-idle", "1"});
  RawWebsocket flooder(daemon.port());
  const std::string ping = bytes_of({.opcode = kPing, .payload = std::string(125, 'p')});
  std::string pings;
  for (int i = 0; i < 1000; ++i) {
    pings += ping;
  }
  const std::size_t before = daemon.memory_bytes();
  while (flooder.send(pings)) {
  }
  EXPECT_LT(daemon.memory_bytes(), before + (16U << 20U));
  TestClient next = start_stream(daemon.port());
  EXPECT_EQ(translate(next, 1, "Weiter."), "WEITER.");
}

}  // namespace
}  // namespace surtitle
