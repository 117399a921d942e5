// Sockets that a service manager keeps open across restarts of the daemon.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "daemon/net/beast.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/state_folder.h"
#include "tests/daemon/support/steady_sender.h"
#include "tests/daemon/support/talk.h"
#include "tests/daemon/support/wire.h"
#include "tests/daemon/systemd/notify_listener.h"

namespace surtitle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A listening socket, as systemd opens it for a .socket unit.
class ServiceSocket {
 public:
  explicit ServiceSocket(const std::string& address = "127.0.0.1") : acceptor_(io_) {
    const tcp::endpoint any_port(asio::ip::make_address(address), 0);
    acceptor_.open(any_port.protocol());
    acceptor_.bind(any_port);
    acceptor_.listen();
    descriptor_ = fcntl(acceptor_.native_handle(), F_DUPFD_CLOEXEC, 100);
  }
  ServiceSocket(const ServiceSocket&) = delete;
  ServiceSocket& operator=(const ServiceSocket&) = delete;
  ~ServiceSocket() { close(descriptor_); }

  int descriptor() const { return descriptor_; }
  int port() const { return acceptor_.local_endpoint().port(); }

 private:
  asio::io_context io_;
  tcp::acceptor acceptor_;
  int descriptor_ = -1;
};

DaemonProcess::Service service_of(const ServiceSocket& socket) {
  return {{"LISTEN_FDNAMES=surtitled.socket"}, {socket.descriptor()}};
}

TEST(SocketActivation, ServesOnAnInheritedSocket) {
  const ServiceSocket socket;
  const DaemonProcess daemon({"--port", "1"}, service_of(socket));
  EXPECT_EQ(daemon.port(), socket.port());
  TestClient client = start_stream(socket.port());
  EXPECT_EQ(translate(client, 1, "Guten Tag."), "GUTEN TAG.");
}

TEST(SocketActivation, ServesOnSeveralSockets) {
  const ServiceSocket first;
  const ServiceSocket second;
  const DaemonProcess daemon({}, {{}, {first.descriptor(), second.descriptor()}});
  EXPECT_EQ(daemon.port(), first.port());
  EXPECT_EQ(ask_http(first.port(), "GET /livez HTTP/1.1").status, 200);
  EXPECT_EQ(ask_http(second.port(), "GET /livez HTTP/1.1").status, 200);
}

TEST(SocketActivation, IgnoresSocketsOfAnotherProcess) {
  const ServiceSocket socket;
  const DaemonProcess daemon({}, {{"LISTEN_PID=1", "LISTEN_FDS=1"}, {}});
  EXPECT_NE(daemon.port(), socket.port());
  EXPECT_EQ(ask_http(daemon.port(), "GET /healthz HTTP/1.1").status, 200);
}

TEST(SocketActivation, RejectsSocketsThatItCannotServeOn) {
  const auto refusal = [](int descriptor) {
    const Ended ended = DaemonProcess::run({}, {{"LISTEN_FDNAMES=surtitled.socket"}, {descriptor}});
    EXPECT_EQ(ended.exit_code, 1);
    return ended.err;
  };
  const int plain = fcntl(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), F_DUPFD_CLOEXEC, 100);
  EXPECT_EQ(refusal(plain),
            "surtitled: inherited socket 'surtitled.socket' (descriptor 3) must be a listening TCP "
            "socket\n");
  close(plain);
  const ServiceSocket open_to_all("0.0.0.0");
  EXPECT_THAT(refusal(open_to_all.descriptor()),
              HasSubstr("address 0.0.0.0 can be reached from other machines: set tls.certificate"));
}

// Connects one client after the other until stop(). None may be refused.
class Clients {
 public:
  explicit Clients(int port) : thread_([this, port] { run(port); }) {}
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;
  ~Clients() { stop(); }

  void stop() {
    stopping_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  int served() const { return served_; }
  int cut() const { return cut_; }
  const std::vector<std::string>& refused() const { return refused_; }  // after stop()

 private:
  void run(int port) {
    while (!stopping_) {
      asio::io_context io;
      tcp::socket socket(io);
      error_code error;
      socket.connect({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)}, error);
      if (error) {
        refused_.push_back(error.message());
        continue;
      }
      asio::write(socket, asio::buffer(std::string("GET /healthz HTTP/1.0\r\n\r\n")), error);
      std::string answer;
      asio::read(socket, asio::dynamic_buffer(answer), error);
      ++(answer.starts_with("HTTP/1.1 200") ? served_ : cut_);
    }
  }

  std::atomic<bool> stopping_ = false;
  std::atomic<int> served_ = 0;
  std::atomic<int> cut_ = 0;  // accepted by a daemon that was then killed
  std::vector<std::string> refused_;
  std::thread thread_;
};

void wait_for_more(const Clients& clients) {
  for (const int before = clients.served(); clients.served() < before + 20;) {
    std::this_thread::yield();
  }
}

class Restart : public ::testing::TestWithParam<int> {};

TEST_P(Restart, RefusesNoConnectionAndLosesNoWord) {
  const StateFolder state;
  const ServiceSocket socket;
  const std::vector<std::string> flags{
      "--journal-path", state.journal(), "--resume-timeout", "600", "--sentence-silence", "0"};
  std::mt19937 random(5);
  const std::vector<std::string> texts = talk(random, 300);
  auto daemon = std::make_unique<DaemonProcess>(flags, service_of(socket));
  Clients clients(socket.port());
  SteadySender sender([&] { return socket.port(); }, start_message("main"));
  std::thread speaker([&] { sender.run(texts); });
  for (int restart = 0; restart < 5; ++restart) {
    wait_for_more(clients);
    daemon->signal(GetParam());
    daemon->wait();
    daemon = std::make_unique<DaemonProcess>(flags, service_of(socket));
  }
  wait_for_more(clients);
  speaker.join();
  clients.stop();
  EXPECT_THAT(clients.refused(), IsEmpty());
  EXPECT_LE(clients.cut(), 5) << "at most one for each restart";
  EXPECT_GE(sender.resumed(), 1);
  EXPECT_THAT(sender.received().faults(), IsEmpty());
  EXPECT_EQ(sender.received().written(), translation_of(texts));
}

INSTANTIATE_TEST_SUITE_P(By, Restart, ::testing::Values(SIGKILL, SIGTERM),
                         [](const auto& by) { return by.param == SIGKILL ? "Kill" : "Drain"; });

TEST(SocketActivation, ClientOfADrainingDaemonIsServedByTheNext) {
  const ServiceSocket socket;
  NotifyListener manager("@surtitle-activation-" + std::to_string(getpid()));
  DaemonProcess::Service service = service_of(socket);
  service.environment.push_back(manager.variable());
  DaemonProcess first({}, service);
  TestClient speaker = start_stream(socket.port());
  first.signal(SIGTERM);
  while (!manager.next().starts_with("STOPPING=1")) {
  }
  std::string answer;
  std::thread client([&] { answer = ask_http(socket.port(), "GET /healthz HTTP/1.1").body; });
  EXPECT_EQ(how_it_ends(speaker), "- - 1012") << "the sender is asked to return, too";
  EXPECT_EQ(first.wait().exit_code, 0);
  const DaemonProcess second({}, service_of(socket));
  client.join();
  EXPECT_EQ(answer, "ok\n");
}

}  // namespace
}  // namespace surtitle
