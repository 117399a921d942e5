// The daemon as a service: its notifications to the service manager.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "daemon/net/beast.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/journal_lock.h"
#include "tests/daemon/support/state_folder.h"
#include "tests/daemon/support/wire.h"
#include "tests/daemon/systemd/notify_listener.h"
#include "tests/temporary_folder.h"

namespace surtitle {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::StartsWith;

const std::string kAlive = "WATCHDOG=1";
const std::string kExtend = "\nEXTEND_TIMEOUT_USEC=";

long long monotonic_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000LL + now.tv_nsec / 1000;
}

std::string next_but(NotifyListener& manager, const std::string& skipped) {
  std::string message = manager.next();
  while (message == skipped) {
    message = manager.next();
  }
  return message;
}

std::string abstract_address() { return "@surtitle-test-" + std::to_string(getpid()); }

class Notify : public ::testing::TestWithParam<bool> {
 protected:
  TemporaryFolder folder_;
};

TEST_P(Notify, ReportsEachStateOfTheDaemon) {
  NotifyListener manager(GetParam() ? abstract_address() : folder_.path("notify"));
  DaemonProcess daemon({}, {{manager.variable(), "WATCHDOG_USEC=20000"}, {}});
  EXPECT_THAT(manager.next(), StartsWith("STATUS=reading the journal" + kExtend));
  EXPECT_THAT(manager.next(), StartsWith("STATUS=loading model scripted" + kExtend));
  EXPECT_THAT(manager.next(), StartsWith("STATUS=restoring 0 journaled streams" + kExtend));
  EXPECT_EQ(manager.next(),
            "READY=1\nSTATUS=serving on http://127.0.0.1:" + std::to_string(daemon.port()) + "/");
  for (int beat = 0; beat < 5; ++beat) {
    EXPECT_EQ(manager.next(), kAlive);
  }

  const long long before = monotonic_microseconds();
  daemon.signal(SIGHUP);
  const std::string reloading = next_but(manager, kAlive);
  const std::string begin = "RELOADING=1\nMONOTONIC_USEC=";
  ASSERT_THAT(reloading, StartsWith(begin));
  EXPECT_THAT(std::stoll(reloading.substr(begin.size())),
              AllOf(Ge(before), Le(monotonic_microseconds())));
  EXPECT_EQ(manager.next(), "READY=1\nSTATUS=serving");

  daemon.signal(SIGTERM);
  EXPECT_EQ(next_but(manager, kAlive), "STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=35000000");
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Addresses, Notify, ::testing::Bool(),
                         [](const auto& abstract) { return abstract.param ? "Abstract" : "Path"; });

TEST_F(Notify, ReportsAFailedReload) {
  NotifyListener manager(folder_.path("notify"));
  const std::string tokens = folder_.write("tokens", "");
  DaemonProcess daemon({"--access-tokens", tokens}, {{manager.variable()}, {}});
  folder_.write("tokens", "no line of tokens");
  daemon.signal(SIGHUP);
  while (!manager.next().starts_with("RELOADING=1")) {
  }
  EXPECT_THAT(manager.next(), AllOf(StartsWith("READY=1\n"), HasSubstr("the reload failed")));
}

// The daemon handles signals while it loads, too. As the first process of a container it would
// ignore them otherwise; elsewhere they would kill it.
class NotifyBeforeReady : public Notify {
 protected:
  // Sends a signal before the daemon can have installed its handlers.
  void send(int signal) {
    EXPECT_THAT(manager_.next(), StartsWith("STATUS=reading the journal"));
    daemon_.signal(signal);
  }

  NotifyListener manager_{folder_.path("notify")};
  DaemonProcess daemon_{{}, {{manager_.variable()}, {}}, DaemonProcess::Readiness::kLater};
};

TEST_F(NotifyBeforeReady, SigtermEndsTheDaemon) {
  send(SIGTERM);
  const Ended ended = daemon_.wait();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST_F(NotifyBeforeReady, SighupDoesNotEndTheDaemon) {
  send(SIGHUP);
  daemon_.wait_until_ready();
  EXPECT_EQ(ask_http(daemon_.port(), "GET /livez HTTP/1.1").status, 200);
}

// The daemon has nothing else to do by then.
TEST_F(Notify, ConnectedClientIsAnsweredAlthoughTheDaemonEnds) {
  NotifyListener manager(folder_.path("notify"));
  DaemonProcess daemon({}, {{manager.variable()}, {}});
  while (!manager.next().starts_with("READY=1")) {
  }
  asio::io_context io;
  tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(daemon.port())});
  ask_http(daemon.port(), "GET /livez HTTP/1.1");  // connected later: `socket` is accepted by now
  daemon.signal(SIGTERM);
  EXPECT_THAT(manager.next(), StartsWith("STOPPING=1"));
  daemon.signal(SIGSTOP);
  asio::write(socket, asio::buffer(std::string("GET /readyz HTTP/1.1\r\nHost: localhost\r\n"
                                               "Connection: close\r\n\r\n")));
  daemon.signal(SIGCONT);
  std::string answer;
  error_code ended;
  asio::read(socket, asio::dynamic_buffer(answer), ended);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  EXPECT_EQ(daemon.wait().exit_code, 0);
}

TEST_F(Notify, SendsNoWatchdogMessageForAnotherProcess) {
  NotifyListener manager(folder_.path("notify"));
  DaemonProcess daemon({}, {{manager.variable(), "WATCHDOG_USEC=1000", "WATCHDOG_PID=1"}, {}});
  while (!manager.next().starts_with("READY=1")) {
  }
  TestClient client = start_stream(daemon.port());
  EXPECT_EQ(translate(client, 1, "Ja."), "JA.");
  client.close();
  daemon.signal(SIGTERM);
  EXPECT_THAT(manager.next(), StartsWith("STOPPING=1"));
  daemon.wait();
  EXPECT_EQ(manager.left(), "");
}

TEST_F(Notify, SendsNoWatchdogMessageWhileAModelStalls) {
  NotifyListener manager(folder_.path("notify"));
  const DaemonProcess daemon({"--watchdog", "40"},
                             {{manager.variable(), "WATCHDOG_USEC=20000"}, {}});
  while (manager.next() != kAlive) {
  }
  TestClient client = start_stream(daemon.port());
  send(client, protocol::Source{1, "xx-hang und mehr.", {}});
  // On a busy machine, the network thread may stand still for 40 ms, too.
  while (manager.next() != "STATUS=stalled: scripted") {
  }
  for (int beat = 0; beat < 10; ++beat) {
    EXPECT_THAT(manager.next(), StartsWith("STATUS=stalled: "))
        << "the network thread alone is not enough";
  }
  EXPECT_EQ(ask_http(daemon.port(), "GET /healthz HTTP/1.1").status, 200);
}

// The store waits for the lock of the file as for a disk that hangs.
TEST_F(Notify, SendsWatchdogMessagesWhileTheJournalStalls) {
  NotifyListener manager(folder_.path("notify"));
  const StateFolder state;
  const DaemonProcess daemon({"--watchdog", "40", "--journal-path", state.journal()},
                             {{manager.variable(), "WATCHDOG_USEC=20000"}, {}});
  const int port = daemon.port();
  const std::string stalled = "surtitle_stalled{thread=\"journal\"}";
  TestClient client = start_stream(port);
  EXPECT_EQ(translate(client, 1, "Ja."), "JA.");
  {
    const JournalLock lock(state.journal());
    send(client, protocol::Source{2, "Zwei.", {}});
    // On a busy machine, the network thread may stand still for 40 ms, too.
    while (manager.next() != "STATUS=stalled: journal") {
    }
    std::string told = manager.next();
    while (told.starts_with("STATUS=stalled: ")) {
      told = manager.next();
    }
    EXPECT_EQ(told, kAlive) << "before it comes around again";
    while (metric(port, stalled) != 1) {
    }
    while (ask_http(port, "GET /readyz HTTP/1.1").status == 200) {
    }
    EXPECT_EQ(ask_http(port, "GET /readyz HTTP/1.1").body, "the journal cannot be written\n");
    EXPECT_EQ(metric(port, "surtitle_journal_failing"), 1);
    EXPECT_EQ(ask_http(port, "GET /livez HTTP/1.1").status, 200);
  }
  EXPECT_EQ(text_of(client.read_until("sentence"), "target"), "ZWEI.");
  while (metric(port, stalled) != 0) {
  }
  while (ask_http(port, "GET /readyz HTTP/1.1").status != 200) {
  }
  EXPECT_EQ(metric(port, "surtitle_journal_failing"), 0);
}

TEST_F(Notify, InvalidEnvironmentIsRejected) {
  const auto refusal = [](const std::vector<std::string>& environment) {
    const Ended ended = DaemonProcess::run({"--port", "0"}, {environment, {}});
    EXPECT_EQ(ended.exit_code, 1);
    return ended.err;
  };
  EXPECT_EQ(refusal({"NOTIFY_SOCKET=notify"}),
            "surtitled: NOTIFY_SOCKET must be an absolute path or @NAME of at most 107 characters, "
            "not 'notify'\n");
  EXPECT_THAT(refusal({"NOTIFY_SOCKET=/" + std::string(200, 'x')}), HasSubstr("at most 107"));
  EXPECT_THAT(refusal({"NOTIFY_SOCKET=" + folder_.path("absent")}),
              HasSubstr("cannot reach the service manager at NOTIFY_SOCKET "));
  EXPECT_EQ(refusal({"WATCHDOG_USEC=often"}),
            "surtitled: WATCHDOG_USEC must be a whole number, not 'often'\n");
  EXPECT_EQ(refusal({"WATCHDOG_USEC=0"}), "surtitled: WATCHDOG_USEC must be more than 0, not 0\n");
}

}  // namespace
}  // namespace surtitle
